"""Which role each route and each call needs. A route or a call that stands not here is no part of any server."""

from __future__ import annotations

from collections.abc import Mapping

from trivium.domain.access import Role

_R, _W, _A = Role.READER, Role.WRITER, Role.ADMIN
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

ROUTES: Mapping[str, Role] = {
    "POST /v1/sources": _W,
    "GET /v1/sources": _R,
    "DELETE /v1/sources": _W,
    "GET /v1/sources/{id}": _R,
    "DELETE /v1/sources/{id}": _W,
    "POST /v1/sources/{id}/password": _W,
    "GET /v1/sources/{id}/chunks": _R,
    "GET /v1/sources/{id}/content": _R,
    "GET /v1/sources/{id}/view": _R,
    "GET /v1/sources/{id}/assets/{name}": _R,
    "POST /v1/crawls": _W,
    "POST /v1/search": _R,
    "POST /v1/queries": _R,
    "POST /v1/conversations": _R,
    "GET /v1/conversations": _R,
    "GET /v1/conversations/{id}": _R,
    "DELETE /v1/conversations/{id}": _R,
    "POST /v1/conversations/{id}/queries": _R,
    "GET /v1/graph/entities": _R,
    "GET /v1/graph/entities/{id}": _R,
    "GET /v1/graph/links/{id}": _R,
    "GET /v1/graph/topics": _R,
    "GET /v1/graph/topics/{id}": _R,
    "GET /v1/graph/export": _R,
    "GET /v1/graph/schema": _R,
    "GET /v1/graph/schema/diff": _R,
    "POST /v1/graph/schema/propose": _W,
    "POST /v1/graph/schema/accept": _W,
    "POST /v1/graph/schema/reject": _W,
    "GET /v1/graph/tools": _R,
    **{f"POST /v1/graph/tools/{tool}": _R for tool in _READ_TOOLS},
    **{f"POST /v1/graph/tools/{tool}": _W for tool in _EDIT_TOOLS},
    "GET /v1/graph/edits": _R,
    "POST /v1/graph/edits/{id}/undo": _W,
    "POST /v1/graph/edits/{id}/dismiss": _W,
    "GET /v1/graph/provenance": _R,
    "GET /v1/graph/duplicates": _R,
    "POST /v1/graph/duplicates/accept": _W,
    "POST /v1/graph/duplicates/dismiss": _W,
    "GET /v1/contradictions": _R,
    "POST /v1/contradictions/{id}/dismiss": _W,
    "GET /v1/status": _R,
    "GET /openai/v1/models": _R,
    "GET /openai/v1/models/{model:path}": _R,
    "POST /openai/v1/chat/completions": _R,
    "POST /openai/v1/responses": _R,
    "POST /openai/v1/embeddings": _R,
}
"""Method and path, as the OpenAPI document writes them."""

CALLS: Mapping[str, Role] = {
    "CreateConversation": _R,
    "GetConversation": _R,
    "ListConversations": _R,
    "DeleteConversation": _R,
    "ListTools": _R,
    "RunTool": _R,  # and the role of the tool's route
    "UndoEdit": _W,
    "DismissEdit": _W,
    "ListEdits": _R,
    "GetProvenance": _R,
    "ListDuplicates": _R,
    "AcceptDuplicate": _W,
    "DismissDuplicate": _W,
    "GetSchema": _R,
    "ProposeSchema": _W,
    "AcceptSchema": _W,
    "RejectSchema": _W,
    "DiffSchema": _R,
    "SubmitSource": _W,
    "GetSource": _R,
    "ListSources": _R,
    "CrawlSite": _W,
    "UnlockSource": _W,
    "DeleteSource": _W,
    "DeleteSources": _W,
    "Search": _R,
    "Ask": _R,
    "AskStream": _R,
    "ListContradictions": _R,
    "DismissContradiction": _W,
    "ListTopics": _R,
    "GetTopic": _R,
    "ExportGraph": _R,
}
"""Call of any gRPC service; no two services have one of the same name."""


def role_of_tool(name: str) -> Role:
    """What a tool of the graph needs through whatever door; one that is unknown needs most."""
    return ROUTES.get(f"POST /v1/graph/tools/{name}", Role.ADMIN)
