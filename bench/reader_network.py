"""The reader while it is trained: the embedder's layers in torch, those from `first` on free to change, and the head.

The loss of a window is that of its gold spans among its tokens, or of "no answer" (the first token) where it has none
(Devlin et al. 2019); that of a question is the same over the tokens of all its windows at once, so that scores of
different passages compare (shared normalisation: Clark and Gardner 2018).
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch
from reader_examples import Question
from transformers import BertModel

from trivium_inference.reader_windows import MARKS, Window, WindowMaker

NONE = -1e4  # added to what is no token of the text


class Read(NamedTuple):
    """A window, and its first and last gold tokens; none where it holds no answer."""

    window: Window
    firsts: tuple[int, ...]
    lasts: tuple[int, ...]


class Network(torch.nn.Module):
    """Ids, mask and marks (inputs, tokens) to scores (inputs, tokens, 2)."""

    def __init__(self, model: Path, first: int) -> None:
        super().__init__()
        # On a CPU a third of a step goes into random numbers for dropout, and fused attention takes a quarter longer.
        bert = BertModel.from_pretrained(
            str(model),
            add_pooling_layer=False,
            attn_implementation="eager",
            hidden_dropout_prob=0.0,
            attention_probs_dropout_prob=0.0,
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


def prepare(questions: Sequence[Question], maker: WindowMaker, chance: random.Random) -> list[list[Read]]:
    """Of each question the windows that hold an answer, and one of each passage that holds none.

    A question whose answer no window holds whole is left out; one that has no answer is not.
    """
    return [reads for question in questions if (reads := _reads(question, maker, chance))]


def _reads(question: Question, maker: WindowMaker, chance: random.Random) -> list[Read]:
    found: list[Read] = []
    for window in maker.windows(question[0].question, [one.passage for one in question]):
        spans = question[window.passage].spans
        places = [place for span in spans if (place := _tokens(window, span))]
        if places or not spans:
            found.append(Read(window, tuple(a for a, _ in places), tuple(b for _, b in places)))
    wrong: dict[int, list[Read]] = {}
    for read in found:
        if not read.firsts:
            wrong.setdefault(read.window.passage, []).append(read)
    right = [read for read in found if read.firsts]
    lost = not right and any(example.spans for example in question)
    return [] if lost else [*right[:3], *(chance.choice(reads) for reads in wrong.values())]


def _tokens(window: Window, span: tuple[int, int]) -> tuple[int, int] | None:
    """First and last token of a span that the window holds whole."""
    starts, ends = window.offsets.T
    inside = np.flatnonzero((ends > span[0]) & (starts < span[1]))
    whole = len(inside) and starts[inside[0]] <= span[0] and ends[inside[-1]] >= span[1]
    return (window.first + int(inside[0]), window.first + int(inside[-1])) if whole else None


def with_one_wrong(groups: Sequence[list[Read]], chance: random.Random) -> list[list[Read]]:
    """Of each question the windows that hold an answer, and one at random of those that hold none."""
    found = []
    for group in groups:
        wrong = [read for read in group if not read.firsts]
        found.append([read for read in group if read.firsts] + ([chance.choice(wrong)] if wrong else []))
    return found


def batches(groups: Sequence[list[Read]], tokens: int, chance: random.Random) -> list[list[list[Read]]]:
    """Questions of like length together, at most `tokens` padded tokens a batch, in random order."""
    order = sorted(groups, key=lambda group: max(len(read.window) for read in group) + chance.random() * 24)
    found: list[list[list[Read]]] = [[]]
    for group in order:
        width = max(len(read.window) for read in group)
        if found[-1] and width * (sum(map(len, found[-1])) + len(group)) > tokens:
            found.append([])
        found[-1].append(group)
    chance.shuffle(found)
    return found


def loss_of(network: Network, batch: Sequence[list[Read]]) -> torch.Tensor:
    reads = [read for group in batch for read in group]
    ids, mask, marks, inside, gold = _tensors(reads)
    with torch.autocast("cpu", torch.bfloat16):
        scores = network(ids, mask, marks)
    scores = scores.float()
    alone = _missed(scores + (inside - 1)[..., None] * -NONE, gold, dim=1).mean()
    told = inside.clone()
    told[:, 0] = 0
    logits = scores + (told - 1)[..., None] * -NONE
    together, start = [], 0
    for group in batch:
        rows = slice(start, start + len(group))
        if any(read.firsts for read in group):
            gold_told = gold[rows] * told[rows][..., None]
            together.append(_missed(logits[rows].reshape(-1, 2), gold_told.reshape(-1, 2), dim=0).mean())
        start += len(group)
    return alone + torch.stack(together).mean() if together else alone


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
