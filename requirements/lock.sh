#!/usr/bin/env bash
# Rewrite the locks from the packages' own requirements. Hashes only; no download address is recorded.
#   runtime.txt  what `make run` needs, without torch     torch.txt  torch and its accelerator libraries
#   dev.txt      what `make test` needs on top
set -euo pipefail
cd "$(dirname "$0")"
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
compile() { uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header --no-annotate "$@"; }
python3 third_party.py --dev | compile - -o "$work/all.txt"
python3 third_party.py | compile - -c "$work/all.txt" -o "$work/runtime-all.txt"
python3 - "$work" <<'PY'
import re, sys, pathlib
work = pathlib.Path(sys.argv[1])
def blocks(path):
    return {re.match(r"[A-Za-z0-9._-]+", b).group(0).lower(): b for b in re.split(r"\n(?=[A-Za-z0-9])", path.read_text().strip())}
everything, runtime = blocks(work / "all.txt"), blocks(work / "runtime-all.txt")
accelerator = re.compile(r"torch|triton|nvidia-.*|cuda-.*")
def write(name, chosen):
    pathlib.Path(name).write_text("\n".join(everything[k] for k in sorted(chosen)) + "\n")
write("torch.txt", {k for k in runtime if accelerator.fullmatch(k)})
write("runtime.txt", {k for k in runtime if not accelerator.fullmatch(k)})
write("dev.txt", set(everything) - set(runtime))
PY
wc -l runtime.txt torch.txt dev.txt
