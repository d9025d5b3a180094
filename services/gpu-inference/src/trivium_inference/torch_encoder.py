"""Token states by torch and transformers: on CUDA, and for models that OpenVINO cannot convert."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trivium.domain.errors import NeverWill
from trivium.ports.inference import Vector
from trivium_inference.encoder import pad
from trivium_inference.model_files import ModelFiles
from trivium_inference.torch_library import load_torch


class TorchEncoder:
    """bf16 where the hardware multiplies it (CUDA, AMX), else f32."""

    def __init__(self, files: ModelFiles, *, threads: int, precision: str, device: str = "") -> None:
        torch = load_torch(f"The embedding model {files.name}")
        from transformers import AutoModel  # noqa: PLC0415

        self._torch = torch
        self._files = files
        self._device = device or ("cuda" if torch.cuda.is_available() else "cpu")
        self._precision = precision if precision != "auto" else native_precision(torch, self._device)
        if self._device == "cpu":
            torch.set_num_threads(threads)
        try:
            model = AutoModel.from_pretrained(
                str(files.path),
                local_files_only=True,
                dtype=torch.bfloat16 if self._precision == "bf16" else torch.float32,
            )
        except (OSError, ValueError) as error:
            raise NeverWill(
                "model_unsupported",
                f"The embedding model in {files.path} cannot be loaded: {error}",
                "Choose a sentence-transformers model.",
            ) from error
        self._model: Any = model.eval().to(self._device)
        # Two batches at once would only share the same cores; on CUDA one keeps the order.
        self._turn = threading.Lock()

    @property
    def description(self) -> str:
        """Back end and precision."""
        return f"torch-{self._precision}"

    @property
    def lanes(self) -> int:
        """Torch spreads one batch over all cores by itself."""
        return 1

    @property
    def batch_tokens(self) -> int:
        """On the CPU as OpenVINO's; eight full windows on CUDA, where no other size was measured."""
        return 512 if self._device == "cpu" else 2048

    @property
    def call_tokens(self) -> int:
        """CUDA's cores work side by side: half a batch takes as long as a whole one."""
        return 32 if self._device == "cpu" else 1024

    def encode(self, batch: Sequence[NDArray[np.int64]]) -> list[Vector]:
        """Token states of each input, one batch at a time."""
        with self._turn:
            return self.encode_urgent(batch)

    def encode_urgent(self, batch: Sequence[NDArray[np.int64]]) -> list[Vector]:
        """Token states of each input, beside whatever `encode` is doing."""
        torch = self._torch
        ids, mask = (torch.from_numpy(array).to(self._device) for array in pad(batch, self._files))
        with torch.inference_mode():
            states = self._model(input_ids=ids, attention_mask=mask).last_hidden_state
            found = states.to(device="cpu", dtype=torch.float32).numpy()
        return [found[row, : len(tokens)] for row, tokens in enumerate(batch)]


def native_precision(torch: Any, device: str) -> str:
    """`bf16` on CUDA and on CPUs with AMX; elsewhere torch emulates it, slower than f32."""
    if device != "cpu":
        return "bf16"
    has_amx = getattr(torch.cpu, "_is_amx_tile_supported", None)
    return "bf16" if has_amx is not None and has_amx() else "f32"
