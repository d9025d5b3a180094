#!/usr/bin/env bash
# Make .venv and install Trivium into it: `install.sh` for running embedded, `install.sh distributed` for running against
# the real servers as well, `install.sh dev` for working on it, `install.sh torch` to add torch for models that need it,
# `install.sh speech` what runs a Whisper model and reads chapters and subtitles (in `dev` already).
# Installs only what the locks name, checked by hash, and does nothing when nothing has changed. torch alone comes as a
# CPU build, unchecked, where one can be reached and no GPU is present; else as the registry's default build, checked.
set -euo pipefail
cd "$(dirname "$0")/.."
kind=${1:-run}
python=${PYTHON:-python3}
"$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' || {
    echo "Trivium needs Python 3.11 or newer; '$python' is $("$python" --version 2>&1). Set PYTHON=/path/to/python3.11." >&2; exit 1; }
stamp=.venv/.installed-$kind
fingerprint=$(cat requirements/*.txt requirements/install.sh libs/trivium/src/trivium/release.py libs/*/pyproject.toml services/*/pyproject.toml | sha256sum | cut -c1-64)
[ -f "$stamp" ] && [ "$(cat "$stamp")" = "$fingerprint" ] && exit 0

[ -x .venv/bin/python ] || "$python" -m venv .venv
if command -v uv >/dev/null 2>&1; then uv=uv; else
    .venv/bin/python -m pip install --quiet --disable-pip-version-check "$(grep -oE '^uv==[^ ]+' requirements/tools.in)"
    uv=.venv/bin/uv
fi
add() { "$uv" pip install --quiet --python .venv/bin/python --no-deps "$@"; }

torch=$(grep -oE '^torch==[^ ]+' requirements/torch.txt)
have_torch() { .venv/bin/python -c "import importlib.metadata as m, sys; sys.exit(m.version('torch').split('+')[0] != '${torch#torch==}')" 2>/dev/null; }
has_gpu() { [ -e /dev/nvidiactl ] || [ -e /dev/kfd ]; }
add_torch() {
    if have_torch; then return; fi
    if ! has_gpu && UV_HTTP_TIMEOUT=10 UV_HTTP_RETRIES=0 "$uv" pip install --quiet --python .venv/bin/python --torch-backend=cpu --dry-run "$torch" >/dev/null 2>&1; then
        echo "Downloading about 0.3 GB more (torch's CPU build)."
        add --torch-backend=cpu "$torch"
    else
        has_gpu || echo "No CPU build of torch can be reached from here: taking the registry's default build, which carries GPU libraries."
        echo "Downloading about 2.9 GB more (torch and its GPU libraries), 5.5 GB on disk; about 10 minutes at 50 Mbit/s."
        add --require-hashes -r requirements/torch.txt
    fi
}

echo "Downloading what is missing of 330 MB (libraries and models), 0.9 GB on disk; about a minute at 50 Mbit/s."
add --require-hashes -r requirements/runtime.txt
if [ "$kind" = torch ] || { [ "$kind" = distributed ] && has_gpu; }; then
    add_torch
    add --require-hashes -r requirements/torch-models.txt
elif has_gpu; then echo "A GPU is here, which only torch can use: make torch."; fi
case $kind in distributed | dev) add --require-hashes -r requirements/distributed.txt ;; esac
[ "$kind" = dev ] && add --require-hashes -r requirements/dev.txt
[ "$kind" = speech ] && awk '/^[a-z]/ { wanted = /^(av|ctranslate2|faster-whisper)==/ } wanted' requirements/dev.txt | add --require-hashes -r -
for package in libs/* services/*; do [ -f "$package/pyproject.toml" ] && editable+=(-e "$package"); done
add --no-build-isolation "${editable[@]}"
.venv/bin/python -m trivium_inference.prepare || echo "The model is made ready at the first start instead."
echo "$fingerprint" > "$stamp"
