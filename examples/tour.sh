#!/usr/bin/env bash
# What `make run` shows: start Trivium, read examples/, ask the questions of questions.txt, keep serving until Ctrl-C.
set -euo pipefail
cd "$(dirname "$0")/.."
trivium=.venv/bin/trivium
export TRIVIUM_LOG_LEVEL=${TRIVIUM_LOG_LEVEL:-warning}

$trivium serve &
server=$!
trap 'kill $server 2>/dev/null || true; wait $server || true' EXIT
until .venv/bin/python - "${TRIVIUM_DATA_DIR:-.trivium}" $server 2>/dev/null <<'PY'
import json, pathlib, sys
sys.exit(json.loads((pathlib.Path(sys.argv[1]) / "server.json").read_text())["pid"] != int(sys.argv[2]))
PY
do
    kill -0 $server 2>/dev/null || { trap - EXIT; wait $server; exit 1; }
    sleep 0.2
done

echo; echo "\$ trivium ingest examples/files --root examples/files"
$trivium ingest examples/files --root examples/files || true
while IFS= read -r question; do
    echo; echo "\$ trivium ask \"$question\""
    $trivium ask "$question"
done < examples/questions.txt
echo; echo "Ask your own: .venv/bin/trivium ask \"...\"   Your files: .venv/bin/trivium ingest DIR   Stop: Ctrl-C"
wait $server
