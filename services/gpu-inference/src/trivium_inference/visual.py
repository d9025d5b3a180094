"""Pictures and words in one space: a CLIP or SigLIP by torch and transformers, from a folder or the local hub cache.

Radford et al. 2021, "Learning Transferable Visual Models From Natural Language Supervision"; Zhai et al. 2023, SigLIP.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, Final

import msgspec
import numpy as np
from numpy.typing import NDArray

from trivium.domain.errors import NeverWill
from trivium.ports.inference import Vector
from trivium_inference.model_files import digest_files, hub_folder
from trivium_inference.pooling import normalise
from trivium_inference.tokens import CHARS_PER_TOKEN
from trivium_inference.torch_encoder import native_precision
from trivium_inference.torch_library import load_torch
from trivium_inference.visual_images import Frame
from trivium_inference.visual_process import PictureProcess

VISUAL_VERSION: Final = 1
_BATCH: Final = 16
_KINDS: Final = ("clip", "siglip")
_FILES: Final = ("config.json", "preprocessor_config.json", "tokenizer.json")

TokenIds = NDArray[np.int64]


class ClipEncoder:
    """`trivium.ports.inference.VisualEncoder` in this process; the model is loaded at the first use and kept.

    `model` is a folder, or a hub name that was downloaded before; nothing is fetched. `decoders` is how many pictures
    are decoded at a time.
    """

    def __init__(self, model: str, decoders: int = 1) -> None:
        self._name = model
        self.decoders = decoders
        self._loading, self._reading = threading.Lock(), threading.Lock()
        self._picture_turn, self._text_turn = threading.Lock(), threading.Lock()  # words do not wait for pictures

    @cached_property
    def fingerprint(self) -> str:
        """Weights, precision, and the version of this code. Raises `NeverWill` (`no_visual_model`)."""
        files = [*sorted(self._folder.glob("*.safetensors")), *(self._folder / name for name in _FILES)]
        return f"{Path(self._name).name}@{digest_files(files)}:{self._loaded.precision}:{VISUAL_VERSION}"

    @property
    def dimension(self) -> int:
        """Length of every vector."""
        config = self._config
        projected = config.get("projection_dim") or config.get("vision_config", {}).get("hidden_size")
        return int(projected or (512 if config["model_type"] == "clip" else 768))  # transformers' own defaults

    @property
    def max_tokens(self) -> int:
        """Tokens of one text that the model reads."""
        default = 77 if self._config["model_type"] == "clip" else 64  # transformers' own
        return int(self._config.get("text_config", {}).get("max_position_embeddings") or default)

    @cached_property
    def image_tokens(self) -> int:
        """What the model makes of one picture."""
        vision = self._config.get("vision_config", {})
        size, patch = int(vision.get("image_size") or 224), int(vision.get("patch_size") or 32)
        return (size // patch) ** 2 + 1

    def load(self) -> None:
        """Load the model and find its fingerprint now. Raises `NeverWill` (`no_visual_model`)."""
        self.fingerprint  # noqa: B018

    def close(self) -> None:
        """End the processes that decode pictures, if any was needed; the next picture starts another."""
        if "_pictures" in vars(self):
            vars(self).pop("_pictures").close()

    def embed_images(self, images: Sequence[bytes]) -> Vector:
        """(len(images), d); raises `NeverWill` (`corrupt_image`) for the first that cannot be read."""
        found = [self.encode_images(self.read_images(images[at : at + _BATCH])) for at in range(0, len(images), _BATCH)]
        return np.concatenate([*found, np.empty((0, self.dimension), np.float32)])

    def embed_texts(self, texts: Sequence[str]) -> Vector:
        """(len(texts), d)."""
        return self.encode_texts(self.read_texts(texts))

    def read_images(self, images: Sequence[bytes]) -> list[Vector]:
        """What the model sees of each file; `encode_images` takes it. Raises `NeverWill` (`corrupt_image`)."""
        return [self._pictures.read(image) for image in images]

    def read_texts(self, texts: Sequence[str]) -> list[TokenIds]:
        """What the model reads of each text, within its window; `encode_texts` takes it."""
        if not texts:
            return []
        tokenizer, limit = self._loaded.tokenizer, self.max_tokens * CHARS_PER_TOKEN
        with self._reading:
            found = tokenizer([text[:limit] for text in texts], truncation=True, max_length=self.max_tokens)[
                "input_ids"
            ]
        return [np.asarray(ids, np.int64) for ids in found]

    def encode_images(self, pixels: Sequence[Vector]) -> Vector:
        """(len(pixels), d), one batch at a time."""
        with self._picture_turn:
            return self._encode(pixels, lambda loaded, batch: loaded.model.get_image_features(pixel_values=batch))

    def encode_texts(self, inputs: Sequence[TokenIds]) -> Vector:
        """(len(inputs), d), one batch at a time."""
        padding, whole = self._padding
        width = self.max_tokens if whole else max((len(ids) for ids in inputs), default=0)
        padded = [np.concatenate([ids, np.full(width - len(ids), padding, np.int64)]) for ids in inputs]
        masks = [np.arange(width) < len(ids) for ids in inputs]
        rows = [np.stack([ids, mask.astype(np.int64)]) for ids, mask in zip(padded, masks, strict=True)]

        def features(loaded: _Loaded, batch: Any) -> Any:
            mask = None if whole else batch[:, 1]  # SigLIP was trained to see its padding
            return loaded.model.get_text_features(input_ids=batch[:, 0], attention_mask=mask)

        with self._text_turn:
            return self._encode(rows, features)

    def _encode(self, rows: Sequence[NDArray[Any]], features: Any) -> Vector:
        vectors = np.empty((len(rows), self.dimension), np.float32)
        loaded = self._loaded
        for at in range(0, len(rows), _BATCH):
            vectors[at : at + _BATCH] = loaded.run(features, np.stack(rows[at : at + _BATCH]))
        return normalise(vectors)

    @property
    def _padding(self) -> tuple[int, bool]:
        """The padding's token, and whether every text is padded to the window."""
        return int(self._loaded.tokenizer.pad_token_id or 0), self._config["model_type"] == "siglip"

    @property
    def _loaded(self) -> _Loaded:
        with self._loading:
            return self._model

    @cached_property
    def _model(self) -> _Loaded:
        return _Loaded(self._folder, self._name)

    @cached_property
    def _pictures(self) -> PictureProcess:
        return PictureProcess(Frame.of(_json(self._folder / "preprocessor_config.json")), self.decoders)

    @cached_property
    def _config(self) -> dict[str, Any]:
        config = _json(self._folder / "config.json")
        if config.get("model_type") not in _KINDS:
            raise missing(self._name, f"it is a {config.get('model_type')!r}, not a CLIP or SigLIP")
        return config

    @cached_property
    def _folder(self) -> Path:
        folder = Path(self._name).expanduser()
        if not folder.is_dir():
            try:
                folder = hub_folder(self._name)
            except (OSError, ValueError) as error:
                raise missing(self._name, "it is neither a folder nor in the local hub cache") from error
        for name in _FILES:
            if not (folder / name).is_file():
                raise missing(self._name, f"{folder} has no {name}")
        return folder


