#!/usr/bin/env bash
# Trivium's own processes against the servers of `make services`, until Ctrl-C: the inference service, the control process,
# two ingest workers, a graph worker and the query service. Their output goes to .services/trivium/NAME.log.
set -euo pipefail
ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
SERVICES=$(realpath -m "${TRIVIUM_SERVICES_DIR:-$ROOT/.services}")
[ -s "$SERVICES/env" ] || { echo "No servers are named in $SERVICES/env. Run 'make services' first." >&2; exit 1; }
set -a; . "$SERVICES/env"; set +a
export TRIVIUM_INFERENCE_URL=${TRIVIUM_INFERENCE_URL:-127.0.0.1:${TRIVIUM_INFERENCE_PORT:-9191}}
cores=$(nproc)
export TRIVIUM_EMBED_THREADS=${TRIVIUM_EMBED_THREADS:-$((cores > 1 ? cores - 1 : 1))} # the servers need one too
LOGS=$SERVICES/trivium
mkdir -p "$LOGS"
pids=()

start() {  # start LOG PROGRAM
    "$ROOT/.venv/bin/$2" >"$LOGS/$1.log" 2>&1 &
    pids+=($!)
    echo "$2 (log: $LOGS/$1.log)"
}

stop() {
    trap - EXIT INT TERM
    echo "Stopping; what is unfinished is taken up at the next start."
    kill "${pids[@]}" 2>/dev/null || true
    wait || true
}
trap stop EXIT
trap 'exit 0' INT TERM

start inference trivium-gpu-inference
start control trivium-ingest-control
start ingest-1 trivium-ingest-worker
TRIVIUM_WORKER_LANES=others start ingest-2 trivium-ingest-worker # never behind a recording
start graph trivium-graph-worker
start query trivium-query-api
url=http://${TRIVIUM_HTTP_HOST:-127.0.0.1}:${TRIVIUM_HTTP_PORT:-8080}
until curl -fsS --max-time 5 "$url/readyz" >/dev/null 2>&1; do
    for pid in "${pids[@]}"; do kill -0 "$pid" 2>/dev/null || { tail -n 3 "$LOGS"/*.log >&2; exit 1; }; done
    sleep 0.5
done
cat <<END

HTTP     $url   (interface: $url/docs)
Uploads  $TRIVIUM_S3_URL/$TRIVIUM_S3_UPLOADS   (access key $TRIVIUM_S3_ACCESS_KEY, secret key in $SERVICES/env)
Ask      set -a; . $SERVICES/env; set +a; TRIVIUM_URL=$url .venv/bin/trivium ask "..."
Stop with Ctrl-C.
END
wait -n "${pids[@]}" || true
echo "A process ended; the last lines of each log:" >&2
tail -n 5 "$LOGS"/*.log >&2
exit 1
