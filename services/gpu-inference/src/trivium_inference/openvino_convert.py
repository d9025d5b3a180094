"""Turns a transformers model into OpenVINO's form; run once per model, in a process of its own.

    python -m trivium_inference.openvino_convert MODEL_FOLDER OUT.xml

A process of its own gives its gigabyte of torch back, and keeps the caller free of both libraries.
"""

from __future__ import annotations

import sys
from pathlib import Path

from trivium_inference.openvino_runtime import load_openvino

CONVERTER_VERSION = 1


def convert(model: Path, target: Path) -> None:
    """Write `target` (.xml) and the weights beside it (.bin, 16-bit floats)."""
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

    openvino = load_openvino()
    example = torch.ones(2, 16, dtype=torch.long)
    converted = openvino.convert_model(TokenStates(), example_input={"input_ids": example, "attention_mask": example})
    openvino.save_model(converted, str(target), compress_to_fp16=True)


if __name__ == "__main__":
    convert(Path(sys.argv[1]), Path(sys.argv[2]))
