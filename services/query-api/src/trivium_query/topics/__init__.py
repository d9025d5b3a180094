"""Topics of a collection: READ FIRST `make.py`; `kept.py` says when they are made."""
