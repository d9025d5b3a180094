from __future__ import annotations

import io
import pickle
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pypdfium2
import pytest
from PIL import Image, ImageDraw, ImageFont
from reportlab.pdfgen.canvas import Canvas

from trivium.domain.errors import NeverWill
from trivium.domain.parsed import Box
from trivium.ports.inference import OcrLine
from trivium_inference import ocr_models
from trivium_inference.batching import batches_by_length, padded
from trivium_inference.ocr import RapidOcr, rapid_ocr, reading_order
from trivium_inference.ocr_int8 import ranges_of
from trivium_inference.ocr_models import recogniser_path
from trivium_inference.rerank import CrossEncoderReranker


def picture(*lines: str) -> np.ndarray[tuple[int, ...], np.dtype[np.uint8]]:
    image = Image.new("RGB", (640, 60 + 50 * len(lines)), "white")
    draw = ImageDraw.Draw(image)
    for number, line in enumerate(lines):
        draw.text((30, 30 + 50 * number), line, fill="black", font=ImageFont.load_default(28))
    return np.asarray(image)


def test_printed_lines_are_read_in_order_with_their_places() -> None:
    ocr = RapidOcr()
    lines = ocr.read(picture("Invoice number 4711", "Total 99.50 EUR"))
    assert [line.text for line in lines] == ["Invoice number 4711", "Total 99.50 EUR"]
    assert lines[0].box.bottom <= lines[1].box.top
    assert all(line.confidence > 0.8 for line in lines)
    assert ocr.read(np.full((200, 200, 3), 255, np.uint8)) == []
    assert ocr.read(np.zeros((2, 2, 3), np.uint8)) == []


