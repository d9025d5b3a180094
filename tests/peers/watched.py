"""What the dashboards and alerts ask Prometheus for, and Debian's Prometheus asking the real processes."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx2
import msgspec
from local_services import SERVICES_DIR
from waiting import wait_until

ROOT = Path(__file__).parents[2]
RULES = ROOT / "deploy/helm/trivium/files/alerts.yaml"
sys.path.insert(0, str(ROOT / "deploy/dashboards"))
sys.path.insert(0, str(ROOT / "docs"))

from panels import BOARDS, Panel  # noqa: E402
from write_metrics import rows  # noqa: E402

__all__ = ["ABSENT", "ROOT", "RULES", "alerts", "asked", "known_metrics", "panels", "prometheus", "tool"]


ABSENT = "Prometheus is not installed (`deploy/local/services.sh install prometheus`, as `make test-servers` does)"


def tool(name: str) -> str | None:
    """Where `prometheus` or `promtool` lies, as the recipe installs it or else the system; None where nowhere."""
    installed = SERVICES_DIR.resolve() / "prometheus/root/usr/bin" / name
    return str(installed) if installed.exists() else shutil.which(name)


def alerts() -> dict[str, str]:
    """Expression by alert."""
    read = msgspec.yaml.decode(RULES.read_bytes())
    return {rule["alert"]: rule["expr"] for group in read["groups"] for rule in group["rules"]}


def panels() -> dict[str, Panel]:
    """Every panel of every dashboard, by a name that tells which."""
    return {f"{board.name}: {panel.title}": panel for board in BOARDS for panel in board.panels}


def known_metrics() -> frozenset[str]:
    """Every name that may stand in an expression."""
    names: set[str] = set()
    for row in rows():
        names |= (
            {f"{row.name}{part}" for part in ("_bucket", "_sum", "_count")} if row.kind == "histogram" else {row.name}
        )
    return frozenset(names)


@contextmanager
def prometheus(folder: Path, targets: Sequence[str], port: int) -> Iterator[httpx2.Client]:
    """Debian's Prometheus over these addresses, once a second, with the rules loaded."""
    folder.mkdir(parents=True, exist_ok=True)
    shutil.copy(RULES, folder / "alerts.yaml")
    config: dict[str, Any] = {
        "global": {"scrape_interval": "1s", "evaluation_interval": "1s"},
        "rule_files": ["alerts.yaml"],
        "scrape_configs": [{"job_name": "trivium", "static_configs": [{"targets": list(targets)}]}],
    }
    (folder / "prometheus.yml").write_bytes(msgspec.json.encode(config))
    program = tool("prometheus")
    assert program, ABSENT
    command = [
        program,
        f"--config.file={folder / 'prometheus.yml'}",
        f"--storage.tsdb.path={folder / 'data'}",
        f"--web.listen-address=127.0.0.1:{port}",
    ]
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(command, cwd=folder, stdout=log, stderr=subprocess.STDOUT)
    try:
        with httpx2.Client(base_url=f"http://127.0.0.1:{port}/api/v1", trust_env=False, timeout=30) as client:

            def scraped() -> bool:
                try:
                    return len(asked(client, "up == 1")) == len(targets)
                except (httpx2.HTTPError, ValueError):  # it says in words that it is starting
                    return False

            wait_until(scraped, "Prometheus reads every process", told=lambda: (folder / "log").read_text()[-3000:])
            yield client
    finally:
        process.terminate()
        process.wait(30)


def asked(client: httpx2.Client, expression: str) -> list[Any]:
    """The series that an expression answers now. Raises `AssertionError` with Prometheus' words where it is none."""
    answer = client.get("/query", params={"query": expression}).json()
    assert answer["status"] == "success", f"{expression}: {answer.get('error')}"
    result: list[Any] = answer["data"]["result"]
    return result
