"""READ FIRST: `read_document.py`, an agent that reads a document for the graph, passage by passage (RAGA R2, R3).

`read_passage.py` has the rounds of one passage, `tools.py` the table of what the model may call, `workbench.py` what
the tools work at, `record.py` what is kept of each passage, `limits.py` what bounds it all, `decisions.py` what becomes
edits.
"""
