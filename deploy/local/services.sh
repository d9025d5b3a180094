#!/usr/bin/env bash
# The servers Trivium works with, on this machine and without a container engine. Everything is kept in .services/NAME/
# (program, data, logs, pid); .services/env names the running servers to Trivium.
#   services.sh install NAME...   put what is absent into its folder
#   services.sh start NAME...     install, start what is not running, wait until it answers
#   services.sh stop NAME...      stop what `start` started; data stays
#   services.sh kill NAME...      the same by SIGKILL, as a crash would
#   services.sh restart NAME...   stop, then start
#   services.sh remove NAME...    stop, then delete program, data and password
#   services.sh status NAME...    say what runs; fails unless all of them do
# NAME is one of the recipes beside this file.
set -euo pipefail
HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
ROOT=$(cd "$HERE/../.." && pwd)
SERVICES=$(realpath -m "${TRIVIUM_SERVICES_DIR:-$ROOT/.services}")
NAMES="redis minio elasticsearch neo4j milvus vllm kubernetes dovecot collector prometheus"
. "$HERE/versions.env"
. "$HERE/ports.env"
. "$HERE/lib.sh"

install() {
    [ "$(cat "$DIR/installed" 2>/dev/null)" != "$VERSION" ] || return 0
    end TERM  # an older version makes room
    say "installing $VERSION"
    "$HERE/services.sh" install_server "$NAME" >"$DIR/logs/install.log" 2>&1 || die_with_log install.log "could not be installed"
    echo "$VERSION" >"$DIR/installed"
}

start() {
    install
    if is_stuck; then say "runs and does not answer: it is ended and started again"; end KILL; fi
    if is_running; then say "already running"; else launch; say "starting"; fi
    wait_until_healthy
    "$HERE/services.sh" configure_server "$NAME" >"$DIR/logs/configure.log" 2>&1 || die_with_log configure.log "runs, but could not be configured"
    say "answers on port ${PORTS%% *}"
    say_open_ports
}

status() {
    if is_running && is_healthy >/dev/null 2>&1; then say "running"; else say "not running"; return 1; fi
}

remove() {
    end TERM
    remove_server
    rm -rf "$DIR" "$SERVICES/secrets/$NAME"
}

locked() {  # run an action alone on its server
    exec 9>"$DIR/lock"
    flock 9
    "$@"
}

act() {  # act ACTION NAME
    NAME=$2
    [[ " $NAMES " == *" $NAME "* ]] || die "no such server; there are: $NAMES"
    DIR=$SERVICES/$NAME
    mkdir -p "$DIR/logs" "$DIR/data"
    . "$HERE/$NAME.sh"
    case $1 in
        status | *_server) "$1" ;;
        stop) locked end TERM ;;
        kill) locked end KILL ;;
        restart) locked end TERM; start ;;
        *) locked "$1" ;;
    esac
}

action=${1:-}; shift || true
case $action in
    install_server | configure_server | run_server) act "$action" "$1" ;;  # called by the actions below, in a process of their own
    install | start | stop | kill | restart | remove | status)
        [ $# -gt 0 ] || { echo "Name the servers: $NAMES" >&2; exit 2; }
        mkdir -p "$SERVICES"
        write_env
        jobs=() failed=0
        for name in "$@"; do (act "$action" "$name") & jobs+=($!); done
        for job in "${jobs[@]}"; do wait "$job" || failed=1; done
        exit "$failed" ;;
    *) sed -n '2,11s/^# //p' "$0"; exit 2 ;;
esac
