"""A CLIP and a SigLIP of random weights: their vectors mean nothing, but like pictures have like vectors."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

DIMENSION = 24
SIDE = 32
WORDS = ["a", "the", "picture", "of", "river", "bridge", "red", "blue", "chart", "photo"]
END, PAD = "<end>", "<pad>"


def write_tiny_clip(folder: Path) -> None:
    """A CLIP with its own vectors' length of `DIMENSION`."""
    from transformers import CLIPConfig, CLIPModel

    text, vision = _parts(_write_tokenizer(folder))
    _write(folder, CLIPModel, CLIPConfig(text_config=text, vision_config=vision, projection_dim=DIMENSION))
    processor = {"size": {"shortest_edge": SIDE}, "crop_size": {"height": SIDE, "width": SIDE}}
    (folder / "preprocessor_config.json").write_text(json.dumps(processor))


def write_tiny_siglip(folder: Path) -> None:
    """A SigLIP; its vectors are as long as its pictures' states."""
    from transformers import SiglipConfig, SiglipModel

    text, vision = _parts(_write_tokenizer(folder))
    _write(folder, SiglipModel, SiglipConfig(text_config={**text, "projection_size": DIMENSION}, vision_config=vision))
    processor = {"size": {"height": SIDE, "width": SIDE}, "image_mean": [0.5] * 3, "image_std": [0.5] * 3}
    (folder / "preprocessor_config.json").write_text(json.dumps(processor))


def _write(folder: Path, kind: Any, config: Any) -> None:
    import torch

    torch.manual_seed(11)
    kind(config).save_pretrained(folder)


def _parts(tokens: dict[str, int]) -> tuple[dict[str, Any], dict[str, Any]]:
    layers = {"hidden_size": DIMENSION, "intermediate_size": 48, "num_hidden_layers": 2, "num_attention_heads": 2}
    text = {
        **layers,
        "vocab_size": len(tokens),
        "max_position_embeddings": 12,
        "eos_token_id": tokens[END],
        "bos_token_id": tokens[END],
        "pad_token_id": tokens[PAD],
    }
    return text, {**layers, "image_size": SIDE, "patch_size": 8}


def _write_tokenizer(folder: Path) -> dict[str, int]:
    from tokenizers import Tokenizer, models, pre_tokenizers, processors
    from transformers import PreTrainedTokenizerFast

    tokens = {word: number for number, word in enumerate([PAD, "<unknown>", *WORDS, END])}
    tokenizer = Tokenizer(models.WordLevel(tokens, unk_token="<unknown>"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.post_processor = processors.TemplateProcessing(single=f"$A {END}", special_tokens=[(END, tokens[END])])
    PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, unk_token="<unknown>", pad_token=PAD, eos_token=END
    ).save_pretrained(folder)
    return tokens
