"""Write the dashboards (`panels.py`) into the chart, with Grafana's own SDK; `--check`: fail where they differ.

By hand: Grafana, Dashboards, Import, and a file of deploy/helm/trivium/files/dashboards.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from grafana_foundation_sdk.builders.common import VizLegendOptions
from grafana_foundation_sdk.builders.dashboard import Dashboard, DatasourceVariable
from grafana_foundation_sdk.builders.prometheus import Dataquery
from grafana_foundation_sdk.builders.timeseries import Panel as TimeSeries
from grafana_foundation_sdk.cog.encoder import JSONEncoder
from grafana_foundation_sdk.models.common import LegendDisplayMode, LegendPlacement
from grafana_foundation_sdk.models.dashboard import DataSourceRef
from panels import BOARDS, Board, Panel

FOLDER = Path(__file__).parents[1] / "helm/trivium/files/dashboards"
SOURCE = DataSourceRef(type_val="prometheus", uid="${datasource}")


def written(board: Board) -> str:
    """One dashboard's JSON."""
    made = (
        Dashboard(board.title)
        .uid(f"trivium-{board.name}")
        .tags(["trivium"])
        .time("now-3h", "now")
        .refresh("30s")
        .timezone("browser")
        .with_variable(DatasourceVariable("datasource").type("prometheus").label("Prometheus"))
    )
    for panel in board.panels:
        made.with_panel(_graph(panel))
    return json.dumps(made.build(), cls=JSONEncoder, indent=1, sort_keys=True) + "\n"


def _graph(panel: Panel) -> TimeSeries:
    quiet = f"Shows nothing where {panel.quiet}." if panel.quiet else ""
    graph = (
        TimeSeries()
        .title(panel.title)
        .description(" ".join(filter(None, (panel.tells, quiet))))
        .datasource(SOURCE)
        .unit(panel.unit)
        .min(0)
        .span(12)
        .height(8)
        .legend(
            VizLegendOptions().display_mode(LegendDisplayMode.LIST).placement(LegendPlacement.BOTTOM).show_legend(True)
        )
    )
    for number, line in enumerate(panel.lines):
        graph.with_target(
            Dataquery().expr(line.expr).legend_format(line.legend).ref_id(chr(ord("A") + number)).datasource(SOURCE)
        )
    return graph


def main(arguments: list[str]) -> int:
    """Answers the exit status."""
    wanted = {FOLDER / f"{board.name}.json": written(board) for board in BOARDS}
    if "--check" in arguments:
        found = {path: path.read_text() for path in FOLDER.glob("*.json")}
        if found != wanted:
            print("The dashboards are not up to date: run deploy/dashboards/write.py.", file=sys.stderr)  # noqa: T201
        return int(found != wanted)
    FOLDER.mkdir(parents=True, exist_ok=True)
    for path in set(FOLDER.glob("*.json")) - set(wanted):
        path.unlink()
    for path, text in wanted.items():
        path.write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
