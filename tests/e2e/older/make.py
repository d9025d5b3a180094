"""Writes a data directory as this version does: `python tests/e2e/older/make.py`, from the environment of `make dev`.

It becomes `data-DATE.tar.xz` beside this file, with a key, an edit, a connection, a conversation and the trail of
their making; `data-DATE.json` says what no store tells of it, the key. `test_older_data.py` opens them.
"""

from __future__ import annotations

import datetime
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).parent
FILES = ("mill-history.txt", "paths-and-bridges.zip", "fish-counts.csv")
TRIVIUM = Path(sys.executable).with_name("trivium")
FIRST_ADMIN = "first-admin"
START_S = 60.0
OF_THE_PROCESS = ("server.lock", "server.json")


def main() -> None:
    day = datetime.datetime.now(datetime.UTC).date()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        settings = {"TRIVIUM_DATA_DIR": str(folder / "data"), "TRIVIUM_HTTP_PORT": "0", "TRIVIUM_GRPC_PORT": "0"}
        settings |= {"TRIVIUM_API_KEYS": f"default:{FIRST_ADMIN}", "TRIVIUM_API_KEY": FIRST_ADMIN}
        settings |= {"TRIVIUM_CONNECT_FOLDERS": "*"}
        others = {key: value for key, value in os.environ.items() if not key.startswith("TRIVIUM_")}
        key = write(folder, others | settings)
        archive = HERE / f"data-{day}.tar.xz"
        with tarfile.open(archive, "w:xz", preset=9) as packed:
            packed.add(folder / "data", ".", filter=without_the_process)
    archive.with_name(f"data-{day}.json").write_text(json.dumps({"key": key}) + "\n")
    sys.stdout.write(f"{archive} {archive.stat().st_size}\n")


def write(folder: Path, env: dict[str, str]) -> str:
    """Fill `folder/data`; the key that was made."""
    for place, names in (("files", FILES), ("harbour", ("people.html",))):
        (folder / place).mkdir()
        for name in names:
            shutil.copy(HERE.parents[2] / "examples/files" / name, folder / place)

    def trivium(*arguments: str, typed: str = "") -> str:
        done = subprocess.run(
            [TRIVIUM, *arguments], cwd=folder, env=env, input=typed, stdout=subprocess.PIPE, text=True, check=True
        )
        return done.stdout

    with subprocess.Popen([TRIVIUM, "serve"], env=env, stdout=subprocess.DEVNULL) as server:
        try:
            wait_for(folder / "data/server.json")
            trivium("ingest", "files")
            trivium("connect", "add", "harbour", "folder", str(folder / "harbour"), "--every", "1d")
            trivium("connect", "run", "harbour")
            trivium("graph", "rename", "Stennet Dam", "The Old Dam", "--why", "as it is called now")
            trivium("chat", typed="When did the mill at Stennet close?\nWhen was it built?\n")
            told = trivium("keys", "create", "Mira's laptop", "--role", "reader")
        finally:
            server.terminate()
    found = re.search(r"trv\.\S+", told)
    assert found, told
    return found[0]


def wait_for(file: Path) -> None:
    deadline = time.monotonic() + START_S
    while not file.exists():
        assert time.monotonic() < deadline, "trivium serve does not start"
        time.sleep(0.1)


def without_the_process(entry: tarfile.TarInfo) -> tarfile.TarInfo | None:
    """Nothing of the process that wrote it, or of who ran it."""
    entry.uid = entry.gid = 0
    entry.uname = entry.gname = ""
    return None if Path(entry.name).name in OF_THE_PROCESS else entry


if __name__ == "__main__":
    main()
