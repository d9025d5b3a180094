"""Take from an image's libraries what debuggers read: `/opt/trivium/bin/python strip_libraries.py`, with binutils.

What auditwheel has moved within a library is padded by pages of nothing, which go too. Of a few such libraries strip
makes what no longer loads: those stay as they are.
"""

import subprocess
import sys
from pathlib import Path

LOAD = "import ctypes, sys; ctypes.CDLL(sys.argv[1])"


def main() -> None:
    """Every library below `sys.prefix`."""
    for library in sorted(Path(sys.prefix).rglob("*.so*")):
        if library.is_file() and not library.is_symlink():
            strip(library)


def strip(library: Path) -> None:
    """Replace it by what is left, if that is smaller and loads. Raises `CalledProcessError` where strip fails."""
    whole = library.rename(library.with_name(f"{library.name}.whole"))
    subprocess.run(["strip", "--strip-unneeded", "-o", str(library), str(whole)], check=True)
    if library.stat().st_size < whole.stat().st_size and loads(library):
        whole.unlink()
    else:
        whole.replace(library)


def loads(library: Path) -> bool:
    """In a process of its own, which it may end."""
    return subprocess.run([sys.executable, "-c", LOAD, str(library)], capture_output=True, check=False).returncode == 0


if __name__ == "__main__":
    main()
