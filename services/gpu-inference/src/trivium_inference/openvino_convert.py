"""Turns a transformers model into OpenVINO's form; run once per model, in a process of its own.

    python -m trivium_inference.openvino_convert MODEL_FOLDER OUT.xml [READER_FOLDER PRECISION]

BERT is built from its weights (`openvino_bert`); only other models need torch, whose gigabyte goes with the process.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from trivium_inference.openvino_bert import Bert, bert_from, read_bert
from trivium_inference.openvino_runtime import convert_model, load_openvino
from trivium_inference.reader_weights import changed, read_changes, read_facts

CONVERTER_VERSION = 2


def convert(model: Path, target: Path, reader: tuple[Path, str] | None = None) -> None:
    """Write `target` (.xml) and the weights beside it (.bin, 16-bit floats): of the model, or of the reader made of it.

    `reader` is its folder and its precision; one of `int8` has its matrices in 8-bit integers.

    Raises `ValueError` for a reader's file that is not what its facts say, or of a model that is no BERT.
    """
    built = _reader(model, *reader) if reader else bert_from(model)
    load_openvino().save_model(built if built is not None else _by_torch(model), str(target), compress_to_fp16=True)


def _reader(model: Path, folder: Path, precision: str) -> Any:
    found = read_bert(model)
    if found is None:
        raise ValueError(f"{model} holds no BERT, of which alone a reader can be made.")
    config, weights = found
    facts = read_facts(folder)
    weights = changed(weights, read_changes(facts, folder))
    return Bert(config, weights, int8=precision == "int8").reader(facts.first_layer)


def _by_torch(model: Path) -> Any:
    import torch  # noqa: PLC0415
    from transformers import AutoModel  # noqa: PLC0415

    class TokenStates(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.model = AutoModel.from_pretrained(
                str(model), local_files_only=True, dtype=torch.float32, attn_implementation="sdpa"
            ).eval()

        def forward(self, input_ids: torch.Tensor, attention_mask: torch.Tensor) -> torch.Tensor:
            states: torch.Tensor = self.model(input_ids=input_ids, attention_mask=attention_mask).last_hidden_state
            return states

    example = torch.ones(2, 16, dtype=torch.long)
    inputs = {"input_ids": example, "attention_mask": example}
    return convert_model(TokenStates(), inputs)


if __name__ == "__main__":
    source, to, *rest = sys.argv[1:]
    convert(Path(source), Path(to), (Path(rest[0]), rest[1]) if rest else None)
