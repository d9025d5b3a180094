"""Files of the 1990s through LibreOffice, where it is installed: one program run, in a folder and a profile of its own.

It runs as a child of the parsing child and inherits its limits and its lack of a network.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import resource
import shutil
import signal
import subprocess
import tempfile
from pathlib import Path

from trivium.full_disk import check_room
from trivium.ports.parser import ParseLimits
from trivium_ingest.parse.failures import corrupt, too_large

COMMANDS = ("soffice", "libreoffice")
CONVERT_S = 90.0  # starting takes some seconds; less than what the sandbox gives a file
_PR_SET_PDEATHSIG = 1
_ROOM_BYTES = 64_000_000  # for its profile, and what it unpacks and writes of a document
_PROFILE = """<?xml version="1.0" encoding="UTF-8"?>
<oor:items xmlns:oor="http://openoffice.org/2001/registry">
{}</oor:items>
"""
_SETTING = (
    '<item oor:path="/org.openoffice.Office.{}"><prop oor:name="{}" oor:op="fuse"><value>{}</value></prop></item>\n'
)
# No macro runs, no link is followed, nothing embedded is started.
_SETTINGS = (
    ("Common/Security/Scripting", "MacroSecurityLevel", "3"),
    ("Common/Security/Scripting", "DisableMacrosExecution", "true"),
    ("Common/Security/Scripting", "DisableActiveContent", "true"),
    ("Common/Security/Scripting", "BlockUntrustedRefererLinks", "true"),
    ("Writer/Content/Update", "Link", "0"),
)


def program() -> str | None:
    """Where LibreOffice is, or None."""
    return next(filter(None, map(shutil.which, COMMANDS)), None)


def convert(content: bytes, kind: str, target: str, limits: ParseLimits, what: str) -> bytes:
    """`content`, a file of `kind`, as `target` (both extensions without a dot). Needs `program()`.

    Raises `NeverWill`: `corrupt_file` when nothing comes of it, also when it takes too long; `limit_exceeded`.
    Raises `TryLater` (`disk_full`) where nothing comes of it for want of room.
    """
    with tempfile.TemporaryDirectory(prefix="trivium-office-") as name:
        folder = Path(name)
        source = folder / f"document.{kind}"
        source.write_bytes(content)
        _write_profile(folder / "profile")
        _run(_command(folder, source, target), folder, limits, what)
        made = folder / "out" / f"document.{target}"
        if not made.is_file():
            check_room(folder, _ROOM_BYTES)
            raise corrupt(what, "LibreOffice makes nothing of it")
        if made.stat().st_size > limits.max_unpacked_bytes:
            raise too_large("max_unpacked_bytes", f"more than {limits.max_unpacked_bytes:,} bytes when converted")
        return made.read_bytes()


def _command(folder: Path, source: Path, target: str) -> list[str]:
    flags = (
        "--headless",
        "--invisible",
        "--norestore",
        "--nolockcheck",
        "--nodefault",
        "--nologo",
        "--nofirststartwizard",
    )
    profile = f"-env:UserInstallation=file://{folder}/profile"
    return [program() or COMMANDS[0], *flags, profile, "--convert-to", target, "--outdir", f"{folder}/out", f"{source}"]


def _write_profile(folder: Path) -> None:
    (folder / "user").mkdir(parents=True)
    settings = "".join(_SETTING.format(*setting) for setting in _SETTINGS)
    (folder / "user" / "registrymodifications.xcu").write_text(_PROFILE.format(settings))


def _run(command: list[str], folder: Path, limits: ParseLimits, what: str) -> None:
    env = {"HOME": str(folder), "TMPDIR": str(folder), "PATH": os.environ.get("PATH", os.defpath), "LANG": "C.UTF-8"}

    libc = ctypes.CDLL(None)

    def bound() -> None:
        os.setpgid(0, 0)
        libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)  # the parsing child may be killed while it waits
        resource.setrlimit(resource.RLIMIT_CPU, (int(CONVERT_S), int(CONVERT_S)))
        resource.setrlimit(resource.RLIMIT_FSIZE, (limits.max_unpacked_bytes, limits.max_unpacked_bytes))

    with subprocess.Popen(
        command,
        cwd=folder,
        env=env,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        preexec_fn=bound,  # noqa: PLW1509 - the parsing child has one thread
    ) as process:
        try:
            process.wait(CONVERT_S)
        except subprocess.TimeoutExpired as error:
            check_room(folder, _ROOM_BYTES)
            raise corrupt(what, f"LibreOffice does not come to an end within {CONVERT_S:.0f} s") from error
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)  # its own children too
