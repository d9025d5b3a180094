from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from tiny_cross_encoder import write_tiny_cross_encoder
from tiny_whisper import write_tiny_whisper

WORDS = ["the", "a", "river", "bridge", "over", "city", "of", "old", "stone", "people", "walk", "to", "see", "long"]


@pytest.fixture(scope="session")
def tiny_model(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Path]:
    """Builds a small BERT with random weights, saved as a sentence-transformers model of the given pooling.

    One with another activation is like any model that is not built from its weights alone.
    """
    built: dict[tuple[str, str], Path] = {}

    def build(pooling: str, activation: str = "gelu") -> Path:
        key = (pooling, activation)
        if key not in built:
            built[key] = _build(tmp_path_factory.mktemp(f"tiny-{pooling}-{activation}"), *key)
        return built[key]

    return build


@pytest.fixture(scope="session")
def cross_encoder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cross-encoder with random weights."""
    folder = tmp_path_factory.mktemp("cross-encoder")
    write_tiny_cross_encoder(folder)
    return folder


@pytest.fixture(scope="session")
def tiny_whisper(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A Whisper with random weights."""
    folder = tmp_path_factory.mktemp("whisper")
    write_tiny_whisper(folder)
    return folder


def _build(folder: Path, pooling: str, activation: str) -> Path:
    import torch
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors
    from transformers import BertConfig, BertModel

    torch.manual_seed(7)
    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", *WORDS, ".", "?"]
    tokenizer = Tokenizer(models.WordPiece({word: n for n, word in enumerate(words)}, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer()
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    tokenizer.save(str(folder / "tokenizer.json"))
    config = BertConfig(
        vocab_size=len(words),
        hidden_size=32,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=64,
        max_position_embeddings=64,
        hidden_act=activation,
    )
    BertModel(config).save_pretrained(folder)
    modes = {"mean": "mean_tokens", "cls": "cls_token", "max": "max_tokens", "lasttoken": "lasttoken"}
    (folder / "1_Pooling").mkdir()
    flags = {f"pooling_mode_{name}": mode == pooling for mode, name in modes.items()}
    (folder / "1_Pooling" / "config.json").write_text(json.dumps({"word_embedding_dimension": 32, **flags}))
    (folder / "sentence_bert_config.json").write_text(json.dumps({"max_seq_length": 48}))
    prompts = {"prompts": {"query": "see ", "document": "old "}}
    (folder / "config_sentence_transformers.json").write_text(json.dumps(prompts))
    return folder
