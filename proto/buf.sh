#!/usr/bin/env bash
# Run buf in proto/, as deploy/local/versions.env pins it: `buf.sh lint`. It asks nobody over the network.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
. ../deploy/local/go_command.sh
buf=$(go_command buf "github.com/bufbuild/buf/cmd/buf@$BUF_VERSION")
exec "$buf" "$@"
