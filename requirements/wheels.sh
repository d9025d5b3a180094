#!/usr/bin/env bash
# Build every package's wheel into dist/, then use them as somebody without this checkout does: an empty environment,
# what the wheels require in the locks' versions, the model fetched by `trivium model install`, two files, one question.
set -euo pipefail
cd "$(dirname "$0")/.."
uv=$(command -v uv || echo "$PWD/.venv/bin/uv")  # as requirements/install.sh found it
rm -rf dist
for package in libs/* services/*; do
    [ ! -f "$package/pyproject.toml" ] || "$uv" build --quiet --wheel --no-build-isolation --python .venv/bin/python --out-dir dist "$package"
done
away=$(mktemp -d); trap 'rm -rf "$away"' EXIT
.venv/bin/python -m venv "$away/env"
"$uv" pip install --quiet --python "$away/env/bin/python" --constraint requirements/runtime.txt dist/*.whl
mkdir "$away/files" && cp examples/files/mill-history.txt examples/files/gauge-plate.png "$away/files"
cd "$away"
export PATH="$away/env/bin:$PATH"
refuse() { if "$@" >refused 2>&1; then echo "This should have failed: $*" >&2; exit 1; fi; }
refuse python -c "import torch"
refuse trivium ask "When did the mill at Stennet close?"
grep "trivium model install" refused
set -x
trivium model install
trivium ingest files
trivium ask "When did the mill at Stennet close?" | tee answer
grep -q 1961 answer
