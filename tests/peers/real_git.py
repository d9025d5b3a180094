"""A repository that git itself writes and serves: `git http-backend` behind a small web server."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from email.parser import BytesHeaderParser
from pathlib import Path
from urllib.parse import urlsplit

from places_peer import Asked, serving

GIT = shutil.which("git")
ABSENT = "git is not installed (Debian: git)"


class RealGit:
    """A bare repository, and a folder whose files become its commits; `services` are those that were asked for."""

    def __init__(self, folder: Path) -> None:
        self.bare, self.work = folder / "repo.git", folder / "work"
        self.services: list[str] = []
        self.env = {
            "PATH": os.environ["PATH"],
            "HOME": str(folder),
            "GIT_CONFIG_NOSYSTEM": "1",
            **{f"GIT_{who}_NAME": "Mira" for who in ("AUTHOR", "COMMITTER")},
            **{f"GIT_{who}_EMAIL": "mira@example.org" for who in ("AUTHOR", "COMMITTER")},
        }
        self.work.mkdir(parents=True)
        self._run(folder, "init", "--quiet", "--bare", "--initial-branch=main", str(self.bare))
        self.git("init", "--quiet", "--initial-branch=main")
        self.git("remote", "add", "origin", str(self.bare))

    def git(self, *arguments: str) -> None:
        """In the folder of files."""
        self._run(self.work, *arguments)

    def serve_with(self, name: str, value: str) -> None:
        """A setting of the served repository."""
        self._run(self.bare, "config", name, value)

    def pack(self) -> None:
        """As a host does in time: one pack, in which objects are differences."""
        self._run(self.bare, "gc", "--quiet", "--aggressive", "--prune=now")

    def push(self, files: dict[str, str], gone: tuple[str, ...] = (), branch: str = "main") -> None:
        """A commit of what changed, on top of what is checked out."""
        for name, text in files.items():
            path = self.work / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        for name in gone:
            (self.work / name).unlink()
        self.git("add", "--all")
        self.git("commit", "--quiet", "--message=A change")
        self.git("push", "--quiet", "origin", f"HEAD:{branch}")

    @contextmanager
    def serving(self) -> Iterator[str]:
        """Its address."""
        peer = self

        class Handler(Asked):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:  # noqa: N802
                self.answer_by_git(b"")

            def do_POST(self) -> None:  # noqa: N802
                self.answer_by_git(self.body())

            def body(self) -> bytes:
                if self.headers.get("Transfer-Encoding") != "chunked":
                    return self.rfile.read(int(self.headers["Content-Length"]))
                content = b""
                while size := int(self.rfile.readline(), 16):
                    content += self.rfile.read(size)
                    self.rfile.readline()
                self.rfile.readline()
                return content

            def answer_by_git(self, body: bytes) -> None:
                url = urlsplit(self.path)
                peer.services.append(url.path.rpartition("/")[2])
                asked = {
                    "REQUEST_METHOD": self.command,
                    "PATH_INFO": url.path,
                    "QUERY_STRING": url.query,
                    "CONTENT_TYPE": self.headers.get("Content-Type", ""),
                    "CONTENT_LENGTH": str(len(body)),
                    "HTTP_CONTENT_ENCODING": self.headers.get("Content-Encoding", ""),
                    "GIT_PROTOCOL": self.headers.get("Git-Protocol", ""),
                    "GIT_PROJECT_ROOT": str(peer.bare.parent),
                    "GIT_HTTP_EXPORT_ALL": "1",
                }
                done = subprocess.run(
                    [str(GIT), "http-backend"], input=body, env=peer.env | asked, stdout=subprocess.PIPE, check=True
                )
                head, _, content = done.stdout.partition(b"\r\n\r\n")
                told = dict(BytesHeaderParser().parsebytes(head).items())
                status = int(told.pop("Status", "200").partition(" ")[0])
                self.answer(status, content, **told)

        with serving(Handler) as url:
            yield f"{url}/repo.git"

    def _run(self, folder: Path, *arguments: str) -> None:
        subprocess.run([str(GIT), *arguments], cwd=folder, env=self.env, check=True, capture_output=True, timeout=60)
