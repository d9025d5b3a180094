from __future__ import annotations

import io
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import psutil
import pytest
from numpy.typing import NDArray
from PIL import Image
from tiny_clip import write_tiny_clip

from trivium.config import Settings
from trivium.domain.errors import NeverWill
from trivium_inference import image_child
from trivium_inference.local import local_models
from trivium_inference.visual import ClipEncoder
from trivium_inference.visual_images import Frame, prepared
from trivium_inference.visual_process import PictureProcess

WAIT_S = 20.0
FRAME = Frame(32, 32, crop=True, mean=(0.0, 0.0, 0.0), std=(1.0, 1.0, 1.0))


def picture(colour: str, size: tuple[int, int] = (40, 30), kind: str = "PNG") -> bytes:
    file = io.BytesIO()
    Image.new("RGB", size, colour).save(file, kind)
    return file.getvalue()


@pytest.fixture(scope="module")
def clip(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("clip")
    write_tiny_clip(folder)
    return folder


def test_a_picture_is_cut_to_the_models_frame() -> None:
    wide = Image.new("RGB", (96, 32), "red")
    wide.paste("blue", (32, 0, 64, 32))
    file = io.BytesIO()
    wide.save(file, "PNG")
    assert prepared(file.getvalue(), FRAME)[:, 8:24, 8:24].mean(axis=(1, 2)).tolist() == [0, 0, 1]
    squeezed = prepared(file.getvalue(), Frame(32, 32, crop=False, mean=(0.0,) * 3, std=(1.0,) * 3))
    assert squeezed[:, 8:24, 2].mean(axis=1).round(2).tolist() == [1, 0, 0]


def test_a_picture_of_too_many_pixels_is_refused_before_it_is_decoded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(image_child, "MAX_PIXELS", 1000)
    with pytest.raises(ValueError, match="100 x 100"):
        prepared(picture("red", (100, 100)), FRAME)


def test_a_picture_of_as_many_pixels_as_are_allowed_is_read_within_the_memory() -> None:
    large = io.BytesIO()
    Image.new("RGBA", (7_700, 7_700), "#ff000080").save(large, "PNG", compress_level=1)
    with closing(PictureProcess(FRAME)) as pictures:
        assert pictures.read(large.getvalue())[:, 16, 16] == pytest.approx([1, 0.5, 0.5], abs=0.01)


def test_two_pictures_at_a_time_are_read_by_two_processes() -> None:
    before = set(psutil.Process().children())
    with closing(PictureProcess(FRAME, 2)) as pictures, ThreadPoolExecutor(2) as threads:
        red, blue = threads.map(pictures.read, [picture("red", (64, 64)), picture("blue", (64, 64))])
        assert len(set(psutil.Process().children()) - before) == 2
    assert [red[:, 16, 16].tolist(), blue[:, 16, 16].tolist()] == [[1, 0, 0], [0, 0, 1]]


def test_what_is_drawn_on_nothing_is_seen_on_white() -> None:
    drawn = Image.new("RGBA", (40, 40))
    drawn.paste("black", (10, 10, 30, 30))
    file = io.BytesIO()
    drawn.save(file, "PNG")
    assert prepared(file.getvalue(), FRAME)[0, 0, 0] == 1
    assert prepared(file.getvalue(), FRAME)[0, 16, 16] == 0


@pytest.mark.models
def test_a_model_is_run_here_when_the_settings_name_one(clip: Path) -> None:
    assert local_models(Settings()).visual is None
    with closing(local_models(Settings(visual_model=str(clip)))) as models:
        made = models.visual
        assert made is not None
        assert made.embed_images([picture("red")]).shape == (1, made.dimension)


@pytest.mark.models
@pytest.mark.parametrize("missing", ["", "config.json", "preprocessor_config.json", "tokenizer.json"])
def test_a_model_that_is_not_there_is_told_and_none_is_fetched(
    clip: Path, tmp_path: Path, missing: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("socket.socket.connect", lambda *_: pytest.fail("something is fetched"))
    for file in clip.iterdir():
        if missing and file.name != missing:
            (tmp_path / file.name).symlink_to(file)
    for name in [str(tmp_path)] if missing else ["no/such-model", "not a name", str(tmp_path / "none")]:
        with pytest.raises(NeverWill) as failure:
            ClipEncoder(name).load()
        assert failure.value.code == "no_visual_model"
        assert missing in failure.value.message
        assert "TRIVIUM_VISUAL_MODEL" in failure.value.action


@pytest.mark.models
def test_the_fingerprint_names_the_weights(clip: Path, tmp_path: Path) -> None:
    for file in clip.iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes())
    config = tmp_path / "preprocessor_config.json"
    config.write_text(config.read_text() + "\n")
    assert ClipEncoder(str(tmp_path)).fingerprint != ClipEncoder(str(clip)).fingerprint


@pytest.mark.models
def test_many_pictures_are_embedded_as_each_alone(clip: Path) -> None:
    colours = ["red", "blue", "green", "white"] * 5
    with closing(ClipEncoder(str(clip))) as encoder:
        together = encoder.embed_images([picture(colour) for colour in colours])
        alone = encoder.embed_images([picture("blue")])
    assert np.allclose(together[1::4], alone, atol=1e-5)


@pytest.mark.models
def test_words_do_not_wait_for_pictures(clip: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with closing(ClipEncoder(str(clip))) as encoder:
        words = encoder.embed_texts(["a river"])
        seen, go = threading.Event(), threading.Event()
        run = encoder._loaded.run

        def held(features: Any, rows: NDArray[Any]) -> NDArray[np.float32]:
            if rows.dtype == np.float32:
                seen.set()
                assert go.wait(WAIT_S)
            return run(features, rows)

        monkeypatch.setattr(encoder._loaded, "run", held)
        with ThreadPoolExecutor(2) as threads:
            picture_vectors = threads.submit(encoder.encode_images, [np.zeros((3, 32, 32), np.float32)])
            assert seen.wait(WAIT_S)
            assert np.allclose(threads.submit(encoder.embed_texts, ["a river"]).result(WAIT_S), words, atol=1e-5)
            assert not picture_vectors.done()
            go.set()
            assert picture_vectors.result(WAIT_S).shape == (1, encoder.dimension)
