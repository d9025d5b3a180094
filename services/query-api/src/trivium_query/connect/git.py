"""A branch of a git repository: the files of its newest commit. No history, no submodules, no links, nothing hidden.

As long as the branch is where it was, one request is all. Else its newest commit comes as one snapshot, into a folder
that is removed afterwards, and the files that differ from the stored ones are taken from it.
"""

from __future__ import annotations

import logging
import os
import stat
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path, PurePosixPath
from typing import Any

import httpx2
from dulwich.client import SSHGitClient, TraditionalGitClient, Urllib3HttpGitClient
from dulwich.errors import ChecksumMismatch, FileFormatException, GitProtocolError, NotGitRepository, ObjectMissing
from dulwich.objects import Blob, Commit, Tag, Tree
from dulwich.repo import Repo

from trivium.connections.secrets import SshKey
from trivium.domain.errors import NeverWill, Refused, TryLater
from trivium.full_disk import full_disk
from trivium.ports.connector import Change, Changed, Item
from trivium_query.connect.git_pack import check_pack, sends_too_much
from trivium_query.connect.git_ssh import GuardedSsh, SshPlace, ssh_place, ssh_to
from trivium_query.connect.place import Place
from trivium_query.connect.seen import MAX_FILES, Seen
from trivium_query.connect.web import refused_login, web_location
from trivium_query.egress.pool import GuardedPool, translated

MAX_PACK_BYTES = 1024 * 1024 * 1024
MAX_REFS_BYTES = 64 * 1024 * 1024
MAX_DEPTH = 100
MAX_ENTRIES = 1_000_000
"""Files and folders of a repository of this machine."""
_HEADS, _TAGS, _HEAD = b"refs/heads/", b"refs/tags/", b"HEAD"
_POINTER = b"version https://git-lfs.github.com/spec/v"
_USER = "git"
"""Whom hosts expect who take a token for a password and look at no name."""

logging.getLogger("dulwich").setLevel(logging.ERROR)


