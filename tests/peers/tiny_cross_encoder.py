"""A cross-encoder of one random layer that knows five words: its scores are noise, and always the same."""

from __future__ import annotations

import json
from pathlib import Path

WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "river", "bridge", "bread", "the", "old"]


def write_tiny_cross_encoder(folder: Path) -> None:
    """Model and tokenizer into `folder`."""
    import torch
    from transformers import BertConfig, BertForSequenceClassification

    torch.manual_seed(7)
    (folder / "vocab.txt").write_text("\n".join(WORDS))
    (folder / "tokenizer_config.json").write_text(json.dumps({"tokenizer_class": "BertTokenizer"}))
    config = BertConfig(
        vocab_size=len(WORDS),
        hidden_size=16,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=32,
    )
    config.num_labels = 1
    BertForSequenceClassification(config).save_pretrained(folder)
