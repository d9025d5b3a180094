"""One version for every package, and the commit: of a checkout, of a wheel, of a wheel built where there is no git."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tomllib
import zipfile
from importlib.metadata import version
from pathlib import Path

import pytest
from click.testing import CliRunner

from trivium import release
from trivium.cli.main import cli

ROOT = Path(__file__).parents[3]
PACKAGES = sorted([*ROOT.glob("libs/*/pyproject.toml"), *ROOT.glob("services/*/pyproject.toml")])
UNKNOWN = f"trivium {release.VERSION} (commit not known: built without git)\n"
WHO = ("-c", "user.name=x", "-c", "user.email=x@example.org")


@pytest.mark.parametrize("path", PACKAGES, ids=lambda path: str(path.parent.name))
def test_a_package_has_the_one_version(path: Path) -> None:
    described = tomllib.loads(path.read_text())
    assert "version" not in described["project"]
    read_from = path.parent / described["tool"]["hatch"]["version"]["path"]
    assert read_from.resolve() == Path(release.__file__).resolve()
    assert version(described["project"]["name"]) == release.VERSION


def test_version_tells_the_commit_of_the_checkout() -> None:
    told = CliRunner().invoke(cli, ["--version"]).output
    git = ["git", "-C", str(ROOT), "rev-parse", "--short=12", "HEAD"]
    if not (ROOT / ".git").exists():
        assert told == UNKNOWN
        return
    head = subprocess.run(git, check=True, capture_output=True, text=True).stdout.strip()
    assert told.removesuffix("-dirty)\n").removesuffix(")\n") == f"trivium {release.VERSION} (commit {head}"


def test_a_folder_without_git_and_a_git_that_is_missing_have_no_commit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert release.commit_of(tmp_path) == ""
    (tmp_path / ".git").mkdir()
    assert release.commit_of(tmp_path) == ""
    monkeypatch.setenv("PATH", str(tmp_path))
    assert release.commit_of(tmp_path) == ""


def test_a_wheel_tells_what_it_was_built_from(tmp_path: Path) -> None:
    checkout = tmp_path / "checkout"
    shutil.copytree(
        ROOT / "libs/trivium", checkout / "libs/trivium", ignore=shutil.ignore_patterns("tests", "__pycache__")
    )
    assert _said_by(_built(checkout, tmp_path / "without")) == UNKNOWN
    told = _said_by(_built(checkout, tmp_path / "image", TRIVIUM_COMMIT="0123456789ab"))
    assert told == f"trivium {release.VERSION} (commit 0123456789ab)\n"
    for words in (("init", "-q"), ("add", "."), (*WHO, "commit", "-qm", "All.")):
        subprocess.run(["git", *words], cwd=checkout, check=True)
    told = _said_by(_built(checkout, tmp_path / "with"))
    assert told == f"trivium {release.VERSION} (commit {release.commit_of(checkout)})\n"
    (checkout / "libs/trivium/pyproject.toml").write_text("")
    assert release.commit_of(checkout).endswith("-dirty")


def _built(checkout: Path, into: Path, **settings: str) -> Path:
    """The wheel, unpacked as an installer does."""
    build = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(into)]
    subprocess.run(build, cwd=checkout / "libs/trivium", env=os.environ | settings, check=True, capture_output=True)
    (wheel,) = into.glob("*.whl")
    with zipfile.ZipFile(wheel) as packed:
        packed.extractall(into / "site")
    return into / "site"


def _said_by(site: Path) -> str:
    run = "import sys; sys.path.insert(0, sys.argv.pop(1)); from trivium.cli.main import main; main()"
    command = [sys.executable, "-c", run, str(site), "--version"]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout
