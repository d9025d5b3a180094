"""The rules of alerts: Prometheus' own tool tests them, each has its line of what to do, and none asks for nothing."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from watched import ABSENT, ROOT, RULES, alerts, known_metrics, panels, tool

CASES = Path(__file__).with_name("alerts_test.yaml")
_OURS = re.compile(r"\btrivium_[a-z_]+")


@pytest.mark.skipif(not tool("promtool"), reason=ABSENT)
def test_each_alert_fires_on_what_it_is_for_and_not_before(tmp_path: Path):
    shutil.copy(RULES, tmp_path)
    shutil.copy(CASES, tmp_path)
    for command in (["check", "rules", RULES.name], ["test", "rules", CASES.name]):
        told = subprocess.run(
            [str(tool("promtool")), *command], cwd=tmp_path, capture_output=True, text=True, check=False
        )
        assert told.returncode == 0, told.stdout + told.stderr


def test_every_alert_is_tested_and_has_its_line_of_what_to_do():
    cases, page = CASES.read_text(), (ROOT / "docs/alerts.md").read_text()
    assert len(alerts()) > 10
    for name in alerts():
        assert re.search(rf"alertname: {name}\n\s+exp_alerts:\n", cases), f"{name} is never seen to fire"
        assert re.search(rf"^## {name}\n\S", page, re.M), f"{name} has no line in docs/alerts.md"
    assert set(re.findall(r"^## (\w+)", page, re.M)) == set(alerts())


def test_alerts_and_panels_ask_only_for_metrics_that_there_are():
    asked = [*alerts().values(), *(line.expr for panel in panels().values() for line in panel.lines)]
    assert {name for expression in asked for name in _OURS.findall(expression)} <= known_metrics()
