#!/usr/bin/env bash
# Build every package's wheel into dist/, then use them as somebody without this checkout does: an empty environment,
# what the wheels require in the locks' versions, the model fetched by `trivium model install`, two files, one question.
# Then as a client of that server's: the library's wheel alone, which is its command line and few other packages.
set -euo pipefail
cd "$(dirname "$0")/.."
uv=$(command -v uv || echo "$PWD/.venv/bin/uv")  # as requirements/install.sh found it
rm -rf dist
for package in libs/* services/*; do
    [ ! -f "$package/pyproject.toml" ] || "$uv" build --quiet --wheel --no-build-isolation --python .venv/bin/python --out-dir dist "$package"
done
away=$(mktemp -d); trap 'rm -rf "$away"' EXIT
installed() { .venv/bin/python -m venv "$1" && "$uv" pip install --quiet --python "$1/bin/python" --constraint requirements/runtime.txt "${@:2}"; }
installed "$away/env" dist/*.whl
installed "$away/client" dist/trivium-[0-9]*.whl
# trivium-client alone, into an environment without pip: seconds from what is downloaded already, and its size, which README tells.
for bytecode in --no-compile-bytecode --compile-bytecode; do
    "$uv" venv --quiet --clear --python .venv/bin/python "$away/alone"
    kib() { du -sk "$away"/alone/lib/python*/site-packages | cut -f1; }
    before=$(kib) began=$(date +%s.%N)
    "$uv" pip install --quiet "$bytecode" --python "$away/alone/bin/python" --constraint requirements/runtime.txt dist/trivium{,_client}-[0-9]*.whl
    awk -v began="$began" -v ended="$(date +%s.%N)" -v kib="$(( $(kib) - before ))" -v how="$bytecode" \
        'BEGIN { mb = kib * 1024 / 1e6; printf "trivium-client alone, %s: %.1f s, %.1f MB\n", how, ended - began, mb; exit mb >= 15.5 }'
done
"$away/alone/bin/python" -c "from trivium_client import AsyncTriviumClient, TriviumClient"
"$away/alone/bin/python" -c "import importlib, pkgutil, trivium.cli as cli; [importlib.import_module(f'trivium.cli.{each.name}') for each in pkgutil.iter_modules(cli.__path__)]"
mkdir "$away/files" && cp examples/files/mill-history.txt examples/files/gauge-plate.png "$away/files"
cd "$away"
export PATH="$away/env/bin:$PATH"
refuse() { if "$@" >refused 2>&1; then echo "This should have failed: $*" >&2; exit 1; fi; }
for heavy in grpc celery rich structlog; do refuse "$away/alone/bin/python" -c "import $heavy"; done
refuse python -c "import torch"
refuse trivium ask "When did the mill at Stennet close?"
grep "trivium model install" refused
set -x
trivium model install
trivium ingest files
trivium ask "When did the mill at Stennet close?" | tee answer
grep -q 1961 answer

export TRIVIUM_DATA_DIR=$away/.trivium TRIVIUM_HTTP_PORT=0 TRIVIUM_GRPC_PORT=0
trivium serve > served & trap 'kill %1; wait; rm -rf "$away"' EXIT
until url=$(grep -o "http://127[^ ]*" served | head -1) && [ "$url" ]; do kill -0 %1 && sleep 0.2; done
PATH=$away/client/bin:$PATH
refuse python -c "import celery"
refuse trivium parse files/mill-history.txt
grep "pip install --find-links dist trivium-ingest-worker" refused
TRIVIUM_URL=$url trivium ask "When did the mill at Stennet close?" | tee answer
grep -q 1961 answer
