"""The reader while it is trained: the embedder's layers in torch, those from `first` on free to change, and the head.

The loss of a window is that of its gold spans among its tokens, or of "no answer" (the first token) where it has none
(Devlin et al. 2019); that of a question is the same over the tokens of all its windows at once, so that scores of
different passages compare (shared normalisation: Clark and Gardner 2018).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path

import numpy as np
import torch
from reader_reads import Read
from transformers import BertModel

from trivium_inference.openvino_encoder import native_precision
from trivium_inference.openvino_runtime import load_openvino
from trivium_inference.reader_windows import MARKS

NONE = -1e4  # added to what is no token of the text


class Network(torch.nn.Module):
    """Ids, mask and marks (inputs, tokens) to scores (inputs, tokens, 2)."""

    def __init__(self, model: Path, first: int, dropout: float) -> None:
        super().__init__()
        bert = BertModel.from_pretrained(
            str(model),
            add_pooling_layer=False,
            # On a CPU fused attention takes a quarter longer.
            attn_implementation="sdpa" if torch.cuda.is_available() else "eager",
            hidden_dropout_prob=dropout,
            attention_probs_dropout_prob=dropout,
            dtype=torch.float32,
        )
        self.embeddings, self.encoder, self.first = bert.embeddings, bert.encoder, first
        self.marks = torch.nn.Embedding(MARKS, bert.config.hidden_size)
        self.head = torch.nn.Linear(bert.config.hidden_size, 2)
        torch.nn.init.normal_(self.marks.weight, std=0.02)
        torch.nn.init.normal_(self.head.weight, std=0.02)
        torch.nn.init.zeros_(self.head.bias)
        for frozen in (self.embeddings, *self.encoder.layer[:first]):
            frozen.requires_grad_(requires_grad=False)

    def forward(self, ids: torch.Tensor, mask: torch.Tensor, marks: torch.Tensor) -> torch.Tensor:
        seen = (1 - mask[:, None, None, :].float()) * NONE
        with torch.no_grad():
            states = self._through(self.embeddings(ids), seen, 0, self.first)
        return self.head(self._through(states + self.marks(marks), seen, self.first, len(self.encoder.layer)))

    def trained(self) -> dict[str, np.ndarray]:
        """The weights that were free to change, by the names of the embedder's file."""
        return {name: value.detach().float().numpy() for name, value in self.named_parameters() if value.requires_grad}

    def _through(self, states: torch.Tensor, seen: torch.Tensor, start: int, end: int) -> torch.Tensor:
        for layer in self.encoder.layer[start:end]:
            found = layer(states, seen)
            states = found[0] if isinstance(found, tuple) else found
        return states


def loss_of(network: Network, batch: Sequence[list[Read]]) -> torch.Tensor:
    reads = [read for group in batch for read in group]
    place = network.head.weight.device
    ids, mask, marks, inside, gold = (one.to(place, non_blocking=True) for one in _tensors(reads))
    with torch.autocast(place.type, torch.bfloat16, enabled=place.type == "cuda" or _has_bf16()):
        scores = network(ids, mask, marks)
    scores = scores.float()
    alone = _missed(scores + (inside - 1)[..., None] * -NONE, gold, dim=1).mean()
    told = inside.clone()
    told[:, 0] = 0
    logits = scores + (told - 1)[..., None] * -NONE
    rows = _rows_of(batch).to(place)
    if not len(rows):
        return alone
    gold_told = gold * told[..., None]
    seen, held = (torch.logsumexp(one, 1)[rows] for one in (logits, logits + (gold_told - 1) * -NONE))
    beyond = (rows < 0)[..., None] * NONE
    return alone + (torch.logsumexp(seen + beyond, 1) - torch.logsumexp(held + beyond, 1)).mean()


@cache
def _has_bf16() -> bool:
    """Whether this processor multiplies bf16 faster: with AVX512_BF16 a step takes 0.4 to 0.6 s instead of 1.1."""
    return native_precision(load_openvino().Core()) == "bf16"


def _rows_of(batch: Sequence[list[Read]]) -> torch.Tensor:
    """Of each question that has an answer, the places of its windows among all; -1 where it has fewer than others."""
    starts = np.cumsum([0, *map(len, batch)])
    own = [
        range(start, start + len(group))
        for start, group in zip(starts[:-1], batch, strict=True)
        if any(one.firsts for one in group)
    ]
    found = np.full((len(own), max(map(len, own), default=0)), -1)
    for row, places in enumerate(own):
        found[row, : len(places)] = places
    return torch.from_numpy(found)


def _missed(scores: torch.Tensor, gold: torch.Tensor, dim: int) -> torch.Tensor:
    """Negative log of the gold tokens' share."""
    return torch.logsumexp(scores, dim) - torch.logsumexp(scores + (gold - 1) * -NONE, dim)


def _tensors(reads: Sequence[Read]) -> Iterator[torch.Tensor]:
    """Ids, mask, marks, the tokens that may be named (inputs, tokens), and the gold ones (inputs, tokens, 2)."""
    width = max(len(read.window) for read in reads)
    ids, mask, marks = (np.zeros((len(reads), width), np.int64) for _ in range(3))
    inside, gold = np.zeros((len(reads), width), np.float32), np.zeros((len(reads), width, 2), np.float32)
    for row, (window, firsts, lasts) in enumerate(reads):
        ids[row, : len(window)], mask[row, : len(window)], marks[row, : len(window)] = window.ids, 1, window.marks
        inside[row, 0] = 1
        inside[row, window.first : window.first + len(window.offsets)] = 1
        gold[row, list(firsts) or [0], 0] = 1
        gold[row, list(lasts) or [0], 1] = 1
    return (torch.from_numpy(one) for one in (ids, mask, marks, inside, gold))
