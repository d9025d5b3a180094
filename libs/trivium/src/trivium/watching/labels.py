"""What each label of a metric may hold. None holds what comes from a caller or a document: names, tenants, texts.

A label that is not here is refused by a test over all metrics, and so is a value that its entry does not allow.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from trivium.domain.connections import ConnectorKind
from trivium.domain.documents import DocumentState, Lane, Stage

METHODS: Final = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
OTHER: Final = "other"

CODE: Final = re.compile(r"|[a-z][a-z0-9_]{0,63}|[1-5][0-9]{2}|[A-Z_]{2,24}")
"""A word of ours for a fault, HTTP's number or gRPC's name."""
_WORD: Final = re.compile(r"[a-z][a-z_ -]{0,39}")

ALLOWED: Final[Mapping[str, re.Pattern[str] | frozenset[str]]] = {
    "change": frozenset({"stored", "deleted", "failed"}),
    "code": CODE,
    "direction": frozenset({"input", "output"}),
    "engine": re.compile(r"[a-z][a-z0-9_-]{0,39}(:[^\s\"]{1,100})?"),  # a provider's has the model of the settings
    "found_by": _WORD,
    "kind": frozenset(kind.value for kind in ConnectorKind),
    "lane": frozenset(lane.value for lane in Lane),
    "llm": re.compile(r"[a-z][a-z0-9_-]{0,39}:[^\s\"]{1,100}"),  # provider and model of the settings
    "method": re.compile(r"unmatched|other|[A-Z]{3,7} /[A-Za-z0-9_{}:/.-]{0,80}|[A-Za-z][A-Za-z0-9.]{0,60}"),
    "operation": _WORD,
    "outcome": frozenset({"done", "failed", "abandoned", "late", "refused"}),
    "part": _WORD,
    "protocol": frozenset({"http", "grpc"}),
    "queue": re.compile(r"[a-z]+(\.[a-z]+)?"),
    "reason": frozenset({"late", "failed"}),
    "server": _WORD,
    "source": _WORD,
    "stage": frozenset(stage.value for stage in Stage),
    "state": frozenset(state.value for state in DocumentState),
    "step": _WORD,
    "store": _WORD,
    "verdict": re.compile(r"[A-Z_]{2,30}|[a-z_]{2,30}"),
    "version": re.compile(r"[0-9A-Za-z.+-]{1,40}"),
    "volume": frozenset({"data", "cache", "temporary"}),
}


def method_label(method: str, template: str) -> str:
    """Of an HTTP request: its method and the route's template. A caller may send any word as a method."""
    return f"{method} {template}" if method in METHODS else OTHER


def code_label(code: str) -> str:
    """A fault's code, or that it is none of ours."""
    return code if CODE.fullmatch(code) else OTHER
