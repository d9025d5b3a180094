#!/usr/bin/env bash
# Run buf in proto/, as deploy/local/versions.env pins it: `buf.sh lint`. The first time it is built from its Go module
# into .services/buf (TRIVIUM_SERVICES_DIR), which takes minutes. It asks nobody over the network.
set -euo pipefail
proto=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
. "$proto/../deploy/local/versions.env"
folder=$(realpath -m "${TRIVIUM_SERVICES_DIR:-$proto/../.services}")/buf/$BUF_VERSION
if [ ! -x "$folder/buf" ]; then
    command -v go >/dev/null || { echo "'go' is not installed. Install Go 1.24 or newer." >&2; exit 1; }
    echo "Building buf $BUF_VERSION: some minutes, once." >&2
    mkdir -p "$folder"
    GOBIN=$folder nice go install -trimpath -ldflags "-s -w" "github.com/bufbuild/buf/cmd/buf@$BUF_VERSION"
fi
cd "$proto"
exec "$folder/buf" "$@"
