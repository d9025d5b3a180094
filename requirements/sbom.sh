#!/usr/bin/env bash
# dist/sbom.cdx.json: what .venv has, as CycloneDX, by the tool that the images' SBOMs are made with, in an environment of its own.
set -euo pipefail
cd "$(dirname "$0")/.."
uv=$(command -v uv || echo "$PWD/.venv/bin/uv")  # as requirements/install.sh found it
tools=$(mktemp -d); trap 'rm -rf "$tools"' EXIT
"$uv" venv --quiet --python .venv/bin/python "$tools"
"$uv" pip install --quiet --python "$tools/bin/python" --require-hashes -r requirements/image-tools.txt
mkdir -p dist
"$tools/bin/cyclonedx-py" environment --output-reproducible --mc-type application --of JSON -o dist/sbom.cdx.json .venv/bin/python
.venv/bin/python requirements/sbom_licences.py dist/sbom.cdx.json
