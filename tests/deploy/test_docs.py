"""The pages that `make docs` makes a site of."""

from __future__ import annotations

import importlib.util
import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec
import pytest

from trivium.config import Settings

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def reached() -> Callable[[Path], list[Path]]:
    spec = importlib.util.spec_from_file_location("build_site", ROOT / "docs/site/build.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    found: Callable[[Path], list[Path]] = module.reached
    return found


def test_every_page_is_reached_from_the_readme_and_stands_in_the_menu(reached: Callable[[Path], list[Path]]) -> None:
    pages = {path for path in reached(ROOT) if path.suffix == ".md"}
    assert {*(ROOT / "docs").glob("*.md"), *ROOT.glob("*.md")} <= pages
    menu = (ROOT / "docs/site/mkdocs.yml").read_text()
    assert [path for path in pages if f": {path.relative_to(ROOT)}\n" not in menu] == []


@pytest.mark.parametrize("link", ["docs/gone.md", "../elsewhere.md", "docs/gone.md#part"])
def test_a_link_that_leads_nowhere_or_out_is_refused(
    reached: Callable[[Path], list[Path]], tmp_path: Path, link: str
) -> None:
    (tmp_path / "elsewhere.md").write_text("# Elsewhere\n")
    root = tmp_path / "repository"
    root.mkdir()
    (root / "README.md").write_text(f"`[code](code.md)`\n\n[it]({link})\n")
    with pytest.raises(FileNotFoundError, match=r"README\.md links to"):
        reached(root)


def test_every_setting_stands_on_its_page_with_what_it_means() -> None:
    page = (ROOT / "docs/settings.md").read_text()
    rows = re.findall(r"^\| `TRIVIUM_(\w+)` \| .*? \| (.*) \|$", page, re.M)
    assert [name.lower() for name, _ in rows] == [field.name for field in msgspec.structs.fields(Settings)]
    assert [name for name, meaning in rows if not meaning] == []


def threats() -> list[tuple[str, str]]:
    """Each row of the threat table: the threat, and where its tests are."""
    section = (ROOT / "docs/security.md").read_text().partition("\n## Threats\n")[2].partition("\n## ")[0]
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in section.split("\n") if line[:1] == "|"]
    assert all(len(row) == 3 for row in rows), "a row has three cells"
    return [(threat, tests) for threat, _, tests in rows[2:]]


@pytest.mark.parametrize("tests", [pytest.param(tests, id=threat) for threat, tests in threats()])
def test_a_threat_names_tests_that_are_there(tests: str) -> None:
    files: list[Path] = []
    for named in re.findall(r"`([^`]+)`", tests):
        place, _, test = named.partition("::") if "::" in named or not _only_a_test(named) else ("", "", named)
        files = list(_files(place)) if place else files
        assert files, f"{named}: there is no such file"
        assert not test or any(_has(path, test) for path in files), f"{named}: there is no such test"
    assert files, "no test is named"


def test_a_test_that_is_gone_would_be_seen() -> None:
    (this,) = _files("test_docs.py")
    assert _has(this, test_a_test_that_is_gone_would_be_seen.__name__)
    assert _has(this, "test_a_test_that_…_be_seen")
    assert not _has(this, "test_a_test_that")
    assert list(_files("test_nowhere.py")) == []


def _only_a_test(named: str) -> bool:
    """Of the file before: `…_more` or `test_more`."""
    return "/" not in named and not named.endswith(".py")


def _files(place: str) -> Iterator[Path]:
    """A path in the repository (a folder: its tests), or a file's name wherever it is."""
    if "/" in place:
        path = ROOT / place
        yield from path.glob("test_*.py") if path.is_dir() else filter(Path.is_file, [path])
        return
    for folder in ("libs", "services", "tests"):
        yield from (ROOT / folder).rglob(place)


def _has(path: Path, test: str) -> bool:
    """`…` stands for any words."""
    name = ".*".join(map(re.escape, test.split("…")))
    return bool(re.search(rf"^\s*(?:async )?def {name}\(", path.read_text(), re.M))


def test_a_file_that_a_command_sends_is_there() -> None:
    sent = [
        (page.name, path)
        for page in [ROOT / "README.md", *(ROOT / "docs").glob("*.md")]
        for path in re.findall(r"\bfile=@(examples/\S+)", page.read_text())
    ]
    assert "kubernetes.md" in dict(sent)
    assert [one for one in sent if not (ROOT / one[1]).is_file()] == []


def test_the_configurations_of_mcp_clients_can_be_read() -> None:
    page = (ROOT / "docs/doors.md").read_text()
    shown = [json.loads(block) for block in re.findall(r"^```json\n(.*?)^```", page, re.M | re.S)]
    servers = [block["mcpServers"]["trivium"] for block in shown]
    assert [sorted(server) for server in servers] == [["args", "command", "env"], ["headers", "url"]]
    (env,) = [server["env"] for server in servers if "env" in server]
    assert set(env) == {"TRIVIUM_URL", "TRIVIUM_API_KEY"}
