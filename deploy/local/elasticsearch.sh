# Elasticsearch's minimal distribution from Maven, with the one token filter of the full one that Trivium asks for
# (porter_stem) as a stable plugin.
VERSION=$ELASTICSEARCH_VERSION
PORTS="$ELASTICSEARCH_PORT $ELASTICSEARCH_TRANSPORT_PORT"
START_LIMIT_S=180
ES_USER=trivium-elasticsearch  # the server refuses to run as root

place() {  # where that user can go: $DIR, unless only root may enter a folder above it
    if [ "$(id -u)" != 0 ] || setpriv --reuid=65534 --regid=65534 --clear-groups test -x "$DIR"; then echo "$DIR"; return; fi
    echo "/var/tmp/trivium-elasticsearch-$(printf %s "$DIR" | sha256sum | cut -c1-12)"
}
PLACE=$(place)
ES_PROGRAM=$PLACE/elasticsearch-$ELASTICSEARCH_VERSION
export ES_PATH_CONF=$PLACE/config ES_TMPDIR=$PLACE/tmp ES_JAVA_OPTS="-Xms1g -Xmx1g ${SERVERS_JAVA_OPTIONS:-}"

remove_server() { rm -rf "$PLACE"; }

install_server() {
    need mvn "Install Maven (Debian: apt-get install maven)."
    need javac "Install a JDK 17 or newer (Debian: apt-get install openjdk-17-jdk-headless)."
    need unzip "Install unzip."
    mkdir -p "$PLACE"/{data,logs}
    mvn -B -q "org.apache.maven.plugins:maven-dependency-plugin:$MAVEN_DEPENDENCY_PLUGIN_VERSION:copy" \
        -Dartifact="org.elasticsearch.distribution.integ-test-zip:elasticsearch:$VERSION:zip" -DoutputDirectory="$PLACE/download"
    rm -rf "$ES_PROGRAM"
    unzip -q "$PLACE/download/elasticsearch-$VERSION.zip" -d "$PLACE"
    rm -rf "$PLACE/download"
    install_porter_stem
    write_configuration
    find_java
    secret elasticsearch | "$ES_PROGRAM/bin/elasticsearch-keystore" add --stdin --force bootstrap.password
}

install_porter_stem() {
    local plugin=$ES_PROGRAM/plugins/porter-stem classes=$PLACE/classes
    mkdir -p "$plugin" "$classes"
    javac --release 17 -cp "$ES_PROGRAM/lib/*" -d "$classes" "$HERE/porter-stem/PorterStem.java"
    jar --create --file "$plugin/porter-stem.jar" -C "$classes" .
    cp "$HERE/porter-stem/named_components.json" "$plugin/"
    sed "s/@ELASTICSEARCH_VERSION@/$VERSION/" "$HERE/porter-stem/stable-plugin-descriptor.properties" >"$plugin/stable-plugin-descriptor.properties"
    rm -rf "$classes"
}

write_configuration() {
    rm -rf "$PLACE/config"
    mkdir -p "$PLACE/config" "$PLACE/tmp"
    cp -r "$ES_PROGRAM/config/." "$PLACE/config/"
    cat >"$PLACE/config/elasticsearch.yml" <<END
cluster.name: trivium
network.host: 127.0.0.1
http.port: $ELASTICSEARCH_PORT
transport.port: $ELASTICSEARCH_TRANSPORT_PORT
discovery.type: single-node
path.data: $PLACE/data
path.logs: $PLACE/logs
xpack.security.enabled: true
cluster.routing.allocation.disk.threshold_enabled: false
END
}

find_java() { export ES_JAVA_HOME; ES_JAVA_HOME=$(dirname "$(dirname "$(realpath "$(command -v javac)")")"); }

run_server() {
    local as=()
    if [ "$(id -u)" = 0 ]; then
        id "$ES_USER" >/dev/null 2>&1 || useradd --system --no-create-home --shell /usr/sbin/nologin "$ES_USER"
        chown -R "$ES_USER" "$PLACE/data" "$PLACE/logs" "$PLACE/config" "$PLACE/tmp"
        as=(setpriv "--reuid=$ES_USER" "--regid=$(id -g "$ES_USER")" --clear-groups)
        "${as[@]}" test -r "$PLACE/config/elasticsearch.yml" || die "the user $ES_USER cannot read $PLACE. Set TRIVIUM_SERVICES_DIR to a folder whose parents everybody may enter."
    fi
    find_java
    cd "$PLACE/logs"
    exec "${as[@]}" "$ES_PROGRAM/bin/elasticsearch"
}

is_healthy() {
    curl -fsS --max-time 5 --user "elastic:$(secret elasticsearch)" "http://127.0.0.1:$ELASTICSEARCH_PORT/_cluster/health?wait_for_status=yellow&timeout=3s"
}
