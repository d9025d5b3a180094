"""The pages that `make docs` makes a site of."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from pathlib import Path

import pytest

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
