# Neo4j community: its jars from Maven, no plugins (plain Cypher is enough for Trivium).
VERSION=$NEO4J_VERSION
PORTS="$NEO4J_BOLT_PORT $NEO4J_HTTP_PORT"
START_LIMIT_S=120

install_server() {
    need mvn "Install Maven (Debian: apt-get install maven)."
    need java "Install Java 17 or newer (Debian: apt-get install openjdk-17-jdk-headless)."
    rm -rf "$DIR/lib"
    mvn -B -q -f "$HERE/neo4j-pom.xml" -Dneo4j.version="$VERSION" \
        "org.apache.maven.plugins:maven-dependency-plugin:$MAVEN_DEPENDENCY_PLUGIN_VERSION:copy-dependencies" -DincludeScope=runtime -DoutputDirectory="$DIR/lib"
}

write_configuration() {
    mkdir -p "$DIR/conf"
    cat >"$DIR/conf/neo4j.conf" <<END
server.default_listen_address=127.0.0.1
server.bolt.listen_address=:$NEO4J_BOLT_PORT
server.http.listen_address=:$NEO4J_HTTP_PORT
server.directories.data=$DIR/data
server.directories.logs=$DIR/logs
server.memory.pagecache.size=128m
db.tx_log.preallocate=false
db.tx_log.rotation.retention_policy=false
dbms.usage_report.enabled=false
END
}

run_server() {
    write_configuration
    cd "$DIR"
    exec java -Xms256m -Xmx512m ${SERVERS_JAVA_OPTIONS:-} \
        --add-opens=java.base/java.nio=ALL-UNNAMED --add-opens=java.base/java.io=ALL-UNNAMED \
        --add-opens=java.base/sun.nio.ch=ALL-UNNAMED --add-opens=java.base/java.lang=ALL-UNNAMED \
        -cp "$DIR/lib/*" org.neo4j.server.CommunityEntryPoint --home-dir="$DIR" --config-dir="$DIR/conf"
}

cypher() {  # cypher DATABASE PASSWORD STATEMENT
    curl -fsS --max-time 60 --user "neo4j:$2" -H 'Content-Type: application/json' \
        -d "{\"statements\": [{\"statement\": \"$3\"}]}" "http://127.0.0.1:$NEO4J_HTTP_PORT/db/$1/tx/commit"
}

is_healthy() { curl -fsS --max-time 5 "http://127.0.0.1:$NEO4J_HTTP_PORT/"; }

configure_server() {
    local password; password=$(secret neo4j)
    cypher neo4j "$password" "RETURN 1" || cypher system neo4j "ALTER CURRENT USER SET PASSWORD FROM 'neo4j' TO '$password'"
    cypher neo4j "$password" "RETURN 1" | grep -q '"errors":\[\]'
}
