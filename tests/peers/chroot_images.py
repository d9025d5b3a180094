"""Images without a container engine: the Dockerfile's own steps, in roots made of overlaid layers.

What `docker build` would do with FROM, COPY, RUN, ARG, ENV, WORKDIR, USER and CMD, an instruction a layer, each kept by
the hash of what it is made of. The base is Debian's own packages (mmdebstrap), left as the image `debian:bookworm-slim`
is. It needs root, for mounts. A step has namespaces of its own, and nothing of this machine that it could write but
caches.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shlex
import shutil
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from fnmatch import fnmatch
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec

BASE = "debian:bookworm-slim"
SUITE = "bookworm"
# As its makers make it: no recommended packages, no manuals, and merged without `usrmerge`, which brings Perl.
STRAP = (
    *("--variant=minbase", "--include=usr-is-merged", "--hook-dir=/usr/share/mmdebstrap/hooks/merged-usr"),
    "--aptopt=APT::Install-Recommends false",
    *(
        f"--dpkgopt=path-exclude=/usr/share/{folder}/*"
        for folder in ("man", "locale", "doc", "info", "groff", "lintian", "linda")
    ),
    "--dpkgopt=path-include=/usr/share/doc/*/copyright",
)
# How this machine reaches its registries: a build is given copies, which it cannot write, and the image keeps none.
REACH = re.compile(r"^(https?_proxy|no_proxy|UV_.*|PIP_.*)$", re.I)
REACH_FILES = ("/etc/resolv.conf", "/etc/hosts")
AUTHORITIES = Path("/etc/ssl/certs/ca-certificates.crt")
_TRUST = ("PIP_CERT", "SSL_CERT_FILE", "REQUESTS_CA_BUNDLE")
_TRUSTED = "/run/build/authorities.crt"
_DEVICES = ("null", "zero", "full", "random", "urandom")


class Image(msgspec.Struct, frozen=True):
    """What is overlaid, lowest first, and how a process begins in it."""

    layers: tuple[Path, ...]
    key: str
    environment: Mapping[str, str] = {}
    folder: str = "/"
    user: str = "0:0"
    command: tuple[str, ...] = ()

    def bytes(self) -> int:
        """Of all layers: what an engine would unpack."""
        return sum(_bytes(layer) for layer in self.layers)


class Builder:
    """The images of one Dockerfile. `context` is what COPY copies from, `store` keeps the layers."""

    def __init__(self, dockerfile: Path, context: Path, store: Path) -> None:
        self._stages = dict(stages(dockerfile.read_text()))
        ignore = dockerfile.with_name(f"{dockerfile.name}.dockerignore")
        self._ignored = [line for line in ignore.read_text().splitlines() if line and not line.startswith("#")]
        self._context = context
        self._store = store
        self._built: dict[str, Image] = {}
        self.used: set[str] = set()
        store.mkdir(parents=True, exist_ok=True)

    def targets(self) -> list[str]:
        """Stages that say which process they start."""
        return [name for name, steps in self._stages.items() if any(word == "CMD" for word, _ in steps)]

    def build(self, name: str) -> Image:
        """The image of a stage, or the base. Raises `CalledProcessError` where a step fails."""
        if name not in self._built:
            self._built[name] = self._base() if name == BASE else self._stage(name)
        return self._built[name]

    def forget_unused(self) -> None:
        """Remove the layers that no build of this builder came across."""
        for folder in self._store.iterdir():
            if folder.name not in self.used and folder.name != "cache":
                shutil.rmtree(folder)

    def _stage(self, name: str) -> Image:
        (_, start), *steps = self._stages[name]
        image = self.build(start.partition(" AS ")[0].strip())
        for word, rest in steps:
            image = self._step(image, word, rest)
        return image

    def _step(self, image: Image, word: str, rest: str) -> Image:
        replace = msgspec.structs.replace
        if word in ("ENV", "ARG"):  # an ARG's default; no stage that starts a process has one
            return replace(image, environment={**image.environment, **_pairs(rest)})
        if word == "USER":
            return replace(image, user=rest)
        if word == "CMD":
            return replace(image, command=tuple(json.loads(rest)))
        if word == "WORKDIR":
            return replace(image, folder=rest)
        if word == "COPY":
            return self._copied(image, rest)
        if word == "RUN":
            return self._ran(image, rest)
        raise ValueError(
            f"{word} is not known here: docker/Dockerfile may use FROM, COPY, RUN, ARG, ENV, WORKDIR, USER, CMD."
        )

    def _copied(self, image: Image, rest: str) -> Image:
        source, target = rest.split()[-2:]
        where = Path("/", image.folder, target).relative_to("/")
        if origin := re.match(r"--from=(\S+)", rest):
            other = self.build(origin[1])

            def copy(upper: Path) -> None:
                (upper / where).parent.mkdir(parents=True, exist_ok=True)
                with overlaid(other.layers) as overlay:
                    from_ = f"{overlay.root}/{source.lstrip('/')}"
                    apart(overlay.mounts(), ["cp", "--archive", "--no-target-directory", from_, str(upper / where)])

            return self._layer(image, f"COPY {other.key} {source} {where}", copy)
        files = [path for path in _files(self._context / source) if not self._is_ignored(path)]
        seen = hashlib.sha256()
        for path in files:
            seen.update(f"{path.relative_to(self._context)}\0{path.stat().st_mode & 0o111}\0".encode())
            seen.update(hashlib.sha256(path.read_bytes()).digest())

        def copy_files(upper: Path) -> None:
            for path in files:
                _copy(path, upper / where / path.relative_to(self._context / source))

        return self._layer(image, f"COPY {seen.hexdigest()} {where}", copy_files)

    def _ran(self, image: Image, rest: str) -> Image:
        caches = re.findall(r"--mount=type=cache,target=(\S+)", rest)
        script = re.sub(r"--mount=\S+\s+", "", rest)

        def run(upper: Path) -> None:
            reach = {name: value for name, value in os.environ.items() if REACH.match(name)}
            if AUTHORITIES.exists():
                reach |= dict.fromkeys(_TRUST, _TRUSTED)
            environment = {**reach, "PATH": "/usr/bin:/bin", **image.environment}
            environment["PATH"] += ":/usr/sbin:/sbin"
            with overlaid(image.layers, upper) as overlay:
                mounts = [*overlay.mounts(), *_reaching(overlay, self._store / "cache", caches)]
                inside = ["chroot", str(overlay.root), "sh", "-c", f"cd {shlex.quote(image.folder)} && {script}"]
                apart(mounts, inside, environment | {"HOME": "/root", "DEBIAN_FRONTEND": "noninteractive"})
            for leftover in ("dev", "proc", "tmp", "run", "root/.cache"):
                shutil.rmtree(upper / leftover, ignore_errors=True)

        return self._layer(image, f"RUN {rest} {sorted(image.environment.items())} {image.folder}", run)

    def _layer(self, image: Image, told: str, make: object) -> Image:
        key = hashlib.sha256(f"{image.key}\n{told}".encode()).hexdigest()[:24]
        folder = self._store / key
        self.used.add(key)
        if not folder.exists():
            unfinished = self._store / f"{key}.unfinished"
            shutil.rmtree(unfinished, ignore_errors=True)
            unfinished.mkdir()
            make(unfinished)  # type: ignore[operator]
            unfinished.rename(folder)
        return msgspec.structs.replace(image, layers=(*image.layers, folder), key=key)

    def _base(self) -> Image:
        def strap(upper: Path) -> None:
            upper.rmdir()
            subprocess.run(["mmdebstrap", "--quiet", *STRAP, SUITE, str(upper)], check=True)
            upper.chmod(0o755)
            for leftover in ("var/lib/apt/lists", "var/cache/apt", "var/log"):
                for path in (upper / leftover).iterdir():
                    shutil.rmtree(path) if path.is_dir() else path.unlink()

        return self._layer(Image((), BASE), " ".join((SUITE, *STRAP)), strap)

    def _is_ignored(self, path: Path) -> bool:
        """As Docker reads its ignore file: the last line that fits a path, or a folder above it, decides."""
        ignored, name = False, str(path.relative_to(self._context))
        above = [name, *map(str, Path(name).parents[:-1])]
        for line in self._ignored:
            pattern = line.removeprefix("!")
            if any(fnmatch(one, pattern) or fnmatch(f"/{one}", pattern.replace("**/", "*/")) for one in above):
                ignored = not line.startswith("!")
        return ignored


def stages(text: str) -> Iterator[tuple[str, list[tuple[str, str]]]]:
    """Each stage's name and its instructions, the first of which is FROM."""
    found: list[tuple[str, list[tuple[str, str]]]] = []
    for line in re.sub(r"\\\n\s*", "", text).splitlines():
        if not line.strip() or line.startswith("#"):
            continue
        word, _, rest = line.partition(" ")
        if word == "FROM":
            found.append((rest.partition(" AS ")[2].strip(), []))
        found[-1][1].append((word, rest.strip()))
    yield from found


