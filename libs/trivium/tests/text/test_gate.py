from __future__ import annotations

import pytest

from trivium.text import gate


@pytest.mark.parametrize(
    "name",
    [
        "Ana Rivera",
        "U.S. Geological Survey",
        "J. R. R. Tolkien",
        "AT&T",
        "C++",
        "TCP/IP",
        "GPT-4",
        "Université de Montréal",
        "Łódź",
        "東京",
        "नरेंद्र मोदी",
        "ที่ดิน",
        "தமிழ்நாடு",
        "São Tomé and Príncipe",
        "F1",
        "The Origin of Species",
        "World War II",
        "O'Neill",
        "PostgreSQL",
        "Rhythm Section",
        "NATO",
        "CRDTs",
    ],
)
def test_a_real_name_passes_the_gate(name: str) -> None:
    assert gate.rejected(name) == ""


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("A " + "very " * 12 + "long name", "too_long"),
        ("x\x01\x02\x03", "unprintable"),
        ("---", "unprintable"),
        ("Rivera is the head", "sentence_fragment"),
        ("because the pump", "sentence_fragment"),
        ("Department of the", "sentence_fragment"),
        ("the valve. It opened", "sentence_fragment"),
        ("nullptr", "code_keyword"),
        ("load_config", "code_keyword"),
        ("Parser.read()", "code_keyword"),
        ("std::vector", "code_keyword"),
        ("E = mc", "formula"),
        ("x ^ 2", "formula"),
        ("\\alpha", "formula"),
        ("A.,:-!?B", "punctuation_flood"),
        ("(cid:12)Report", "pdf_garbage"),
        ("Aaaaaaargh", "pdf_garbage"),
        ("Tblgrwsk", "pdf_garbage"),
        ("Introduction", "generic_heading"),
        ("3.1 Results", "generic_heading"),
        ("Table 4", "generic_heading"),
        ("Appendix B", "generic_heading"),
        ("Table of Contents", "generic_heading"),
    ],
)
def test_what_is_no_name_is_refused_with_its_reason(name: str, reason: str) -> None:
    assert gate.rejected(name) == reason


def test_the_rules_are_eight_and_run_from_cheap_to_dear() -> None:
    assert [reason for reason, _ in gate.RULES] == [
        "too_long",
        "unprintable",
        "sentence_fragment",
        "code_keyword",
        "formula",
        "punctuation_flood",
        "pdf_garbage",
        "generic_heading",
    ]
