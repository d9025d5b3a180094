"""READ FIRST: the MCP server: tools.py, and documents as resources; who is called stands in calls.py."""

from __future__ import annotations

from mcp import MCPError
from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ResourceError, ResourceNotFoundError
from mcp.types import INTERNAL_ERROR, Resource, ToolAnnotations

from trivium.api import Chunk
from trivium.domain.documents import DocumentState
from trivium.domain.errors import NotFound, TriviumError
from trivium.domain.parsed import UnitKind
from trivium.mcp_door.calls import CLIENT, told
from trivium.mcp_door.tools import READING, WRITING
from trivium.release import VERSION

LISTED = 100  # of the newest documents, as resources
MAX_PASSAGES = 200  # of a document that is read whole
MIN_REPEAT_CHARS = 8  # fewer may be alike by chance
ROWS = frozenset({UnitKind.TABLE, UnitKind.CHART, UnitKind.CODE})  # neighbours may be alike, and none be a repetition
BETWEEN = "\n\n"
INSTRUCTIONS = """\
Trivium holds the user's own documents. `ask` answers a question with citations; `search` finds passages; \
`open_source` reads around a citation. Name the citation with each statement that you take from a document."""


class TriviumMcp(MCPServer):
    """Its resources are the newest documents of whoever asks."""

    async def list_resources(self) -> list[Resource]:
        """The newest ready documents; older ones are read by the same addresses."""
        try:
            page = await CLIENT.get().sources(DocumentState.READY, limit=LISTED)
        except TriviumError as error:
            raise MCPError(INTERNAL_ERROR, str(error)) from error
        return [
            Resource(uri=f"trivium://sources/{source.id}", name=source.name, title=source.title or source.name)
            for source in page.sources
        ]


def make_server() -> MCPServer:
    """The server; it calls nobody before a request comes."""
    server = TriviumMcp("trivium", instructions=INSTRUCTIONS, version=VERSION, log_level="WARNING")
    for tool in READING:
        server.add_tool(told(tool), annotations=ToolAnnotations(read_only_hint=True))
    for tool in WRITING:
        server.add_tool(told(tool), annotations=ToolAnnotations(destructive_hint=False, idempotent_hint=True))
    server.resource("trivium://sources/{document_id}", name="document", mime_type="text/plain")(document)
    server.resource("trivium://sources/{document_id}/{chunk_number}", name="passage", mime_type="text/plain")(passage)
    return server


async def document(document_id: str) -> str:
    """The text of a document, of a long one its beginning."""
    try:
        parts: list[str] = []
        before = ""
        await CLIENT.get().source(document_id)
        async for chunk in CLIENT.get().chunks(document_id):
            if len(parts) == MAX_PASSAGES:
                parts.append(f"{BETWEEN}(The first {MAX_PASSAGES} passages; read on with open_source.)")
                break
            parts.append(_continued(before, chunk))
            before = chunk.text
    except TriviumError as error:
        raise _unread(error) from error
    return "".join(parts).removeprefix(BETWEEN)


def _continued(before: str, chunk: Chunk) -> str:
    """What the passage adds to the one `before` it, whose end it may repeat.

    Of a text that repeats itself the shortest such end counts: rather twice than not at all.
    """
    if chunk.kind not in ROWS and len(chunk.text) >= MIN_REPEAT_CHARS:
        beginning, at = chunk.text[:MIN_REPEAT_CHARS], len(before)
        while (at := before.rfind(beginning, 0, at)) >= 0:
            if chunk.text.startswith(before[at:]):
                return chunk.text.removeprefix(before[at:])
            at += MIN_REPEAT_CHARS - 1
    return BETWEEN + chunk.text


async def passage(document_id: str, chunk_number: str) -> str:
    """One passage, as a citation names it."""
    try:
        return (await CLIENT.get().chunk(document_id, int(chunk_number))).text
    except ValueError as error:
        told = f"{chunk_number[:80]!r} is no passage's number. Read one as a citation names it: the first is 1."
        raise ResourceNotFoundError(told) from error
    except TriviumError as error:
        raise _unread(error) from error


def _unread(error: TriviumError) -> ResourceError:
    """What cannot be an id or a number is no fault of ours either."""
    asked_for_nothing = isinstance(error, NotFound) or error.code == "invalid_request"
    return (ResourceNotFoundError if asked_for_nothing else ResourceError)(str(error))
