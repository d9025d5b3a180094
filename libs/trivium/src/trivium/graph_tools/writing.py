"""The tools that write, as one call or many may use them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

import msgspec

from trivium.api import Input
from trivium.graph_tools.create_entity import CreateEntity, create_entity
from trivium.graph_tools.create_relation import CreateRelation, create_relation
from trivium.graph_tools.create_todo import CreateTodo, create_todo
from trivium.graph_tools.delete_entity import DeleteEntity, delete_entity
from trivium.graph_tools.delete_relation import DeleteRelation, delete_relation
from trivium.graph_tools.desk import Desk
from trivium.graph_tools.mark_for_review import MarkForReview, mark_for_review
from trivium.graph_tools.merge_entity import MergeEntity, merge_entity
from trivium.graph_tools.merge_relation import MergeRelation, merge_relation
from trivium.graph_tools.update_entity import UpdateEntity, update_entity
from trivium.graph_tools.update_relation import UpdateRelation, update_relation


class WritingTool(msgspec.Struct, frozen=True):
    """`draft` drafts edits at the desk; whoever called it appends them."""

    arguments: type[Input]
    draft: Callable[[Desk, Any], Awaitable[None]]


WRITING: Mapping[str, WritingTool] = {
    "create_entity": WritingTool(CreateEntity, create_entity),
    "create_relation": WritingTool(CreateRelation, create_relation),
    "update_entity": WritingTool(UpdateEntity, update_entity),
    "update_relation": WritingTool(UpdateRelation, update_relation),
    "merge_entity": WritingTool(MergeEntity, merge_entity),
    "merge_relation": WritingTool(MergeRelation, merge_relation),
    "delete_entity": WritingTool(DeleteEntity, delete_entity),
    "delete_relation": WritingTool(DeleteRelation, delete_relation),
    "mark_for_review": WritingTool(MarkForReview, mark_for_review),
    "create_todo": WritingTool(CreateTodo, create_todo),
}