class GitConnector:
    """See `trivium.ports.connector.Connector`. A file's token is its blob's id, the mark is the commit's."""

    def __init__(self, place: Place, cursor: str) -> None:
        location, _, self._branch = place.connection.location.partition("#")
        self._place = place
        self._open: Callable[[Path], tuple[Repo, bytes]]
        if location.startswith("/"):
            folder = place.folders.check(location)
            self._where, self._open = str(folder), partial(self._local, folder)
        elif place.way.key is not None:
            at = ssh_place(location)
            self._where, self._open = at.host, partial(self._over_ssh, at, place.way.key)
        else:
            url = web_location(location, place.way)
            self._where, self._open = url.host, partial(self._over_http, url)
        self._seen = Seen(cursor)
        self.stored, self.cursor = self._seen.stored, self._seen.cursor

    def changes(self) -> Iterator[Change]:
        """In the order of the tree."""
        with tempfile.TemporaryDirectory(prefix="trivium-git-") as folder:
            with self._translated():
                repository, commit = self._open(Path(folder))
            with repository:
                if commit.decode() == self._seen.mark:
                    return
                walk = self._walk(repository, commit)
                while (change := self._next(walk)) is not None:
                    yield change
                yield from self._seen.rest()
                self._seen.whole(commit.decode())

    def _next(self, walk: Iterator[Changed]) -> Changed | None:
        with self._translated():
            return next(walk, None)

    def _walk(self, repository: Repo, commit: bytes) -> Iterator[Changed]:
        waiting = [(PurePosixPath(), _tree_of(repository, commit), 0)]
        trees = 0
        while waiting:
            folder, tree_id, depth = waiting.pop()
            self._place.way.pause(0.0)
            trees += 1
            if trees > MAX_FILES or depth > MAX_DEPTH:
                raise Refused("too_many_files", f"There are more than {MAX_FILES:,} folders.", "Connect a smaller one.")
            tree = repository.object_store[tree_id]  # type: ignore[index]  # bytes, which it names otherwise
            if not isinstance(tree, Tree):
                raise NeverWill("damaged_repository", "The repository is damaged.", "Look again later.")
            for entry in tree.iteritems():
                name, mode, blob = os.fsdecode(entry.path or b""), entry.mode or 0, entry.sha or b""
                if name.startswith("."):
                    continue
                if stat.S_ISDIR(mode):
                    waiting.append((folder / name, blob, depth + 1))
                elif stat.S_ISREG(mode):
                    fetch = partial(self._content, repository, blob)
                    yield from self._seen.look_at(folder / name, blob.decode(), fetch)

    def _content(self, repository: Repo, blob: bytes) -> Item:
        with self._translated():
            try:
                found = repository.object_store[blob]  # type: ignore[index]
            except KeyError as error:
                raise NeverWill(
                    "too_large",
                    f"The server left it out: it has more than {self._place.max_bytes:,} bytes.",
                    "Split the file, or raise TRIVIUM_MAX_UPLOAD_BYTES.",
                ) from error
        if not isinstance(found, Blob):
            raise NeverWill("damaged_repository", "The repository is damaged.", "Look again later.")
        self._place.check_size(found.raw_length())
        if found.data.startswith(_POINTER):
            raise NeverWill(
                "in_lfs",
                "Its bytes are in Git LFS: the repository holds only where.",
                "Connect a folder in which it is checked out, or upload the file.",
            )
        return Item(found.data)

    def _local(self, folder: Path, _unused: Path) -> tuple[Repo, bytes]:
        """A repository of this machine, all of which lies where it may be read."""
        self._place.way.pace()
        repository = Repo(folder)
        for part in {repository.controldir(), repository.commondir()}:
            real = self._place.folders.check(os.path.realpath(part))
            if (real / "objects/info/alternates").exists():
                raise Refused("forbidden_folder", "The repository borrows another's objects.", "Connect that one.")
            self._check_links(real)
        return repository, self._chosen(repository.refs.as_dict())

    def _check_links(self, folder: Path) -> None:
        """Raises `Refused` where something below leads to where nothing may be read: the library follows links."""
        if self._place.folders.any:
            return
        waiting, known, entries = [folder], {folder}, 0
        while waiting:
            self._place.way.pause(0.0)
            with os.scandir(waiting.pop()) as found:
                for entry in found:
                    entries += 1
                    if entries > MAX_ENTRIES:
                        why = f"The repository has more than {MAX_ENTRIES:,} files."
                        raise Refused("too_many_files", why, "Pack it: git gc.")
                    real = self._place.folders.check(entry.path) if entry.is_symlink() else Path(entry.path)
                    if entry.is_dir() and real not in known:
                        known.add(real)
                        waiting.append(real)

    def _over_http(self, url: httpx2.URL, folder: Path) -> tuple[Repo, bytes]:
        secret = self._place.way.secret
        client = _Client(
            f"{url.scheme}://{url.netloc.decode('ascii')}/",
            pool_manager=GuardedPool(self._place.way.fetcher, self._place.way.pace, self._place.way.pause),
            username=(secret.user or _USER) if secret else None,
            password=secret.password if secret else None,
            quiet=True,
        )
        client.with_login = secret is not None
        return self._fetched(client, client, url.path.lstrip("/"), folder)

    def _over_ssh(self, at: SshPlace, key: SshKey, folder: Path) -> tuple[Repo, bytes]:
        self._place.way.pace()
        with ssh_to(self._place.way.fetcher, key) as ssh:
            client = SSHGitClient(at.host, at.port, at.user, vendor=ssh, quiet=True)
            return self._fetched(client, ssh, at.path, folder)

    def _fetched(
        self, client: TraditionalGitClient | _Client, answer: _Client | GuardedSsh, path: str, folder: Path
    ) -> tuple[Repo, bytes]:
        """The newest commit by `client`, of whose `answer` so much is read."""
        repository = Repo.init_bare(folder)
        answer.max_bytes = MAX_REFS_BYTES
        chosen: list[bytes] = []

        def wanted(refs: Mapping[Any, Any], **_: Any) -> list[Any]:
            answer.max_bytes = MAX_PACK_BYTES
            chosen.append(self._chosen(refs))
            return [] if chosen[0].decode() == self._seen.mark else chosen

        pack, commit, abort = repository.object_store.add_pack()

        def take(piece: bytes) -> int:
            self._place.way.pause(0.0)
            return pack.write(piece)

        try:
            told = client.fetch_pack(
                path,
                wanted,  # type: ignore[arg-type]  # takes whatever else it is given
                repository.get_graph_walker(),
                take,
                depth=1,
                filter_spec=f"blob:limit={self._place.max_bytes + 1}".encode(),
            )
            if told.object_format not in (None, "sha1"):
                raise NeverWill("unsupported_repository", "The repository names objects by SHA-256.", "Convert it.")
            check_pack(pack, self._place.max_bytes)
        except BaseException:
            abort()
            raise
        commit()
        return repository, chosen[0]

    def _chosen(self, refs: Mapping[Any, bytes]) -> bytes:
        """The commit or tag of the branch."""
        name = self._branch.encode()
        candidates = (_HEADS + name, _TAGS + name, name) if name else (_HEAD,)
        for each in candidates:
            if value := refs.get(each):
                return value
        named = f"branch {self._branch[:80]!r}" if name else "newest commit"
        raise NeverWill("no_such_branch", f"The repository has no {named}.", "Name one: LOCATION#branch.")

    @contextmanager
    def _translated(self) -> Iterator[None]:
        try:
            with translated(self._where):
                yield
        except NotGitRepository as error:
            why = f"There is no git repository at {self._where}."
            raise NeverWill("no_repository", why, "Check the location.") from error
        except GitProtocolError as error:
            why = f"{self._where} does not answer as a git server does ({type(error).__name__})."
            raise NeverWill("no_repository", why, "Check the location.") from error
        except (ChecksumMismatch, FileFormatException, ObjectMissing, ValueError, KeyError) as error:
            why = f"The repository at {self._where} is damaged ({type(error).__name__})."
            raise NeverWill("damaged_repository", why, "Look again later.") from error
        except OSError as error:
            if (full := full_disk(error)) is not None:
                raise full from error
            why = f"The repository at {self._where} cannot be read: {error.strerror or error}."
            raise TryLater("unreadable", why, "Look again later.") from error


