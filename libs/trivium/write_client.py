"""Write trivium/client.py, the client without an event loop, from async_client.py. With --check: fail when stale.

Only words change (`REPLACED`), as unasync does it; ruff then lays the file out.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

FOLDER = Path(__file__).parent / "src" / "trivium"
SOURCE, TARGET = FOLDER / "async_client.py", FOLDER / "client.py"
RUFF = Path(sys.executable).with_name("ruff")

REPLACED = {
    r"import asyncio\n": "",
    r"`trivium.client` is this file without its event loop, written by `make client`.": (
        "Written by `make client` from async_client.py: change that file."
    ),
    r"AsyncGenerator\[(.+), None\]": r"Generator[\1, None, None]",
    r"\bAsyncGenerator\b": "Generator",
    r"\bAsync(TriviumClient|Client|BaseTransport|Iterator)\b": r"\1",
    r"\basync (def|with|for)\b": r"\1",
    r"\bawait ": "",
    r"\basyncio\.sleep\b": "time.sleep",
    r"\b__a(enter|exit)__\b": r"__\1__",
    r"\ba(close|read|iter_lines|iter_bytes)\(": r"\1(",
    r"\basynccontextmanager\b": "contextmanager",
    r"\baclosing\b": "closing",
}


def written(source: str) -> str:
    """The client without an event loop."""
    for pattern, word in REPLACED.items():
        source = re.sub(pattern, word, source)
    sorted_imports = _ruff(["check", "--fix-only", "--quiet", "--select", "I"], source)
    return _ruff(["format", "--quiet"], sorted_imports)


def _ruff(words: list[str], text: str) -> str:
    told = [RUFF, *words, "--stdin-filename", TARGET, "-"]
    return subprocess.run(told, input=text, capture_output=True, text=True, check=True).stdout


def main() -> None:
    """Write or check."""
    fresh = written(SOURCE.read_text(encoding="utf-8"))
    if "--check" not in sys.argv[1:]:
        TARGET.write_text(fresh, encoding="utf-8")
    elif TARGET.read_text(encoding="utf-8") != fresh:
        sys.exit("libs/trivium/src/trivium/client.py is stale: run make client and commit.")


if __name__ == "__main__":
    main()
