#!/usr/bin/env bash
# Compile the .proto files into libs/trivium/src/trivium/v1. With --check: fail when the committed code is not theirs.
set -euo pipefail
cd "$(dirname "$0")/.."
python=${PYTHON:-.venv/bin/python}
target=libs/trivium/src
check=
if [ "${1:-}" = "--check" ]; then
  check=1
  target=$(mktemp -d); trap 'rm -rf "$target"' EXIT
fi
mkdir -p "$target/trivium/v1"
"$python" -m grpc_tools.protoc -I proto \
  --python_out="$target" --pyi_out="$target" --grpc_python_out="$target" proto/trivium/v1/*.proto
if [ -n "$check" ]; then
  diff -r -q -x __pycache__ -x __init__.py "$target/trivium/v1" libs/trivium/src/trivium/v1 ||
    { echo "The compiled protos are stale: run proto/compile.sh and commit." >&2; exit 1; }
fi
