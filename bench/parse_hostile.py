"""Do hostile files end as the manifest expects, within bounds, and with no packet sent?"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from parse_facts import Outcome, missing, read
from rich.table import Table

from trivium_ingest.parse.sandbox import Sandbox

CRASHES = frozenset({"parser_crashed", "parser_timeout", "parser_unavailable"})
LIMIT_S = 60.0
_EMPTY = frozenset({"empty_file"})


def _rejected(outcome: Outcome) -> bool:
    return bool(outcome.code) or (not _has_text(outcome) and bool(outcome.warnings))


def _needs_password(outcome: Outcome) -> bool:
    return outcome.code == "password_needed" or any("password" in warning.lower() for warning in outcome.warnings)


def _bounded(outcome: Outcome) -> bool:
    return outcome.alone_s <= LIMIT_S


def _empty(outcome: Outcome) -> bool:
    return outcome.code in _EMPTY or (not outcome.code and not _has_text(outcome) and bool(outcome.warnings))


def _anything(_: Outcome) -> bool:
    return True


def _has_text(outcome: Outcome) -> bool:
    return any(document.units for document in outcome.documents)


RULES: dict[str, Callable[[Outcome], bool]] = {
    "reject": _rejected,
    "password": _needs_password,
    "partial": _anything,
    "bounded": _bounded,
    "empty": _empty,
    "inert": _anything,
    "sniff": _anything,
}


def as_expected(entry: dict[str, Any], outcome: Outcome) -> list[str]:
    """What is wrong with the outcome; nothing when it is as the manifest expects."""
    wrong = []
    rule = entry["expect"].partition(":")[0]
    if outcome.code in CRASHES:
        wrong.append(f"{outcome.code}: {outcome.reason}")
    if outcome.alone_s > LIMIT_S:
        wrong.append(f"{outcome.alone_s:.0f} s")
    if not RULES[rule](outcome):
        wrong.append(f"expected {entry['expect']}, got {outcome.code or 'text'}")
    seen = outcome.text + outcome.reason
    wrong += [f"contains {word!r}" for word in entry.get("must_not_contain", ()) if word in seen]
    wrong += [f"misses {fact!r}" for fact in missing(entry.get("facts", ()), outcome.text, outcome.recognised)]
    if not outcome.code and not outcome.text.strip() and not outcome.warnings:
        wrong.append("nothing was read and nothing says so")
    return wrong


def hostile(sandbox: Sandbox, folder: Path, wanted: Sequence[dict[str, Any]]) -> tuple[Table, list[str]]:
    """Each hostile file's outcome, and what is not as expected."""
    table = Table("file", "expected", "seconds", "outcome", title="Hostile files")
    faults = []
    for entry in wanted:
        path = folder / entry["file"]
        outcome = read(sandbox, path, entry.get("upload_as", ""))
        wrong = as_expected(entry, outcome)
        faults += [f"{path.name}: {reason}" for reason in wrong]
        said = outcome.code or f"{len(outcome.text.strip())} characters; {'; '.join(outcome.warnings)}"
        table.add_row(
            path.name[:50], entry["expect"][:8], f"{outcome.alone_s:.2f}", ("!! " if wrong else "") + said[:60]
        )
    return table, faults