class _Client(Urllib3HttpGitClient):
    """Speaks with a smart server only, and reads so many bytes of an answer: a "dumb" one's files have no bound."""

    with_login = False
    max_bytes = MAX_REFS_BYTES

    def _http_request(
        self, url: str, headers: dict[str, str] | None = None, data: Any = None, raise_for_status: bool = True
    ) -> tuple[Any, Callable[[int], bytes]]:
        if data is None and "/info/refs?service=" not in url:
            raise GitProtocolError("another file was to be read")
        response, read = super()._http_request(url, headers, data, raise_for_status=False)
        if response.status in (401, 403):
            raise refused_login(httpx2.URL(url).host, with_login=self.with_login)
        if response.status == 404:
            raise NotGitRepository
        if response.status != 200 or not str(response.headers.get("Content-Type")).startswith("application/x-git-"):
            raise GitProtocolError(f"it answered {response.status}")
        received = 0

        def bounded(size: int) -> bytes:
            nonlocal received
            piece = read(size)
            received += len(piece)
            if received > self.max_bytes:
                raise sends_too_much(self.max_bytes)
            return piece

        return response, bounded


def _tree_of(repository: Repo, commit: bytes) -> bytes:
    """The tree of a commit, or of what a tag names."""
    found = repository.object_store[commit]  # type: ignore[index]
    for _ in range(MAX_DEPTH):
        if isinstance(found, Commit):
            tree: bytes = found.tree
            return tree
        if not isinstance(found, Tag):
            break
        found = repository.object_store[found.object[1]]
    raise NeverWill("damaged_repository", "The branch leads to no commit.", "Name another: LOCATION#branch.")
