"""What Prometheus reads of the whole product: no label holds what somebody brought, and names keep the conventions."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from prometheus_client.parser import text_string_to_metric_families
from prometheus_client.samples import Sample
from watched import ABSENT, tool

from trivium.watching.labels import ALLOWED

CANARY = "zebrafinch"
_OF_PROMETHEUS = {"le", "quantile", "implementation", "major", "minor", "patchlevel", "generation"}


@pytest.fixture(scope="module")
def scrape(server) -> str:
    """The metrics after documents, questions and refusals that carry the canary everywhere a caller can put it."""
    server.take(f"{CANARY}.txt", f"The {CANARY} was counted at Lower Ford in 2023.", dataset=CANARY)
    server.take(f"{CANARY}.pdf", b"%PDF-1.4 no such thing")
    with server.http() as client:
        client.post("/v1/search", json={"query": f"Where is the {CANARY}?"})
        client.post("/v1/queries", json={"query": f"Where was the {CANARY} counted?"})
        client.get(f"/v1/sources/{CANARY}")
        client.get(f"/{CANARY}", headers={"x-request-id": CANARY})
        client.request(CANARY.upper(), "/v1/sources")
        client.request(CANARY.upper(), f"/{CANARY}")
        return str(client.get("/metrics").text)


def samples(text: str) -> Iterator[Sample]:
    for family in text_string_to_metric_families(text):
        yield from family.samples


def test_no_label_holds_what_a_caller_or_a_document_brought(scrape: str):
    assert CANARY not in scrape.lower()
    assert "other" in {sample.labels.get("method") for sample in samples(scrape)}  # the invented method was counted


def test_every_label_of_every_metric_holds_only_what_is_written_down(scrape: str):
    told = [sample for sample in samples(scrape) if sample.name.startswith("trivium_")]
    assert len({sample.name for sample in told}) > 25
    for sample in told:
        for label, value in sample.labels.items():
            if label in _OF_PROMETHEUS:
                continue
            allowed = ALLOWED[label]
            fits = value in allowed if isinstance(allowed, frozenset) else allowed.fullmatch(value)
            assert fits, f"{sample.name}: {label}={value!r}"


def test_every_declared_metric_has_labels_that_are_written_down():
    sys.path.insert(0, str(Path(__file__).parents[2] / "docs"))
    from write_metrics import rows

    declared = list(rows())
    assert len(declared) > 30
    assert {label for row in declared for label in row.labels} <= set(ALLOWED)


@pytest.mark.skipif(not tool("promtool"), reason=ABSENT)
def test_prometheus_own_tool_finds_nothing_wrong_with_the_names(scrape: str):
    ours = "\n".join(line for line in scrape.splitlines() if "trivium_" in line) + "\n"
    told = subprocess.run(
        [str(tool("promtool")), "check", "metrics"], input=ours, capture_output=True, text=True, check=False
    )
    assert told.returncode == 0, told.stdout + told.stderr
