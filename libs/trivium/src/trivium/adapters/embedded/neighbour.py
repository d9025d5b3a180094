"""Another file of the data directory, read beside this one by a step that fills what was not stored before."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path


@contextmanager
def opened(file: Path, *, log: bool = True) -> Iterator[sqlite3.Connection]:
    """For reading alone, whoever else has it. Without `log` it is fast, and what is not in the file yet is not seen."""
    mode = "mode=ro" if log else "mode=ro&immutable=1"
    with closing(sqlite3.connect(f"{file.absolute().as_uri()}?{mode}", uri=True)) as connection:
        yield connection


def keywords_beside(connection: sqlite3.Connection) -> Path | None:
    """The keyword index in the folder of this database; None where there is none."""
    (_, _, file) = connection.execute("PRAGMA database_list").fetchone()
    beside = Path(file).with_name("keywords.sqlite")
    return beside if file and beside.exists() else None