class _Loaded:
    """The model on its device, and its tokenizer."""

    def __init__(self, folder: Path, name: str) -> None:
        torch = load_torch(f"The visual model {name!r}")
        from transformers import AutoModel, AutoTokenizer  # noqa: PLC0415

        self._torch = torch
        self._device = "cuda" if torch.cuda.is_available() else "cpu"
        self.precision = native_precision(torch, self._device)
        self._dtype = torch.bfloat16 if self.precision == "bf16" else torch.float32
        try:
            model = AutoModel.from_pretrained(str(folder), local_files_only=True, dtype=self._dtype)
            self.tokenizer: Any = AutoTokenizer.from_pretrained(str(folder), local_files_only=True)
        except (OSError, ValueError, RuntimeError) as error:
            raise missing(name, f"{error}"[:300]) from error
        self.model: Any = model.eval().to(self._device)

    def run(self, features: Any, rows: NDArray[Any]) -> Vector:
        """(len(rows), d) before normalisation."""
        torch = self._torch
        batch = torch.from_numpy(rows).to(self._device)
        with torch.inference_mode():
            found = features(self, batch.to(self._dtype) if batch.is_floating_point() else batch)
        pooled = getattr(found, "pooler_output", found)
        return np.asarray(pooled.to(device="cpu", dtype=torch.float32).numpy(), np.float32)


def missing(name: str, reason: str) -> NeverWill:
    """The model `name` cannot be used."""
    return NeverWill(
        "no_visual_model",
        f"The visual model {name!r} cannot be used: {reason}.",
        "Set TRIVIUM_VISUAL_MODEL to a folder that holds a CLIP or SigLIP (config.json, model.safetensors,"
        " preprocessor_config.json, tokenizer.json), or unset it.",
    )


def _json(path: Path) -> dict[str, Any]:
    return msgspec.json.decode(path.read_bytes(), type=dict[str, Any])
