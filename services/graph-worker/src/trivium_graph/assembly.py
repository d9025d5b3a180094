"""The graph worker's stages, from settings and ports."""

from __future__ import annotations

from trivium.config import Settings
from trivium.flow.stage import StageWork
from trivium.llm.connect import llm_address
from trivium.ports.graph import Graphs
from trivium_graph.stages import ExtractWork, LinkWork


def graph_stages(settings: Settings, graphs: Graphs) -> list[StageWork]:
    """Extraction, and the writing of what it found."""
    return [ExtractWork(llm_address(settings) if settings.extract_with_llm else None), LinkWork(graphs)]
