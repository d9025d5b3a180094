"""torch is an extra: what needs it says so, and nothing else does."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from trivium.domain.errors import NeverWill
from trivium_inference import torch_library
from trivium_inference.embed import EmbedOptions, build_embedder
from trivium_inference.rerank import CrossEncoderReranker
from trivium_inference.visual import _FILES, ClipEncoder


def _visual(folder: Path) -> None:
    for name in _FILES:
        (folder / name).touch()
    ClipEncoder(str(folder)).load()


NEEDY: dict[str, Callable[[Path], object]] = {
    "The embedding model all-MiniLM-L6-v2": lambda folder: build_embedder(EmbedOptions(folder, backend="torch")),
    "The reranking model 'any'": lambda _: CrossEncoderReranker("any").load(),
    "The visual model": _visual,
}


@pytest.mark.parametrize("name", NEEDY)
def test_what_needs_torch_says_so_and_how_to_get_it(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch_library, "find_spec", lambda _: None)
    with pytest.raises(NeverWill, match="needs torch, which is not installed") as told:
        NEEDY[name](tmp_path)
    assert told.value.message.startswith(name)
    assert (told.value.code, told.value.action) == ("not_installed", torch_library.INSTALL_TORCH)


@pytest.mark.parametrize(
    ("installed", "loaded", "warns"), [(True, False, True), (True, True, False), (False, False, False)]
)
def test_cuda_without_a_driver_is_told(
    installed: bool,
    loaded: bool,
    warns: bool,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    driver = tmp_path / "version"
    if loaded:
        driver.touch()
    monkeypatch.setattr(torch_library, "_DRIVER", driver)
    monkeypatch.setattr(torch_library, "find_spec", lambda _: object() if installed else None)
    torch_library.warn_without_gpu()
    assert ("models run on processors" in caplog.text) is warns
