#!/usr/bin/env bash
# Trivium's own processes against the servers of `make services`, until Ctrl-C: the inference service, the control process,
# two ingest and two graph workers (one of each never behind a backfill, the other never behind a recording or a large file)
# and the query service. One that ends is started again (keep_running.py). Their output goes to .services/trivium/NAME.log.
# Before them `trivium prepare` makes what a new version of Trivium looks into; what is away they wait for themselves.
set -euo pipefail
ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
SERVICES=$(realpath -m "${TRIVIUM_SERVICES_DIR:-$ROOT/.services}")
[ -s "$SERVICES/env" ] || { echo "No servers are named in $SERVICES/env. Run 'make services' first." >&2; exit 1; }
set -a; . "$SERVICES/env"; set +a
export TRIVIUM_INFERENCE_URL=${TRIVIUM_INFERENCE_URL:-127.0.0.1:${TRIVIUM_INFERENCE_PORT:-9191}}
cores=$(nproc)
export TRIVIUM_EMBED_THREADS=${TRIVIUM_EMBED_THREADS:-$((cores > 1 ? cores - 1 : 1))} # the servers need one too
LOGS=$SERVICES/trivium
BIN=$(printf %q "$ROOT/.venv/bin")
mkdir -p "$LOGS"
url=http://${TRIVIUM_HTTP_HOST:-127.0.0.1}:${TRIVIUM_HTTP_PORT:-8080}

tell_when_ready() {
    local tries
    for ((tries = 1; ; tries++)); do
        kill -0 $$ 2>/dev/null || return 0
        found=$(curl -sS --max-time 5 "$url/readyz" 2>&1) || true
        [[ $found != *'"status":"ready"'* ]] || break
        ((tries % 120)) || echo "Not everything is ready yet: $found"
        sleep 0.5
    done
    cat <<END

HTTP     $url   (interface: $url/docs)
Uploads  $TRIVIUM_S3_URL/$TRIVIUM_S3_UPLOADS   (access key $TRIVIUM_S3_ACCESS_KEY, secret key in $SERVICES/env)
Ask      set -a; . $SERVICES/env; set +a; TRIVIUM_URL=$url .venv/bin/trivium ask "..."
Look     set -a; . $SERVICES/env; set +a; TRIVIUM_INFERENCE_URL=$TRIVIUM_INFERENCE_URL .venv/bin/trivium doctor
Stop with Ctrl-C.
END
}

"$ROOT/.venv/bin/trivium" prepare || echo "Starting all the same."
tell_when_ready &
exec "$ROOT/.venv/bin/python" "$ROOT/deploy/local/keep_running.py" "$LOGS" \
    "inference=$BIN/trivium-gpu-inference" \
    "control=$BIN/trivium-ingest-control" \
    "ingest-1=env TRIVIUM_WORKER_LANES=uploads $BIN/trivium-ingest-worker" \
    "ingest-2=env TRIVIUM_WORKER_LANES=others $BIN/trivium-ingest-worker" \
    "graph-1=env TRIVIUM_WORKER_LANES=uploads $BIN/trivium-graph-worker" \
    "graph-2=env TRIVIUM_WORKER_LANES=others $BIN/trivium-graph-worker" \
    "query=$BIN/trivium-query-api"