@pytest.mark.parametrize("font", ["Times-Bold", "Helvetica"])
def test_no_digit_of_a_table_is_lost(font: str) -> None:
    amounts = [f"{1_233_933 + 1_111_077 * number % 8_000_000:,}" for number in range(40)]
    drawn = io.BytesIO()
    canvas = Canvas(drawn, pagesize=(400, 300))
    canvas.setFont(font, 11)
    for number, amount in enumerate(amounts):
        canvas.drawRightString(80 + 90 * (number % 4), 280 - 28 * (number // 4), amount)
    canvas.save()
    page = pypdfium2.PdfDocument(drawn.getvalue())[0].render(scale=110 / 72)
    assert [line.text for line in RapidOcr().read(np.ascontiguousarray(page.to_numpy()[:, :, :3]))] == amounts


def test_a_screenshot_of_a_whole_web_page_is_read_to_its_end() -> None:
    image = Image.new("RGB", (500, 20_000), "white")
    wanted = [f"Ticket-{4711 + 37 * number}-is-open" for number in range(25)]
    for number, line in enumerate(wanted):
        ImageDraw.Draw(image).text((30, 100 + 800 * number), line, fill="black", font=ImageFont.load_default(16))
    assert [line.text for line in RapidOcr().read(np.asarray(image))] == wanted


def test_few_lines_of_a_long_image_are_found() -> None:
    image = Image.new("RGB", (600, 30_000), "white")
    for top in (300, 15_000, 29_000):
        ImageDraw.Draw(image).text((60, top), "Ticket-4711", fill="black", font=ImageFont.load_default(30))
    assert [line.text for line in RapidOcr().read(np.asarray(image))] == ["Ticket-4711"] * 3


def test_the_large_letters_of_a_wide_banner_are_read_whole() -> None:
    image = Image.new("RGB", (8000, 800), "white")
    ImageDraw.Draw(image).text((100, 100), "HARBOUR FESTIVAL", fill="black", font=ImageFont.load_default(550))
    assert [line.text for line in RapidOcr().read(np.asarray(image))] == ["HARBOUR FESTIVAL"]


def test_a_recogniser_can_be_sent_to_another_process() -> None:
    assert pickle.loads(pickle.dumps(rapid_ocr))().fingerprint == RapidOcr().fingerprint


def test_boxes_on_one_line_are_read_from_left_to_right() -> None:
    right = OcrLine("right", Box(200, 10, 300, 30), 1.0)
    left = OcrLine("left", Box(10, 12, 100, 32), 1.0)
    below = OcrLine("below", Box(10, 50, 100, 70), 1.0)
    assert [line.text for line in reading_order([below, right, left])] == ["left", "right", "below"]


def test_batches_hold_like_lengths_within_their_budget() -> None:
    lengths = [5, 200, 7, 256, 30, 256, 3000]
    batches = batches_by_length(lengths, max_tokens=600, max_items=4)
    assert sorted(index for batch in batches for index in batch) == list(range(len(lengths)))
    assert batches[0] == [6]
    for batch in batches[1:]:
        assert len(batch) <= 4
        assert max(lengths[index] for index in batch) * len(batch) <= 600


def test_batches_are_split_where_padding_costs_more_than_a_call() -> None:
    lengths = [100, 20, 104, 24]
    assert batches_by_length(lengths, max_tokens=600, max_items=64, call_tokens=32) == [[2, 0], [3, 1]]
    assert batches_by_length(lengths, max_tokens=600, max_items=64, call_tokens=1000) == [[2, 0, 3, 1]]
    assert batches_by_length([], max_tokens=600, max_items=64) == []


def test_an_engine_sees_few_shapes() -> None:
    assert all(length <= padded(length) < length * 1.25 + 8 for length in range(1, 3000))
    assert len({padded(length) for length in range(1, 513)}) <= 24


@pytest.mark.models
async def test_a_cross_encoder_scores_every_passage_alone_as_in_company(cross_encoder: Path) -> None:
    reranker = CrossEncoderReranker(str(cross_encoder))
    together = await reranker.score("river", ["the bridge", "bread", "the old river bridge"])
    assert len(set(together)) == 3
    assert await reranker.score("river", ["bread"]) == pytest.approx(together[1:2], abs=1e-5)
    assert await reranker.score("river", []) == []
    assert reranker.name.startswith("cross-encoder:")


@pytest.mark.models
async def test_a_question_without_end_takes_no_time_without_end(cross_encoder: Path) -> None:
    reranker = CrossEncoderReranker(str(cross_encoder))
    reranker.load()
    began = time.process_time()
    assert len(await reranker.score("river " * 200_000, ["the bridge", "bread"] * 8)) == 16
    assert sum(reranker.count_tokens(reranker.pairs("river " * 200_000, ["bread"] * 16))) > 0
    assert time.process_time() - began < 10


@pytest.mark.models
async def test_a_missing_cross_encoder_says_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(NeverWill) as failure:
        await CrossEncoderReranker(str(tmp_path / "nowhere")).score("q", ["p"])
    assert failure.value.code == "model_missing"
    assert "TRIVIUM_RERANK_MODEL" in failure.value.action


@pytest.mark.parametrize("quarters", [1, 2, 3])
def test_turned_pages_are_read(quarters: int) -> None:
    turned = np.ascontiguousarray(np.rot90(picture("Invoice number 4711"), quarters))
    assert [line.text for line in RapidOcr().read(turned)] == ["Invoice number 4711"]


def _no_openvino() -> None:
    raise ImportError


def _no_bf16(_core: object) -> str:
    return "f32"


@pytest.mark.parametrize(("missing", "instead"), [("load_openvino", _no_openvino), ("native_precision", _no_bf16)])
def test_a_processor_without_bf16_or_openvino_reads_the_same(
    monkeypatch: pytest.MonkeyPatch, missing: str, instead: Callable[..., object]
) -> None:
    monkeypatch.setattr(ocr_models, missing, instead)
    lines = RapidOcr().read(picture("Invoice number 4711", "Total 99.50 EUR"))
    assert [line.text for line in lines] == ["Invoice number 4711", "Total 99.50 EUR"]


def test_the_ranges_were_measured_on_the_recogniser_that_is_installed() -> None:
    assert ranges_of(recogniser_path()) is not None, "Run bench/ocr_ranges.py over a folder of printed PDFs."


def test_another_recogniser_is_not_rounded_by_these_ranges(tmp_path: Path) -> None:
    (tmp_path / "another.onnx").write_bytes(b"another")
    assert ranges_of(tmp_path / "another.onnx") is None
