#!/usr/bin/env bash
# Make .venv and install Trivium into it: `install.sh` for running embedded, `install.sh distributed` for running against
# the real servers as well, `install.sh dev` for working on it.
# Installs only what the locks name (checked by hash) and does nothing when nothing has changed.
# torch comes as a CPU build where one can be reached and no GPU is present; else as the registry's default build.
set -euo pipefail
cd "$(dirname "$0")/.."
kind=${1:-run}
python=${PYTHON:-python3}
"$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' || {
    echo "Trivium needs Python 3.11 or newer; '$python' is $("$python" --version 2>&1). Set PYTHON=/path/to/python3.11." >&2; exit 1; }
stamp=.venv/.installed-$kind
fingerprint=$(cat requirements/*.txt requirements/install.sh libs/*/pyproject.toml services/*/pyproject.toml | sha256sum | cut -c1-64)
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
if ! have_torch; then
    if ! has_gpu && UV_HTTP_TIMEOUT=10 UV_HTTP_RETRIES=0 "$uv" pip install --quiet --python .venv/bin/python --torch-backend=cpu --dry-run "$torch" >/dev/null 2>&1; then
        echo "Downloading about 0.6 GB (torch's CPU build, the other libraries and the models); a few minutes on a home line."
        add --torch-backend=cpu "$torch"
    else
        has_gpu || echo "No CPU build of torch can be reached from here: taking the registry's default build, which carries GPU libraries."
        echo "Downloading about 3.2 GB (of it 2.9 GB torch and its GPU libraries), 6 GB on disk; about 10 minutes at 50 Mbit/s."
        add --require-hashes -r requirements/torch.txt
    fi
fi
add --require-hashes -r requirements/runtime.txt
[ "$kind" = run ] || add --require-hashes -r requirements/distributed.txt
[ "$kind" = dev ] && add --require-hashes -r requirements/dev.txt
for package in libs/* services/*; do [ -f "$package/pyproject.toml" ] && editable+=(-e "$package"); done
add --no-build-isolation "${editable[@]}"
echo "$fingerprint" > "$stamp"
