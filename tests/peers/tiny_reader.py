"""An embedder without torch and a reader made of it, both of weights that a person can follow.

The layers pass on what they are given. The reader's marks raise the words of a passage that stand in the question and
lower the others, its head scores just that: so it points at the question's own words.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray
from safetensors.numpy import save, save_file
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

from trivium_inference.model_files import ModelFiles, locate_model
from trivium_inference.reader_weights import FACTS, WEIGHTS, ReaderFacts, differences

WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "the", "a", "river", "bridge", "over", "old", "stone", "people"]
WORDS += ["walk", "see", "long", "##side"]
SIZE = 16
LAYERS = 2
FIRST_LAYER = 1
RAISED = 40.0


def write_tiny_reader(folder: Path) -> ModelFiles:
    """Both into `folder`; returns the embedder's files."""
    folder.mkdir(parents=True, exist_ok=True)
    base = _embedder(folder)
    files = locate_model(str(folder))
    content = save(differences(base, _trained(base)))
    (folder / WEIGHTS).write_bytes(content)
    facts = ReaderFacts(files.digest, hashlib.sha256(content).hexdigest(), FIRST_LAYER, 1.0, 0.0, {"made": 1})
    (folder / FACTS).write_bytes(msgspec.json.encode(facts))
    return files


def _embedder(folder: Path) -> dict[str, NDArray[Any]]:
    config = {
        "model_type": "bert",
        "num_hidden_layers": LAYERS,
        "num_attention_heads": 2,
        "hidden_size": SIZE,
        "max_position_embeddings": 256,
    }
    (folder / "config.json").write_text(json.dumps(config))
    _tokenizer().save(str(folder / "tokenizer.json"))
    weights = _weights()
    save_file(weights, folder / "model.safetensors")
    return weights


def _tokenizer() -> Tokenizer:
    tokenizer = Tokenizer(models.WordPiece({word: n for n, word in enumerate(WORDS)}, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer()
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    return tokenizer


def _weights() -> dict[str, NDArray[Any]]:
    words = np.random.default_rng(20260101).normal(size=(len(WORDS), SIZE)).astype(np.float32)
    words[:, 0] = 0  # what the marks raise
    rows = {"position_embeddings": 256, "token_type_embeddings": 2}
    found = {f"embeddings.{name}.weight": np.zeros((count, SIZE), np.float32) for name, count in rows.items()}
    found["embeddings.word_embeddings.weight"] = words
    found |= _norm("embeddings")
    for layer in range(LAYERS):
        name = f"encoder.layer.{layer}"
        for part in ("query", "key", "value"):
            found |= _linear(f"{name}.attention.self.{part}")
        for part in ("attention.output", "intermediate", "output"):
            found |= _linear(f"{name}.{part}.dense")
        found |= _norm(f"{name}.attention.output") | _norm(f"{name}.output")
    return found


def _linear(name: str) -> dict[str, NDArray[Any]]:
    return {f"{name}.weight": np.zeros((SIZE, SIZE), np.float32), f"{name}.bias": np.zeros(SIZE, np.float32)}


def _norm(name: str) -> dict[str, NDArray[Any]]:
    return {f"{name}.LayerNorm.weight": np.ones(SIZE, np.float32), f"{name}.LayerNorm.bias": np.zeros(SIZE, np.float32)}


def _trained(base: dict[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
    last = {name: value for name, value in base.items() if name.startswith(f"encoder.layer.{FIRST_LAYER}.")}
    marks = np.zeros((3, SIZE), np.float32)
    marks[:, 0] = (0, -RAISED, RAISED)
    head = np.zeros((2, SIZE), np.float32)
    head[:, 0] = 1
    return {**last, "marks.weight": marks, "head.weight": head, "head.bias": np.zeros(2, np.float32)}
