"""BERT encoders, such as all-MiniLM-L6-v2, as OpenVINO graphs made from their weights alone: no torch, half a second.

After Devlin et al. 2019 (BERT: Pre-training of Deep Bidirectional Transformers), as transformers names the weights.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final

import msgspec
import numpy as np
from numpy.typing import NDArray

from trivium_inference.openvino_runtime import load_openvino

Weights = Mapping[str, NDArray[Any]]

_FLOATS: Final = ("float16", "float32")
INT8_GROUP: Final = 128
_LARGEST: Final = np.float32(127)


class BertConfig(msgspec.Struct, frozen=True):
    """Of a `config.json`, what decides the graph."""

    model_type: str
    num_hidden_layers: int
    num_attention_heads: int
    hidden_size: int
    hidden_act: str = "gelu"
    layer_norm_eps: float = 1e-12
    position_embedding_type: str = "absolute"


def bert_from(model: Path) -> Any | None:
    """Ids and mask (inputs, tokens) int64 to token states (inputs, tokens, d); None for what is no such model."""
    found = read_bert(model)
    return Bert(*found).model() if found else None


def read_bert(model: Path) -> tuple[BertConfig, Weights] | None:
    """What the graph is made from; None for what is no such model."""
    from safetensors import SafetensorError  # noqa: PLC0415 - a native library

    try:
        config = msgspec.json.decode((model / "config.json").read_bytes(), type=BertConfig)
        weights = _weights(model / "model.safetensors")
    except (OSError, msgspec.ValidationError, SafetensorError, TypeError):
        return None
    if (config.model_type, config.hidden_act, config.position_embedding_type) != ("bert", "gelu", "absolute"):
        return None
    return (config, weights) if _is_complete(config, weights) else None


def _weights(file: Path) -> dict[str, NDArray[Any]]:
    """Raises `TypeError` for numbers that NumPy does not know, as bf16."""
    from safetensors.numpy import load_file  # noqa: PLC0415 - a native library

    found = load_file(file)
    return {name.removeprefix("bert."): value for name, value in found.items() if value.dtype.name in _FLOATS}


def _is_complete(config: BertConfig, weights: Weights) -> bool:
    last = f"encoder.layer.{config.num_hidden_layers - 1}.output.LayerNorm.bias"
    return last in weights and "embeddings.word_embeddings.weight" in weights


class Bert:
    """The graph of one model, built layer by layer.

    With `int8`, the matrices of its layers are 8-bit integers with a scale for each `INT8_GROUP` of a row. Compiled
    with a group size for dynamic quantization, the states are rounded too, group by group, before each product.
    """

    def __init__(self, config: BertConfig, weights: Weights, *, int8: bool = False) -> None:
        self._openvino = load_openvino()
        self._ops = self._openvino.opset13
        self._config = config
        self._weights = weights
        self._int8 = int8

    def model(self) -> Any:
        """Ids and mask to token states."""
        ids, mask = (self._input(name) for name in ("input_ids", "attention_mask"))
        states = self._layers(self._embeddings(ids), mask, range(self._config.num_hidden_layers))
        return self._openvino.Model([self._ops.result(states)], [ids, mask], "bert")

    def reader(self, first: int) -> Any:
        """Ids, mask and marks (inputs, tokens) to the scores of each token as first and as last (inputs, tokens, 2).

        What the marks say (`marks.weight`) is added to the states that go into layer `first`; `head` scores the last.
        """
        ids, mask, marks = (self._input(name) for name in ("input_ids", "attention_mask", "marks"))
        said = self._ops.gather(self._weight("marks"), marks, self._ops.constant(0))
        states = self._layers(self._embeddings(ids), mask, range(first))
        states = self._layers(self._ops.add(states, said), mask, range(first, self._config.num_hidden_layers))
        scores = self._affine(states, "head", self._weight("head"))
        return self._openvino.Model([self._ops.result(scores)], [ids, mask, marks], "reader")

    def _input(self, name: str) -> Any:
        return self._ops.parameter(self._openvino.PartialShape([-1, -1]), np.int64, name=name)

    def _layers(self, states: Any, mask: Any, numbers: Iterable[int]) -> Any:
        hidden = self._hidden(mask)
        for number in numbers:
            states = self._layer(states, hidden, f"encoder.layer.{number}")
        return states

    def _embeddings(self, ids: Any) -> Any:
        ops = self._ops
        length = ops.gather(ops.shape_of(ids), ops.constant(1), ops.constant(0))
        places = ops.range(ops.constant(np.int64(0)), length, ops.constant(np.int64(1)), "i64")
        words = ops.gather(self._weight("embeddings.word_embeddings"), ids, ops.constant(0))
        positions = ops.gather(self._weight("embeddings.position_embeddings"), places, ops.constant(0))
        kind = ops.gather(self._weight("embeddings.token_type_embeddings"), ops.constant(0), ops.constant(0))
        return self._norm(ops.add(ops.add(words, kind), positions), "embeddings.LayerNorm")

    def _hidden(self, mask: Any) -> Any:
        """What is added to the scores (inputs, 1, 1, tokens): nothing, or the least number for padding."""
        ops = self._ops
        padding = ops.subtract(ops.constant(np.float32(1)), ops.convert(mask, "f32"))
        least = ops.constant(np.finfo(np.float32).min)
        return ops.unsqueeze(ops.multiply(padding, least), ops.constant([1, 2]))

    def _layer(self, states: Any, hidden: Any, name: str) -> Any:
        ops = self._ops
        attention = f"{name}.attention"
        query, key, value = (self._heads(states, f"{attention}.self.{part}") for part in ("query", "key", "value"))
        seen = ops.transpose(ops.scaled_dot_product_attention(query, key, value, hidden), ops.constant([0, 2, 1, 3]))
        joined = ops.reshape(seen, ops.constant([0, 0, self._config.hidden_size]), special_zero=True)
        looked = ops.add(self._linear(joined, f"{attention}.output.dense"), states)
        states = self._norm(looked, f"{attention}.output.LayerNorm")
        inner = ops.gelu(self._linear(states, f"{name}.intermediate.dense"), "erf")
        return self._norm(ops.add(self._linear(inner, f"{name}.output.dense"), states), f"{name}.output.LayerNorm")

    def _heads(self, states: Any, name: str) -> Any:
        """(inputs, heads, tokens, values)."""
        ops, heads = self._ops, self._config.num_attention_heads
        shape = ops.constant([0, 0, heads, self._config.hidden_size // heads])
        return ops.transpose(
            ops.reshape(self._linear(states, name), shape, special_zero=True), ops.constant([0, 2, 1, 3])
        )

    def _linear(self, states: Any, name: str) -> Any:
        return self._affine(states, name, self._matrix(name))

    def _affine(self, states: Any, name: str, matrix: Any) -> Any:
        product = self._ops.matmul(states, matrix, transpose_a=False, transpose_b=True)
        return self._ops.add(product, self._weight(name, "bias"))

    def _matrix(self, name: str) -> Any:
        if not self._int8:
            return self._weight(name)
        ops = self._ops
        weight = self._weights[f"{name}.weight"].astype(np.float32)
        groups = weight.reshape(len(weight), -1, INT8_GROUP if weight.shape[1] % INT8_GROUP == 0 else weight.shape[1])
        scale = np.maximum(np.abs(groups).max(axis=2, keepdims=True), np.finfo(np.float16).tiny) / _LARGEST
        whole = ops.convert(ops.constant(np.rint(groups / scale).astype(np.int8)), "f32")
        return ops.reshape(
            ops.multiply(whole, ops.constant(scale)), ops.constant(list(weight.shape)), special_zero=False
        )

    def _norm(self, states: Any, name: str) -> Any:
        ops = self._ops
        norm = ops.mvn(states, ops.constant([-1]), True, self._config.layer_norm_eps, "inside_sqrt")
        return ops.add(ops.multiply(norm, self._weight(name)), self._weight(name, "bias"))

    def _weight(self, name: str, part: str = "weight") -> Any:
        weight = self._weights[f"{name}.{part}"]
        if self._int8:  # OpenVINO makes 16-bit floats of none beside whole numbers
            return self._ops.convert(self._ops.constant(weight.astype(np.float16)), "f32")
        return self._ops.constant(weight.astype(np.float32))
