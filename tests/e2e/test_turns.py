"""Documents take turns: a page is answerable while large files are being read."""

from __future__ import annotations

from collections.abc import Callable

from turns import ask_for_a_page_while_tables_are_read

from .conftest import Server


def test_a_page_is_answerable_while_tables_of_many_rows_are_read(start_server: Callable[[str], Server]) -> None:
    server = start_server("data")
    ask_for_a_page_while_tables_are_read(server)
    server.kill()
