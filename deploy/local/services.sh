#!/usr/bin/env bash
# The servers Trivium works with, on this machine and without a container engine. Everything is kept in .services/NAME/
# (program, data, logs, pid); .services/env names the running servers to Trivium.
#   services.sh start NAME...     install what is absent, start what is not running, wait until it answers
#   services.sh stop NAME...      stop what `start` started; data stays
#   services.sh kill NAME...      the same by SIGKILL, as a crash would
#   services.sh restart NAME...   stop, then start
#   services.sh status NAME...    say what runs; fails unless all of them do
# NAME is one of the recipes beside this file: redis minio elasticsearch neo4j milvus vllm.
set -euo pipefail
HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
ROOT=$(cd "$HERE/../.." && pwd)
SERVICES=$(realpath -m "${TRIVIUM_SERVICES_DIR:-$ROOT/.services}")
. "$HERE/versions.env"
. "$HERE/ports.env"
. "$HERE/lib.sh"

start() {
    if [ "$(cat "$DIR/installed" 2>/dev/null)" != "$VERSION" ]; then
        say "installing $VERSION"
        "$HERE/services.sh" install "$NAME" >"$DIR/logs/install.log" 2>&1 || { tail -n 20 "$DIR/logs/install.log" | sed "s/^/$NAME | /" >&2; die "not installed. The whole log: $DIR/logs/install.log"; }
        echo "$VERSION" >"$DIR/installed"
    fi
    if is_running; then say "already running"; else launch; say "starting"; fi
    wait_until_healthy
    if declare -F configure_server >/dev/null; then configure_server >>"$DIR/logs/configure.log" 2>&1 || die "runs, but could not be configured. See $DIR/logs/configure.log"; fi
    say "answers on port ${PORTS%% *}"
}

one() {  # one ACTION NAME: run an action on one server, alone
    NAME=$2
    [ -f "$HERE/$NAME.sh" ] && [[ " redis minio elasticsearch neo4j milvus vllm " == *" $NAME "* ]] || die "no such server."
    DIR=$SERVICES/$NAME
    mkdir -p "$DIR/logs" "$DIR/data"
    . "$HERE/$NAME.sh"
    case $1 in
        run) run_server ;;
        install) install_server ;;
        status) if is_running && is_healthy >/dev/null 2>&1; then say "running"; else say "not running"; return 1; fi ;;
        *) exec 9>"$DIR/lock"; flock 9
           case $1 in
               start) start ;;
               stop) end TERM ;;
               kill) end KILL ;;
               restart) end TERM; start ;;
           esac ;;
    esac
}

action=${1:-}; shift || true
case $action in start | stop | kill | restart | status | install | run) ;; *) sed -n '2,9s/^# //p' "$0"; exit 2 ;; esac
[ $# -gt 0 ] || { echo "Name the servers: redis minio elasticsearch neo4j milvus vllm" >&2; exit 2; }
mkdir -p "$SERVICES"
case $action in
    run | install) one "$action" "$1" ;;
    *) [ "$action" != start ] || write_env
       jobs=()
       for name in "$@"; do (one "$action" "$name") & jobs+=($!); done
       failed=0
       for job in "${jobs[@]}"; do wait "$job" || failed=1; done
       exit "$failed" ;;
esac
