"""Which role each route and each call needs, what the trail calls what it does, and what it is among a key's uses.

A route or a call that does not stand here is no part of any server.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

import msgspec

from trivium.domain.access import Role


class Rule(msgspec.Struct, frozen=True):
    """`action` is what the trail says; "" for what changes nothing, which counts as `reading` among a key's uses."""

    role: Role
    action: str = ""
    reading: str = "read"

    @property
    def use(self) -> str:
        """What a request counts as; "" for what is counted elsewhere."""
        return self.action or self.reading


_R = Rule(Role.READER)
_SEARCH, _ASK, _EMBED, _EXPORT, _BEGIN, _BY_TOOL = (
    Rule(Role.READER, reading=use) for use in ("search", "ask", "embed", "graph.export", "conversation.begin", "")
)
_LIST_KEYS, _READ_TRAIL = (Rule(Role.ADMIN, reading=use) for use in ("key.list", "trail.read"))


_reader, _writer, _admin = (partial(Rule, role) for role in (Role.READER, Role.WRITER, Role.ADMIN))
_READ_TOOLS = ("read_paragraph", "browse_context", "search_kg", "explore_fusion", "get_progress")
_EDIT_TOOLS = (
    "create_entity",
    "create_relation",
    "update_entity",
    "update_relation",
    "merge_entity",
    "merge_relation",
    "delete_entity",
    "delete_relation",
    "mark_for_review",
    "create_todo",
    "batch_kg_operations",
    "import_list",
)

HANDING_OVER = ("source.add", "source.crawl")
"""Actions that count as an upload."""

OPENED = "link.open"
"""What the trail calls reading by a signed link; reading with a key leaves no entry."""

ROUTES: Mapping[str, Rule] = {
    "POST /v1/sources": _writer("source.add"),
    "GET /v1/sources": _R,
    "DELETE /v1/sources": _writer("source.delete"),
    "GET /v1/sources/{id}": _R,
    "DELETE /v1/sources/{id}": _writer("source.delete"),
    "POST /v1/sources/{id}/password": _writer("source.unlock"),
    "GET /v1/sources/{id}/chunks": _R,
    "GET /v1/sources/{id}/content": _R,
    "GET /v1/sources/{id}/view": _R,
    "GET /v1/sources/{id}/assets/{name}": _R,
    "GET /v1/datasets": _R,
    "POST /v1/crawls": _writer("source.crawl"),
    "GET /v1/connections": _R,
    "POST /v1/connections": _admin("connection.add"),
    "GET /v1/connections/{id}": _R,
    "POST /v1/connections/{id}/run": _writer("connection.run"),
    "DELETE /v1/connections/{id}": _admin("connection.remove"),
    "POST /v1/search": _SEARCH,
    "POST /v1/queries": _ASK,
    "POST /v1/conversations": _BEGIN,
    "GET /v1/conversations": _R,
    "GET /v1/conversations/{id}": _R,
    "DELETE /v1/conversations/{id}": _reader("conversation.delete"),
    "POST /v1/conversations/{id}/queries": _ASK,
    "GET /v1/graph/entities": _R,
    "GET /v1/graph/entities/{id}": _R,
    "GET /v1/graph/links/{id}": _R,
    "GET /v1/graph/topics": _R,
    "GET /v1/graph/topics/{id}": _R,
    "GET /v1/graph/export": _EXPORT,
    "GET /v1/graph/schema": _R,
    "GET /v1/graph/schema/diff": _R,
    "POST /v1/graph/schema/propose": _writer("schema.propose"),
    "POST /v1/graph/schema/accept": _writer("schema.accept"),
    "POST /v1/graph/schema/reject": _writer("schema.reject"),
    "GET /v1/graph/tools": _R,
    **{f"POST /v1/graph/tools/{tool}": Rule(Role.READER, reading=f"graph.{tool}") for tool in _READ_TOOLS},
    **{f"POST /v1/graph/tools/{tool}": _writer(f"graph.{tool}") for tool in _EDIT_TOOLS},
    "GET /v1/graph/edits": _R,
    "POST /v1/graph/edits/{id}/undo": _writer("edit.undo"),
    "POST /v1/graph/edits/{id}/dismiss": _writer("edit.dismiss"),
    "GET /v1/graph/provenance": _R,
    "GET /v1/graph/duplicates": _R,
    "POST /v1/graph/duplicates/accept": _writer("duplicate.accept"),
    "POST /v1/graph/duplicates/dismiss": _writer("duplicate.dismiss"),
    "GET /v1/contradictions": _R,
    "POST /v1/contradictions/{id}/dismiss": _writer("contradiction.dismiss"),
    "GET /v1/status": _R,
    "GET /openai/v1/models": _R,
    "GET /openai/v1/models/{model:path}": _R,
    "POST /openai/v1/chat/completions": _ASK,
    "POST /openai/v1/responses": _ASK,
    "POST /openai/v1/embeddings": _EMBED,
    "GET /v1/keys": _LIST_KEYS,
    "POST /v1/keys": _admin("key.create"),
    "POST /v1/keys/{id}/rotate": _admin("key.rotate"),
    "DELETE /v1/keys/{id}": _admin("key.revoke"),
    "GET /v1/trail": _READ_TRAIL,
}
"""Method and path, as the OpenAPI document writes them."""

CALLS: Mapping[str, Rule] = {
    "CreateConversation": _BEGIN,
    "GetConversation": _R,
    "ListConversations": _R,
    "DeleteConversation": _reader("conversation.delete"),
    "ListTools": _R,
    "RunTool": _BY_TOOL,  # and the rule of the tool's route
    "UndoEdit": _writer("edit.undo"),
    "DismissEdit": _writer("edit.dismiss"),
    "ListEdits": _R,
    "GetProvenance": _R,
    "ListDuplicates": _R,
    "AcceptDuplicate": _writer("duplicate.accept"),
    "DismissDuplicate": _writer("duplicate.dismiss"),
    "ListEntities": _R,
    "GetEntity": _R,
    "GetLinks": _R,
    "GetSchema": _R,
    "ProposeSchema": _writer("schema.propose"),
    "AcceptSchema": _writer("schema.accept"),
    "RejectSchema": _writer("schema.reject"),
    "DiffSchema": _R,
    "SubmitSource": _writer("source.add"),
    "GetSource": _R,
    "ListSources": _R,
    "ListDatasets": _R,
    "CrawlSite": _writer("source.crawl"),
    "UnlockSource": _writer("source.unlock"),
    "DeleteSource": _writer("source.delete"),
    "DeleteSources": _writer("source.delete"),
    "Search": _SEARCH,
    "Ask": _ASK,
    "AskStream": _ASK,
    "ListContradictions": _R,
    "DismissContradiction": _writer("contradiction.dismiss"),
    "ListTopics": _R,
    "GetTopic": _R,
    "ExportGraph": _EXPORT,
    "ListKeys": _LIST_KEYS,
    "CreateKey": _admin("key.create"),
    "RotateKey": _admin("key.rotate"),
    "RevokeKey": _admin("key.revoke"),
    "ListTrail": _READ_TRAIL,
    "AddConnection": _admin("connection.add"),
    "ListConnections": _R,
    "GetConnection": _R,
    "RunConnection": _writer("connection.run"),
    "RemoveConnection": _admin("connection.remove"),
}
"""Call of any gRPC service; no two services have one of the same name."""


def rule_of_tool(name: str) -> Rule:
    """A tool of the graph through whatever door; one that is unknown needs most."""
    return ROUTES.get(f"POST /v1/graph/tools/{name}", Rule(Role.ADMIN))
