"""The shell blocks of README.md and docs/, and a reader who types them."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from waiting import wait_until

ROOT = Path(__file__).parents[2]
CURL = "curl() { command curl --silent --show-error --fail-with-body --noproxy '*' \"$@\"; }"


def block(page: str, heading: str, begins: str) -> list[str]:
    """The lines of the code block of a page, below a heading, whose first line begins so, without their comments.

    `page` is a path from the root; heading "" is what comes before the first.
    """
    text = (ROOT / page).read_text()
    section = text.partition(f"\n## {heading}\n")[2] if heading else text
    for code in re.findall(r"^```\n(.*?)^```", section.partition("\n## ")[0], re.M | re.S):
        if code.startswith(begins):
            return [re.sub(r"\s{2,}#.*", "", line) for line in code.splitlines()]
    raise AssertionError(f"{page} has no such block: {heading}, {begins}")


class Reader:
    """Who types what is shown, in `folder`; `env` is what the shell begins with."""

    def __init__(self, folder: Path, env: dict[str, str]) -> None:
        self.folder, self.env = folder, env
        self._typed = [". .venv/bin/activate", CURL]
        (folder / ".venv").symlink_to(Path(sys.executable).parents[1])

    def run(self, line: str) -> str:
        """What it printed, with a yes where one is asked for; an `export` holds for the lines after it."""
        if line.startswith("export "):
            self._typed.append(line)
            return line
        done = subprocess.run(
            self._shell(line),
            cwd=self.folder,
            env=self.env,
            input="y\n",
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
        )
        assert done.returncode == 0, f"$ {line}\n{done.stdout}{done.stderr}"
        return done.stdout or done.stderr

    @contextmanager
    def serving(self, line: str) -> Iterator[None]:
        """A server that is started so, in another shell, until the block ends."""
        log = self.folder / "served"
        with log.open("wb") as output:
            process = subprocess.Popen(
                self._shell(f"exec env {line}"),
                cwd=self.folder,
                env=self.env,
                stdout=output,
                stderr=output,
            )
        try:

            def up() -> bool:
                assert process.poll() is None, f"$ {line}\n{log.read_text()}"
                return "gRPC" in log.read_text()

            wait_until(up, f"{line} is up", told=log.read_text)
            yield
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait(60)

    def _shell(self, line: str) -> list[str]:
        return ["bash", "-euo", "pipefail", "-c", "\n".join([*self._typed, line])]