class Overlay(msgspec.Struct, frozen=True):
    """Folders to mount layers in; `upper` takes what is written, none: nothing can be."""

    root: Path
    work: Path
    layers: tuple[Path, ...]
    upper: Path | None

    def mounts(self) -> list[str]:
        """The shell's commands."""
        lower = ":".join(map(str, reversed(self.layers))) + (
            "" if self.upper else f":{self.work}"
        )  # two, to be read-only
        options = f"lowerdir={lower}" + (f",upperdir={self.upper},workdir={self.work}" if self.upper else ",ro")
        return [f"mount -t overlay overlay -o {shlex.quote(options)} {shlex.quote(str(self.root))}"]


@contextmanager
def overlaid(layers: Sequence[Path], upper: Path | None = None) -> Iterator[Overlay]:
    """Places for the layers, beside them. What is mounted is so in the namespace of `apart` alone."""
    with TemporaryDirectory(prefix="mounted-", dir=layers[0].parent) as folder:
        root, work = Path(folder, "root"), Path(folder, "work")
        root.mkdir()
        work.mkdir()
        yield Overlay(root, work, tuple(layers), upper)


def apart(mounts: Sequence[str], command: Sequence[str], environment: Mapping[str, str] | None = None) -> None:
    """Run in namespaces of mounts and processes of their own, which end with it. Raises `CalledProcessError`."""
    script = "\n".join(["set -e", *mounts, f"exec {shlex.join(command)}"])
    subprocess.run([*APART, "sh", "-c", script], env=environment and {**environment}, check=True)


