"""An MCP server (Model Context Protocol) over Trivium's HTTP interface. Needs the extra `trivium[mcp]`."""
