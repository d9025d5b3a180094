"""What a `VisualEncoder` (`trivium.ports.inference`) promises: here, and behind the service."""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import closing

import numpy as np
import pytest
from inference_peer import inference_service
from PIL import Image
from sounds import encoded, tone
from tiny_clip import DIMENSION, write_tiny_siglip

from trivium.adapters.distributed.inference.models import RemoteTranscriber, RemoteVisualEncoder
from trivium.adapters.distributed.inference.server import Inference
from trivium.domain.errors import NeverWill
from trivium.ports.inference import VisualEncoder
from trivium_inference.visual import ClipEncoder

from .conftest import TinyModels

pytestmark = pytest.mark.models


def picture(colour: str, kind: str = "PNG") -> bytes:
    file = io.BytesIO()
    Image.new("RGB", (48, 36), colour).save(file, kind)
    return file.getvalue()


@pytest.fixture(scope="module")
def clip(tiny_models: TinyModels) -> Iterator[VisualEncoder]:
    with closing(ClipEncoder(str(tiny_models.visual))) as encoder:
        yield encoder


@pytest.fixture(scope="module")
def siglip(tmp_path_factory: pytest.TempPathFactory) -> Iterator[VisualEncoder]:
    folder = tmp_path_factory.mktemp("siglip")
    write_tiny_siglip(folder)
    with closing(ClipEncoder(str(folder))) as encoder:
        yield encoder


@pytest.fixture(scope="module")
def remote(inference: Inference) -> VisualEncoder:
    return RemoteVisualEncoder(inference)


@pytest.fixture(params=["clip", "siglip", "remote"])
def encoder(request: pytest.FixtureRequest) -> VisualEncoder:
    found: VisualEncoder = request.getfixturevalue(request.param)
    return found


def test_nothing_in_gives_nothing_out(encoder: VisualEncoder) -> None:
    for found in (encoder.embed_images([]), encoder.embed_texts([])):
        assert found.shape == (0, encoder.dimension) == (0, DIMENSION)
        assert found.dtype == np.float32


def test_every_vector_has_length_one_and_stands_in_the_order_asked(encoder: VisualEncoder) -> None:
    images = encoder.embed_images([picture("red"), picture("blue"), picture("red", "WEBP")])
    texts = encoder.embed_texts(["a red river", "the blue chart", "", "a red river"])
    for found in (images, texts):
        assert found.dtype == np.float32
        assert np.linalg.norm(found, axis=1) == pytest.approx(1, abs=1e-4)
    assert float(images[0] @ images[2]) > 0.99 > float(images[0] @ images[1])
    assert float(texts[0] @ texts[3]) > 0.9999 > float(texts[0] @ texts[1])


def test_company_does_not_change_a_texts_vector(encoder: VisualEncoder) -> None:
    alone = encoder.embed_texts(["bridge"])
    assert np.allclose(encoder.embed_texts(["the picture of a river", "bridge"])[1], alone[0], atol=1e-4)


def test_words_past_the_window_are_cut_off(encoder: VisualEncoder) -> None:
    long, longer = encoder.embed_texts(["river " * 50, "river " * 500])
    assert np.allclose(long, longer, atol=1e-4)


@pytest.mark.parametrize("content", [b"", b"no picture", picture("red")[:60]])
def test_what_is_no_picture_is_told(encoder: VisualEncoder, content: bytes) -> None:
    with pytest.raises(NeverWill) as failure:
        encoder.embed_images([picture("red"), content])
    assert failure.value.code == "corrupt_image"


def test_more_pictures_than_one_message_holds(encoder: VisualEncoder) -> None:
    found = encoder.embed_images([picture("red"), picture("blue")] * 40)
    assert found.shape == (80, encoder.dimension)
    assert np.allclose(found[:2], found[-2:], atol=1e-4)


def test_vectors_are_shared_between_both(clip: VisualEncoder, remote: VisualEncoder) -> None:
    assert remote.fingerprint == clip.fingerprint
    assert np.allclose(remote.embed_texts(["a red chart"]), clip.embed_texts(["a red chart"]), atol=1e-4)


def test_a_service_without_the_models_says_so() -> None:
    with inference_service() as service, closing(Inference(service.address)) as inference:
        encoder = RemoteVisualEncoder(inference)
        assert (encoder.fingerprint, encoder.dimension) == ("", 0)
        for ask, setting in (
            (lambda: encoder.embed_texts(["river"]), "TRIVIUM_VISUAL_MODEL"),
            (lambda: RemoteTranscriber(inference).transcribe(encoded(tone(1))), "TRIVIUM_SPEECH_MODEL"),
        ):
            with pytest.raises(NeverWill) as failure:
                ask()
            assert failure.value.code == "not_served"
            assert setting in failure.value.action