APART = (
    *("setpriv", "--pdeathsig", "KILL"),  # it ends with who started it
    *("unshare", "--mount", "--propagation=private", "--pid", "--fork", "--kill-child", "--mount-proc"),
)


def system_mounts(root: Path) -> list[str]:
    """Processes, harmless devices and scratch: none of it this machine's to write."""
    where = shlex.quote(str(root))
    return [
        f"mount -t proc proc {where}/proc",
        *system_devices(root),
        f"mount -t tmpfs -o mode=1777 none {where}/tmp",
        f"mount -t tmpfs -o mode=755 none {where}/run",
    ]


def system_devices(root: Path) -> list[str]:
    """A /dev of its own, with what every program expects."""
    where = shlex.quote(f"{root}/dev")
    each = [f"touch {where}/{name} && mount --bind /dev/{name} {where}/{name}" for name in _DEVICES]
    return [
        f"mount -t tmpfs -o mode=755 none {where}",
        *each,
        f"ln -s /proc/self/fd {where}/fd",
        f"mkdir -m 1777 {where}/shm",
    ]


def _reaching(overlay: Overlay, kept: Path, caches: Sequence[str]) -> Iterator[str]:
    """What a build step sees beside the image: copies, which it cannot write, and caches of the builder's."""
    root, copies = overlay.root, overlay.root.parent / "copies"
    copies.mkdir()
    yield from system_mounts(root)
    yield f"mkdir {root}/run/build"
    for source, target in [*((path, path) for path in REACH_FILES), (str(AUTHORITIES), _TRUSTED)]:
        if Path(source).exists():
            copy = copies / target.replace("/", "-")
            shutil.copyfile(source, copy)
            yield f"[ -e {root}{target} ] || touch {root}{target}"
            yield f"mount --bind {copy} {root}{target} && mount -o remount,bind,ro {root}{target}"
    for cache in caches:
        folder = kept / cache.strip("/").replace("/", "-")
        folder.mkdir(parents=True, exist_ok=True)
        yield f"mkdir -p {root}{cache} && mount --bind {folder} {root}{cache}"


def _pairs(rest: str) -> dict[str, str]:
    return dict(pair.split("=", 1) for pair in shlex.split(rest))


def _files(path: Path) -> list[Path]:
    return sorted(found for found in path.rglob("*") if found.is_file()) if path.is_dir() else [path]


def _copy(source: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    subprocess.run(["cp", "--archive", "--no-target-directory", str(source), str(target)], check=True)


def _bytes(folder: Path) -> int:
    """On the disk's terms but of each file once, as `du` counts."""
    shown = subprocess.run(["du", "--summarize", "--bytes", str(folder)], check=True, capture_output=True, text=True)
    return int(shown.stdout.split()[0])
