"""READ FIRST: `tools.py`, the table of what may be done with the graph, by people, programs and models alike.

A file a tool: its arguments, and one function from a `Desk` (whose graph, and who asks) and arguments to a result with
provenance. Reading tools answer; writing ones draft edits, and the desk checks and appends them. `values.py` has what
arguments and results share, `desk.py` finds entities, checks names and evidence, and appends.
"""
