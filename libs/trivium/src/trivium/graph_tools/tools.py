"""The table of tools: what each takes and gives, and how it is run."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

import msgspec

from trivium.api import Edited, Input, Output
from trivium.graph_tools.batch_kg_operations import BatchKgOperations, batch_kg_operations
from trivium.graph_tools.browse_context import BrowseContext, Context, browse_context
from trivium.graph_tools.desk import Desk
from trivium.graph_tools.explore_fusion import Exploration, ExploreFusion, explore_fusion
from trivium.graph_tools.get_progress import GetProgress, Progress, get_progress
from trivium.graph_tools.import_list import Imported, ImportList, import_list
from trivium.graph_tools.read_paragraph import Paragraph, ReadParagraph, read_paragraph
from trivium.graph_tools.search_kg import EntitiesFound, SearchKg, search_kg
from trivium.graph_tools.writing import WRITING
from trivium.ports.llm import Tool as LlmTool


class GraphTool(msgspec.Struct, frozen=True):
    """A tool. Its JSON Schema is that of its types."""

    name: str
    arguments: type[Input]
    result: type[Output]
    run: Callable[[Desk, Any], Awaitable[Output]]

    @property
    def description(self) -> str:
        """For who chooses among tools: a person, or a model."""
        return (self.arguments.__doc__ or "").strip()

    def for_model(self) -> LlmTool:
        """As a language model is told of it."""
        return LlmTool(self.name, self.description, self.arguments)


def _writing(name: str, arguments: type[Input], draft: Callable[[Desk, Any], Awaitable[None]]) -> GraphTool:
    async def run(desk: Desk, wanted: Any) -> Edited:
        async def drafted() -> Edited:
            await draft(desk, wanted)
            return await desk.append()

        return await desk.undisturbed(drafted)

    return GraphTool(name, arguments, Edited, run)


TOOLS: Mapping[str, GraphTool] = {
    tool.name: tool
    for tool in (
        GraphTool("read_paragraph", ReadParagraph, Paragraph, read_paragraph),
        GraphTool("browse_context", BrowseContext, Context, browse_context),
        GraphTool("search_kg", SearchKg, EntitiesFound, search_kg),
        GraphTool("explore_fusion", ExploreFusion, Exploration, explore_fusion),
        *(_writing(name, tool.arguments, tool.draft) for name, tool in WRITING.items()),
        _writing("batch_kg_operations", BatchKgOperations, batch_kg_operations),
        GraphTool("get_progress", GetProgress, Progress, get_progress),
    )
}

CALLABLE: Mapping[str, GraphTool] = {
    **TOOLS,
    "import_list": GraphTool("import_list", ImportList, Imported, import_list),
}
"""What programs and people may call: the tools, and what is of no use to a model."""
