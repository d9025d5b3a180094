#!/usr/bin/env bash
# Have Compose's own loader read the compose files, alone and with the GPU: their schema, what they merge to, and that they name only what there is.
# Variables stay as they are: whether each is asked for is tests/deploy/test_compose.py's.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
. ../deploy/local/go_command.sh
loader=$(go_command compose "github.com/compose-spec/compose-go/v2/cmd@$COMPOSE_VERSION")
for more in "" compose.gpu.yaml; do
    "$loader" -no-interpolation compose.yaml $more >/dev/null || { echo " (compose.yaml $more)" >&2; exit 1; }
done
