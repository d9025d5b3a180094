# What every recipe shares. A recipe NAME.sh sets VERSION, PORTS and START_LIMIT_S and defines
#   install_server   put the program into $DIR; runs once per VERSION, its output goes to logs/install.log
#   run_server       exec the program in the foreground; its output goes to logs/server.log
#   is_healthy       succeed when the server answers
#   remove_server    optional: remove what stands outside $DIR
#   configure_server optional: passwords, buckets; runs at every start, once healthy, and changes nothing the second time
configure_server() { :; }
remove_server() { :; }

say() { echo "$NAME: $*"; }
die() { echo "$NAME: $*" >&2; exit 1; }

need() {  # need COMMAND WHAT-TO-DO
    command -v "$1" >/dev/null || die "'$1' is not installed. $2"
}

unpack_packages() {  # unpack_packages NAME=VERSION...: the distribution's packages into $DIR/root; nothing is installed into the system
    need apt-get "This recipe knows Debian's and Ubuntu's packages; elsewhere run a $NAME $VERSION of your own on port $PORTS."
    local package
    rm -rf "$DIR/packages" "$DIR/root"
    mkdir -p "$DIR/packages" "$DIR/root"
    chmod 777 "$DIR/packages"  # as root, apt-get downloads as a user of its own
    download_packages "$@" || { apt-get update && download_packages "$@"; }
    for package in "$DIR"/packages/*.deb; do dpkg -x "$package" "$DIR/root"; done
    rm -rf "$DIR/packages"
}

download_packages() {  # and those of their libraries that the system lacks
    local name names libraries=()
    names=$(apt-get install --simulate --no-install-recommends "$@" | awk '/^Inst/ {print $2}') || return 1
    for name in $names; do [[ " ${*%%=*} " == *" $name "* ]] || libraries+=("$name"); done
    (cd "$DIR/packages" && apt-get download "$@" "${libraries[@]}")
}

secret() {  # print a password that is made once and that only the owner can read
    local file="$SERVICES/secrets/$1"
    [ -s "$file" ] || (umask 077 && mkdir -p "$SERVICES/secrets" && od -An -N16 -tx1 /dev/urandom | tr -d ' \n' >"$file")
    cat "$file"
}

write_env() {  # .services/env: the settings that make Trivium use these servers
    (umask 077 && cat >"$SERVICES/env.new.$$" <<END
TRIVIUM_BACKEND=distributed
TRIVIUM_S3_URL=http://127.0.0.1:$MINIO_PORT
TRIVIUM_S3_ACCESS_KEY=trivium
TRIVIUM_S3_SECRET_KEY=$(secret minio)
TRIVIUM_S3_BUCKET=trivium
TRIVIUM_S3_UPLOADS=trivium-uploads
TRIVIUM_EVENTS_PORT=$EVENTS_PORT
TRIVIUM_REDIS_URL=redis://127.0.0.1:$REDIS_PORT/0
TRIVIUM_MILVUS_URL=http://127.0.0.1:$MILVUS_PORT
TRIVIUM_ELASTICSEARCH_URL=http://127.0.0.1:$ELASTICSEARCH_PORT
TRIVIUM_ELASTICSEARCH_USER=elastic
TRIVIUM_ELASTICSEARCH_PASSWORD=$(secret elasticsearch)
TRIVIUM_NEO4J_URL=bolt://127.0.0.1:$NEO4J_BOLT_PORT
TRIVIUM_NEO4J_USER=neo4j
TRIVIUM_NEO4J_PASSWORD=$(secret neo4j)
TRIVIUM_EVENTS_PORT=$EVENTS_PORT
TRIVIUM_INDEX_PREFIX=trivium
END
    )
    mv "$SERVICES/env.new.$$" "$SERVICES/env"
}

port_is_taken() { (exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null; }

# --- processes: each server leads a process group of its own; a pid counts as ours only with the start time we noted

born() { sed 's/.*) //' "/proc/$1/stat" 2>/dev/null | cut -d' ' -f20; }

is_running() {
    [ -s "$DIR/pid" ] || return 1
    read -r pid noted <"$DIR/pid"
    kill -0 -- "-$pid" 2>/dev/null || return 1
    local now; now=$(born "$pid")
    [ -z "$now" ] || [ "$now" = "$noted" ]
}

launch() {
    rm -f "$DIR/pid"
    local port
    for port in $PORTS; do
        ! port_is_taken "$port" || die "port $port is taken by another program. Stop it, or choose another port (deploy/local/ports.env)."
    done
    setsid "$HERE/services.sh" run_server "$NAME" >>"$DIR/logs/server.log" 2>&1 </dev/null 9>&- &
    echo "$! $(born $!)" >"$DIR/pid"
    disown
}

wait_until_healthy() {
    local deadline=$((SECONDS + START_LIMIT_S))
    until is_healthy >/dev/null 2>&1; do
        is_running || die_with_log server.log "ended while starting"
        [ "$SECONDS" -lt "$deadline" ] || die_with_log server.log "not healthy after $START_LIMIT_S s"
        sleep 0.3
    done
    cp "$DIR/pid" "$DIR/answered"
}

is_stuck() {  # has answered since it was launched, and does not for a sixth of the time that a start may take, as a Milvus that was ended by halves
    cmp -s "$DIR/pid" "$DIR/answered" || return 1  # it may still be starting
    local deadline=$((SECONDS + START_LIMIT_S / 6))
    while is_running; do
        ! is_healthy >/dev/null 2>&1 || return 1
        [ "$SECONDS" -lt "$deadline" ] || return 0
        sleep 0.3
    done
    return 1
}

say_open_ports() {  # what others can reach over the network, if anything
    local open
    is_running && command -v python3 >/dev/null || return 0
    open=$(python3 "$HERE/open_ports.py" "$pid")
    [ -z "$open" ] || say "WARNING: listens on $open; on a network that others use, keep these ports closed"
}

die_with_log() {  # die_with_log FILE MESSAGE
    tail -n 30 "$DIR/logs/$1" | cut -c-300 | sed "s/^/$NAME | /" >&2
    die "$2. The whole log: $DIR/logs/$1"
}

end() {  # end SIGNAL: signal the server's process group and wait until it is gone
    if is_running; then
        kill "-$1" -- "-$pid"
        local tries
        for tries in $(seq 300); do is_running || break; [ "$tries" = 250 ] && kill -KILL -- "-$pid"; sleep 0.1; done
        ! is_running || die "process group $pid did not end."
        say "stopped"
    fi
    rm -f "$DIR/pid"
}
