"""The command line: a client of the HTTP API. `main.py` lists the commands; each stands in the file of its name."""
