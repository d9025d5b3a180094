"""A git repository that tests write into, and a smart HTTP server over it; both by dulwich, which needs no git."""

from __future__ import annotations

import base64
import threading
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from wsgiref.simple_server import WSGIRequestHandler, make_server

from dulwich.objects import Blob, Commit, Tree
from dulwich.repo import Repo
from dulwich.server import DictBackend
from dulwich.web import make_wsgi_chain

FILE, LINK, SUBMODULE = 0o100644, 0o120000, 0o160000


class GitPeer:
    """Branch `main`; `asked` are the services that were asked for."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.repository = Repo.init_bare(folder, mkdir=True, default_branch=b"main")
        self.asked: list[str] = []
        self.login = ""

    def commit(
        self, files: Mapping[str, str | bytes], branch: str = "main", odd: Iterable[tuple[str, int]] = ()
    ) -> str:
        """A commit of these files and nothing else; `odd` are entries of the root by name and mode. Its id."""
        store = self.repository.object_store
        tree = self._tree({tuple(path.split("/")): content for path, content in files.items()}, odd)
        commit = Commit()
        commit.tree = tree.id
        commit.author = commit.committer = b"Mira <mira@example.org>"
        commit.commit_time = commit.author_time = 1_767_225_600
        commit.commit_timezone = commit.author_timezone = 0
        commit.message = b"A change"
        ref: Any = f"refs/heads/{branch}".encode()
        before = self.repository.refs.as_dict().get(ref)
        commit.parents = [before] if before else []
        store.add_object(commit)
        self.repository.refs[ref] = commit.id
        return commit.id.decode()

    def _tree(self, files: Mapping[tuple[str, ...], str | bytes], odd: Iterable[tuple[str, int]] = ()) -> Tree:
        tree = Tree()
        folders: dict[str, dict[tuple[str, ...], str | bytes]] = {}
        for (first, *rest), content in files.items():
            if rest:
                folders.setdefault(first, {})[tuple(rest)] = content
                continue
            blob = Blob.from_string(content if isinstance(content, bytes) else content.encode())
            self.repository.object_store.add_object(blob)
            tree.add(first.encode(), FILE, blob.id)
        for name, below in folders.items():
            tree.add(name.encode(), 0o040000, self._tree(below).id)
        for name, mode in odd:
            target = Blob.from_string(b"../../secret")
            self.repository.object_store.add_object(target)
            here: Any = self.repository.refs.as_dict().get(b"refs/heads/main", b"1" * 40)  # type: ignore[call-overload]
            tree.add(name.encode(), mode, here if mode == SUBMODULE else target.id)
        self.repository.object_store.add_object(tree)
        return tree

    @contextmanager
    def serving(self) -> Iterator[str]:
        """Its address; to whoever says `login`, where there is one."""
        chain: Any = make_wsgi_chain(DictBackend({"/repo.git": self.repository}))

        def application(environ: dict[str, Any], start: Any) -> Iterable[bytes]:
            self.asked.append(environ["PATH_INFO"].rpartition("/")[2])
            wanted = f"Basic {base64.b64encode(self.login.encode()).decode()}"
            if self.login and environ.get("HTTP_AUTHORIZATION") != wanted:
                start("401 Unauthorized", [("WWW-Authenticate", "Basic")])
                return [b""]
            answer: Iterable[bytes] = chain(environ, start)
            return answer

        class Silent(WSGIRequestHandler):
            def log_message(self, *_: Any) -> None:
                pass

        with make_server("127.0.0.1", 0, application, handler_class=Silent) as server:
            thread = threading.Thread(target=server.serve_forever, daemon=True)
            thread.start()
            yield f"http://127.0.0.1:{server.server_port}/repo.git"
            server.shutdown()
            thread.join()
