"""Logs: every line of a process, its own and its libraries', in one form on standard error."""
