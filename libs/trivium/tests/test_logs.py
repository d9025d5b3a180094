"""What a process writes, whoever writes it, is one form; what repeats is counted."""

from __future__ import annotations

import json
import logging
import subprocess
import sys
from typing import Any

import pytest
import structlog

from trivium.logs.repeats import MAX_KINDS, Repeats, kind_of
from trivium.logs.setup import configure_logging

BEGIN = """
import logging, os, subprocess, sys, threading, warnings
import structlog
from trivium.logs.said import log_child
from trivium.logs.setup import configure_logging, log_everything
configure_logging("info", "json")
log_everything("json")
log = structlog.get_logger()
"""


def lines_of(script: str) -> list[dict[str, Any]]:
    done = subprocess.run(
        [sys.executable, "-c", BEGIN + script], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.stdout == ""
    told: list[dict[str, Any]] = [json.loads(line) for line in done.stderr.splitlines()]
    assert all({"time", "level", "event"} <= set(line) for line in told)
    return told


@pytest.mark.parametrize(
    ("script", "level", "says"),
    [
        ("log.info('ready', tenant='t')", "info", "ready"),
        (
            "logging.getLogger('celery.worker').error('Cannot connect to %s', 'redis')",
            "error",
            "Cannot connect to redis",
        ),
        ("warnings.warn('careful')", "warning", "careful"),
        ("print('printed')", "info", "printed"),
        ("print('printed', file=sys.__stderr__)", "error", "printed"),
        ("threading.Thread(target=lambda: 1 / 0).start()", "error", "ZeroDivisionError"),
        ("raise ValueError('nobody caught this')", "critical", "nobody caught this"),
        (
            "child = subprocess.Popen([sys.executable, '-c', 'import os; os.write(2, b\"from C\")'],"
            " stderr=subprocess.PIPE); log_child(child.stderr, 'parser'); child.wait();"
            " [thread.join() for thread in threading.enumerate() if thread.name == 'said by parser']",
            "warning",
            "from C",
        ),
    ],
)
def test_every_line_is_json_whoever_wrote_it(script: str, level: str, says: str) -> None:
    [line] = lines_of(script)
    assert line["level"] == level
    assert says in line["event"] + line.get("exception", "")


def test_a_forked_process_writes_the_same_form_and_counts_by_itself() -> None:
    told = lines_of("for _ in range(3): log.warning('away')\nos.wait() if os.fork() else log.warning('away')")
    assert [line.get("repeated", 0) for line in told] == [0, 0, 2]


def test_a_librarys_line_tells_the_request_that_it_was_about() -> None:
    bound = (
        "with structlog.contextvars.bound_contextvars(tenant='t', trace='r'): logging.getLogger('lib').error('lost')"
    )
    [line] = lines_of(bound)
    assert (line["logger"], line["tenant"], line["trace"]) == ("lib", "t", "r")


def record(event: str, level: int = logging.WARNING, **fields: str) -> logging.LogRecord:
    return logging.LogRecord("trivium", level, "", 0, {"event": event, **fields}, None, None)  # type: ignore[arg-type]


def test_what_repeats_is_told_once_in_a_window_with_its_number() -> None:
    repeats = Repeats(window_s=30)
    assert repeats.first(record("stage_retried", code="away", document="d0"), 0)
    assert not any(repeats.first(record("stage_retried", code="away", document=f"d{i}"), i) for i in range(1, 20))
    assert repeats.first(record("stage_retried", code="full"), 20)
    assert repeats.due(29) == []
    [told] = repeats.due(30)
    assert (told.msg["document"], told.repeated) == ("d19", 19)  # type: ignore[index, attr-defined]
    assert not repeats.first(record("stage_retried", code="away"), 31)
    assert repeats.due(59) == []
    assert [each.repeated for each in repeats.rest()] == [1]  # type: ignore[attr-defined]
    assert repeats.first(record("stage_retried", code="away"), 60)


def test_an_error_is_told_for_each_document_and_a_library_may_count() -> None:
    failed = [record("document_failed", logging.ERROR, document=name) for name in ("a", "b")]
    assert kind_of(failed[0]) != kind_of(failed[1])
    of_one = [record("document_failed", logging.ERROR, document="a", trace=name) for name in ("r1", "r2")]
    assert kind_of(of_one[0]) == kind_of(of_one[1])
    pauses = [
        logging.LogRecord("celery", logging.ERROR, "", 0, "Trying again in %s seconds", (pause,), None)
        for pause in (2, 4)
    ]
    assert kind_of(pauses[0]) == kind_of(pauses[1])


def test_every_fault_of_ours_is_told_with_the_request_that_its_caller_is_to_report() -> None:
    fault = (
        "from trivium.telemetry import told_fault\n"
        "told = [told_fault(KeyError('boom'), f'r{number}').action for number in (0, 1, 2, 2)]\n"
        "assert 'report request r1' in told[1]\n"
    )
    told = lines_of(fault)
    assert [(line["trace"], line.get("repeated", 0)) for line in told] == [("r0", 0), ("r1", 0), ("r2", 0), ("r2", 1)]
    warned = [record("source_failed", code="late", trace=name) for name in ("r0", "r1")]
    assert kind_of(warned[0]) == kind_of(warned[1])


def test_however_many_requests_fail_only_so_many_are_remembered() -> None:
    repeats = Repeats()
    for number in range(MAX_KINDS + 1):
        assert not repeats.full
        assert repeats.first(record("internal_error", logging.ERROR, trace=f"r{number}"), 0)
    assert repeats.full, "its owner tells what waits and forgets"
    assert repeats.rest() == []
    assert not repeats.full


def test_in_words_a_line_is_for_people(capsys: pytest.CaptureFixture[str]) -> None:
    configure_logging("info", "text")
    structlog.get_logger().warning("stage_retried", code="away")
    assert "stage_retried" in (said := capsys.readouterr().err)
    assert "code=away" in said
    configure_logging("error", "text")
    logging.getLogger("lib").warning("not told")
    assert capsys.readouterr().err == ""


def test_a_logger_that_was_used_before_the_settings_were_known_follows_them(capsys: pytest.CaptureFixture[str]) -> None:
    log = structlog.get_logger()
    configure_logging("error", "text")
    log.warning("not told")
    configure_logging("info", "text")
    log.warning("stage_retried")
    said = capsys.readouterr().err
    assert "stage_retried" in said
    assert "not told" not in said
