"""The graph worker's stages, from settings and ports."""

from __future__ import annotations

from trivium.config import Settings
from trivium.edits.curation import curation_of
from trivium.flow.stage import StageWork
from trivium.llm.connect import llm_address
from trivium.ports.stores import Stores
from trivium_graph.agent.limits import Limits
from trivium_graph.stages import ExtractWork, LinkWork


def graph_stages(settings: Settings, stores: Stores) -> list[StageWork]:
    """Extraction, and the writing of what it found."""
    limits = Limits(settings.agent_budget_tokens, settings.agent_rounds)
    llm, curation = llm_address(settings), curation_of(stores)
    return [ExtractWork(llm, settings.extractors, stores.graphs, curation, limits), LinkWork(stores.graphs)]
