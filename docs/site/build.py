"""Make the documentation a site: README.md and whatever it leads to, in the folder named on the command line, or site/.

MkDocs runs in an environment of its own below the user's cache folder. A link that leads nowhere fails.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).resolve().parents[2]
HERE = Path(__file__).parent
HOME = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "trivium" / "docs"
UV = Path(sys.executable).with_name("uv")
_CODE = re.compile(r"^```.*?^```|`[^`\n]*`", re.M | re.S)
_LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
_ELSEWHERE = re.compile(r"[a-z][a-z+.-]*:|#")


def main(into: Path) -> None:
    """Build it in `into`, which is replaced."""
    with TemporaryDirectory() as folder:
        staged = Path(folder)
        shutil.copy(HERE / "mkdocs.yml", staged)
        for target in reached(ROOT):
            _put(target, staged / "pages" / target.relative_to(ROOT))
        command = [_python(), "-m", "mkdocs", "build", "--strict", "--config-file", staged / "mkdocs.yml"]
        environment = os.environ | {"NO_MKDOCS_2_WARNING": "1"}  # of Material's, about another program
        subprocess.run([*command, "--site-dir", into.resolve()], check=True, env=environment)


def reached(root: Path) -> list[Path]:
    """The files and folders that README.md leads to, over however many pages. Raises `FileNotFoundError`."""
    found: set[Path] = set()
    waiting = [root / "README.md"]
    while waiting:
        page = waiting.pop()
        if page in found:
            continue
        found.add(page)
        if page.suffix == ".md":
            waiting += _linked(page, root)
    return sorted(found)


def _linked(page: Path, root: Path) -> Iterator[Path]:
    for link in _LINK.findall(_CODE.sub("", page.read_text(encoding="utf-8"))):
        if _ELSEWHERE.match(link):
            continue
        target = (page.parent / link.partition("#")[0]).resolve()
        if not target.exists() or not target.is_relative_to(root):
            raise FileNotFoundError(f"{page.relative_to(root)} links to {link}, which is not here.")
        yield target


def _put(target: Path, place: Path) -> None:
    """A folder is a page that lists its files."""
    place.parent.mkdir(parents=True, exist_ok=True)
    if target.suffix == ".md":
        place.write_text(_CODE.sub(_with_bars, target.read_text(encoding="utf-8")), encoding="utf-8")
        return
    if target.is_file():
        shutil.copy(target, place)
        return
    shutil.copytree(target, place, dirs_exist_ok=True)
    names = sorted(path.name for path in target.iterdir() if path.is_file())
    lines = [f"# {target.name}", "", *(f"- [{name}]({name})" for name in names)]
    (place / "index.md").write_text("\n".join(lines) + "\n", encoding="utf-8")


def _with_bars(code: re.Match[str]) -> str:
    """GitHub wants a bar escaped within a table's code, where Python-Markdown shows the escape."""
    return code[0] if code[0].startswith("```") else code[0].replace("\\|", "|")


def _python() -> Path:
    """The interpreter with MkDocs, made when it is not there or another release is wanted."""
    wanted = (HERE / "requirements.txt").read_text()
    python, mark = HOME / "bin" / "python", HOME / "requirements"
    if not mark.exists() or mark.read_text() != wanted:
        subprocess.run([UV, "venv", "--quiet", "--clear", "--python", sys.executable, HOME], check=True)
        install = [UV, "pip", "install", "--quiet", "--python", python, "-r", HERE / "requirements.txt"]
        subprocess.run(install, check=True)
        mark.write_text(wanted)
    return python


if __name__ == "__main__":
    try:
        main(Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "site")
    except (FileNotFoundError, subprocess.CalledProcessError) as error:
        sys.exit(str(error))
