#!/usr/bin/env bash
# Have Compose's own loader read the compose files, alone and with the GPU: their schema, what they merge to, and that they name only what there is.
# The first time it is built from its Go module, as deploy/local/versions.env pins it, into .services/compose (TRIVIUM_SERVICES_DIR).
# Variables stay as they are: whether each is asked for is tests/deploy/test_compose.py's.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
. "$here/../deploy/local/versions.env"
folder=$(realpath -m "${TRIVIUM_SERVICES_DIR:-$here/../.services}")/compose/$COMPOSE_VERSION
if [ ! -x "$folder/cmd" ]; then
    command -v go >/dev/null || { echo "'go' is not installed. Install Go 1.24 or newer." >&2; exit 1; }
    mkdir -p "$folder"
    GOBIN=$folder nice go install -trimpath -ldflags "-s -w" "github.com/compose-spec/compose-go/v2/cmd@$COMPOSE_VERSION"
fi
cd "$here"
for more in "" compose.gpu.yaml; do
    "$folder/cmd" -no-interpolation compose.yaml $more >/dev/null || { echo " (compose.yaml $more)" >&2; exit 1; }
done
