"""Everything that is installed has a licence of `licences.toml`: what another one brings later is seen here first."""

from __future__ import annotations

import re
import tomllib
from importlib.metadata import Distribution, distributions
from pathlib import Path
from typing import Any

import pytest
from packaging.utils import canonicalize_name

LIST: dict[str, Any] = tomllib.loads(Path(__file__).with_name("licences.toml").read_text())
ALLOWED = {*LIST["permissive"], *LIST["file_copyleft"]}
INSTALLED = {canonicalize_name(one.metadata["Name"]): one for one in distributions()}


def test_every_installed_package_has_a_licence_that_is_allowed() -> None:
    refused = {name: said(one) for name, one in INSTALLED.items() if not allowed(name, said(one))}
    assert refused == {}, "read the licence; if it may be used, say so in tests/deploy/licences.toml"


def test_what_is_allowed_by_name_is_installed() -> None:
    assert set(LIST["by_name"]) <= set(INSTALLED)


@pytest.mark.parametrize(
    ("licence", "expected"),
    [
        (["Apache-2.0 OR GPL-3.0-only"], True),
        (["MIT AND GPL-3.0-only"], False),
        (["MPL-2.0 AND (Apache-2.0 OR MIT)"], True),
        (["MIT License", "GPL-3.0-only"], False),
        (["AGPL-3.0-only"], False),
        ([], False),
        (["Whatever"], False),
    ],
)
def test_the_check_refuses_what_is_not_on_the_list(licence: list[str], expected: bool) -> None:
    assert allowed("some-package", licence) is expected


def said(one: Distribution) -> list[str]:
    """All of them count: the expression, or the classifiers, or the first line of the field."""
    if expression := one.metadata["License-Expression"]:
        return [expression]
    classifiers = [
        line.rpartition("::")[2].strip() for line in one.metadata.get_all("Classifier") or [] if "License ::" in line
    ]
    named = [line for line in classifiers if line != "OSI Approved"]
    return named or [(one.metadata["License"] or "").split("\n")[0].strip()]


def allowed(name: str, licences: list[str]) -> bool:
    """A name on the list with its licence, or every licence of the list."""
    if not licences:
        return False
    return all(_allowed(LIST["words"].get(one, one), LIST["by_name"].get(name)) for one in licences)


def _allowed(expression: str, by_name: str | None) -> bool:
    """Of an expression of SPDX's: AND needs both sides, OR one."""
    text = expression.strip()
    inner = re.fullmatch(r"\(([^()]*)\)", text)
    if inner:
        return _allowed(inner[1], by_name)
    for word, combined in ((" OR ", any), (" AND ", all)):
        parts = _split(text, word)
        if len(parts) > 1:
            return combined(_allowed(part, by_name) for part in parts)
    return text in ALLOWED or text == by_name


def _split(text: str, word: str) -> list[str]:
    """At `word` outside of brackets."""
    parts, depth, begun = [], 0, 0
    for at, letter in enumerate(text):
        depth += {"(": 1, ")": -1}.get(letter, 0)
        if depth == 0 and text.startswith(word, at):
            parts.append(text[begun:at])
            begun = at + len(word)
    return [*parts, text[begun:]]
