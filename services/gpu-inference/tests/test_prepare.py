"""What an installation does once."""

from __future__ import annotations

from pathlib import Path

import pytest
from tiny_reader import write_tiny_reader

from trivium.config import Settings
from trivium.domain.errors import NeverWill
from trivium_inference.prepare import prepare


def test_the_model_that_the_settings_name_is_prepared(tmp_path: Path) -> None:
    with pytest.raises(NeverWill, match="no-model"):
        prepare(Settings(cache_dir=tmp_path, embed_model=str(tmp_path / "no-model")))


def test_the_reader_of_the_model_is_prepared_too(tmp_path: Path) -> None:
    files = write_tiny_reader(tmp_path / "model")
    prepare(Settings(cache_dir=tmp_path / "cache", embed_model=str(files.path)))
    assert len(list((tmp_path / "cache").glob("*/model.xml"))) == 2


def test_nothing_is_prepared_where_another_machine_runs_the_models(tmp_path: Path) -> None:
    prepare(Settings(cache_dir=tmp_path, embed_model=str(tmp_path / "no-model"), inference_url="gpu:9191"))
    assert list(tmp_path.iterdir()) == []
