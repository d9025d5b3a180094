"""A machine that refuses system calls, as pods with a narrow profile do: `restricted.py CALL... -- COMMAND...`."""

from __future__ import annotations

import ctypes
import errno
import os
import platform
import struct
import sys
from pathlib import Path

_NUMBERS = {"x86_64": {"seccomp": 317, "unshare": 272}, "aarch64": {"seccomp": 277, "unshare": 97}}
_PR_SET_NO_NEW_PRIVS, _PR_SET_SECCOMP, _SECCOMP_MODE_FILTER = 38, 22, 2
_LOAD, _IF_EQUAL, _RETURN = 0x20, 0x15, 0x06
_EPERM, _ALLOW = 0x00050000 | errno.EPERM, 0x7FFF0000


def restricted_python(folder: Path, *calls: str) -> str:
    """An interpreter whose programs cannot make `calls`."""
    script = folder / "python"
    script.write_text(f'#!/bin/sh\nexec {sys.executable} -I {__file__} {" ".join(calls)} -- {sys.executable} "$@"\n')
    script.chmod(0o755)
    return str(script)


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("instructions", ctypes.c_char_p))


def _refuse(*calls: str) -> None:
    refused = [(_IF_EQUAL, len(calls) - at, 0, _NUMBERS[platform.machine()][call]) for at, call in enumerate(calls)]
    code = [(_LOAD, 0, 0, 0), *refused, (_RETURN, 0, 0, _ALLOW), (_RETURN, 0, 0, _EPERM)]
    program = _Program(len(code), b"".join(struct.pack("=HBBI", *instruction) for instruction in code))
    libc = ctypes.CDLL(None)
    assert libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0
    assert libc.prctl(_PR_SET_SECCOMP, _SECCOMP_MODE_FILTER, ctypes.byref(program), 0, 0) == 0


if __name__ == "__main__":
    end = sys.argv.index("--")
    _refuse(*sys.argv[1:end])
    os.execv(sys.argv[end + 1], sys.argv[end + 1 :])
