"""The table of what the agent may call, and how a call is run."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from trivium.api import Input
from trivium.domain.errors import NotFound, Refused
from trivium.graph_tools.batch_kg_operations import Operation, arguments_of, numbered
from trivium.ports.llm import Tool, ToolCall
from trivium_graph.agent import constructing, correcting, looking
from trivium_graph.agent.limits import MAX_CALLS_A_TURN
from trivium_graph.agent.workbench import Workbench


class AgentTool(msgspec.Struct, frozen=True):
    """`run` answers what the model is shown, or raises `Refused` or `NotFound`, which it is shown as well."""

    name: str
    arguments: type[Input]
    run: Callable[[Workbench, Any], Awaitable[Any]]

    def for_model(self) -> Tool:
        """As a language model is told of it."""
        return Tool(self.name, (self.arguments.__doc__ or "").strip(), self.arguments)


_ALONE = ("batch_kg_operations", "finish_paragraph")


class BatchKgOperations(Input, frozen=True):
    """Several constructions and corrections in order; all of them count, or none."""

    operations: Annotated[tuple[Operation, ...], Meta(min_length=1, max_length=MAX_CALLS_A_TURN)]


async def batch_kg_operations(bench: Workbench, wanted: BatchKgOperations) -> Any:
    """Raises what the tools raise, with the operation's number before it; then nothing was done."""
    before, done = bench.draft, []
    kinds = {name: tool.arguments for name, tool in TOOLS.items() if name not in _ALONE}
    try:
        for number, operation in enumerate(wanted.operations, start=1):
            with numbered(number):
                arguments = arguments_of(operation, kinds)
                done.append(await TOOLS[operation.tool].run(bench, arguments))
    except (Refused, NotFound):
        bench.draft = before
        raise
    return done


TOOLS = {
    tool.name: tool
    for tool in (
        AgentTool("search_kg", looking.SearchKg, looking.search_kg),
        AgentTool("explore_fusion", looking.ExploreFusion, looking.explore_fusion),
        AgentTool("read_paragraph", looking.ReadParagraph, looking.read_paragraph),
        AgentTool("browse_context", looking.BrowseContext, looking.browse_context),
        AgentTool("create_entity", constructing.CreateEntity, constructing.create_entity),
        AgentTool("create_relation", constructing.CreateRelation, constructing.create_relation),
        AgentTool("update_entity", correcting.UpdateEntity, correcting.update_entity),
        AgentTool("update_relation", correcting.UpdateRelation, correcting.update_relation),
        AgentTool("delete_entity", correcting.DeleteEntity, correcting.delete_entity),
        AgentTool("delete_relation", correcting.DeleteRelation, correcting.delete_relation),
        AgentTool("merge_relation", correcting.MergeRelation, correcting.merge_relation),
        AgentTool("merge_entity", constructing.MergeEntity, constructing.merge_entity),
        AgentTool("mark_for_review", constructing.MarkForReview, constructing.mark_for_review),
        AgentTool("batch_kg_operations", BatchKgOperations, batch_kg_operations),
        AgentTool("create_todo", constructing.CreateTodo, constructing.create_todo),
        AgentTool("get_progress", looking.GetProgress, looking.get_progress),
        AgentTool("finish_paragraph", constructing.FinishParagraph, constructing.finish_paragraph),
    )
}
FOR_MODEL = tuple(tool.for_model() for tool in TOOLS.values())


async def run_call(bench: Workbench, call: ToolCall) -> str:
    """The result as JSON; a refusal says what to do. The call is of one of `TOOLS` and fits it."""
    tool = TOOLS[call.name]
    try:
        answer = await tool.run(bench, msgspec.convert(call.arguments, tool.arguments))
    except (Refused, NotFound) as error:
        answer = refusal(error.code, error.message, error.action)
    return msgspec.json.encode(answer).decode()


def refusal(code: str, message: str, action: str) -> dict[str, str]:
    """As the model is shown it."""
    return {"refused": code, "message": message, "action": action}
