"""What a corpus needs: the calculation's properties, and that the document tells what it says."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench"))
from scale import INGEST_S, SERVERS_S, WORKERS, Corpus, Prices, need, throughput  # noqa: E402

PRICES = Prices(core_hour=0.04, gb_month=0.08, gpu_hour=2.0)


def scale(*words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(ROOT / "bench/scale.py"), *words]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)


def test_the_document_shows_what_its_commands_print() -> None:
    text = (ROOT / "docs/scale.md").read_text()
    commands = [line.split()[2:] for line in text.splitlines() if line.startswith("    python bench/scale.py ")]
    assert len(commands) == 2
    for words in commands:
        for table in scale(*words).stdout.split("\n\n"):
            assert table.strip() in text, f"docs/scale.md is not what `python bench/scale.py {' '.join(words)}` prints"


def test_ten_times_the_documents_need_ten_times_as_much() -> None:
    one, ten = (need(Corpus(count), 7, PRICES) for count in (10**8, 10**9))
    assert ten.disk_gb == pytest.approx(10 * one.disk_gb)
    for name in ("ingest_workers", "graph_workers", "model_cores", "server_cores"):
        assert 10 * (getattr(one, name) - 1) < getattr(ten, name) <= 10 * getattr(one, name)


def test_half_the_time_needs_twice_the_workers_and_about_the_same_money() -> None:
    slow, fast = (need(Corpus(10**9), days, PRICES) for days in (14, 7))
    assert fast.ingest_workers == pytest.approx(2 * slow.ingest_workers, rel=0.05)
    assert fast.once == pytest.approx(slow.once, rel=0.05)


def test_models_on_gpus_need_no_cores_and_scans_need_more() -> None:
    plain, on_gpus, scans = (
        need(Corpus(10**8), 7, PRICES),
        need(Corpus(10**8), 7, PRICES, gpu_passages_s=1000.0),
        need(Corpus(10**8, pages=1), 7, PRICES),
    )
    assert (on_gpus.model_cores, on_gpus.gpus) == (0, 1)
    assert scans.model_cores > 10 * plain.model_cores


@pytest.mark.parametrize("cores", [1, 2, 32])
def test_more_workers_do_more_and_never_more_than_the_servers(cores: int) -> None:
    rates = [throughput(count, cores) for count in WORKERS]
    assert rates == sorted(rates)
    assert rates[0] == pytest.approx(1 / INGEST_S)
    assert all(
        rate <= min(count / INGEST_S, cores / SERVERS_S) * 1.000001 for rate, count in zip(rates, WORKERS, strict=True)
    )


@pytest.mark.parametrize("words", [["--days", "0"], ["--days", "nan"], ["--core-hour", "-1"], ["--documents", "0"]])
def test_nonsense_is_refused(words: list[str]) -> None:
    done = scale("--core-hour", "1", "--gb-month", "1", *words)
    assert done.returncode == 2
    assert "error:" in done.stderr
