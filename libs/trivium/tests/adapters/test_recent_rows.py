from __future__ import annotations

from collections.abc import Sequence

from trivium.adapters.embedded.recent import RecentRows


class Table:
    """Rows under a stamp, and what was asked of them."""

    def __init__(self, **rows: str) -> None:
        self.rows = rows
        self.asked: list[list[str]] = []

    def read(self, keys: Sequence[str]) -> dict[str, str]:
        self.asked.append(list(keys))
        return {key: self.rows[key] for key in keys if key in self.rows}


def test_a_row_is_read_once_and_answers_come_in_the_order_asked() -> None:
    table, recent = Table(a="1", b="2", c="3"), RecentRows[str, str](len, 100)
    assert list(recent.at((1,), ["b", "a", "x"], table.read)) == ["b", "a"]
    assert recent.at((1,), ["c", "a", "b"], table.read) == {"c": "3", "a": "1", "b": "2"}
    assert list(recent.at((1,), ["c", "a", "b"], table.read)) == ["c", "a", "b"]
    assert table.asked == [["b", "a", "x"], ["c"]]


def test_another_stamp_forgets_every_row() -> None:
    table, recent = Table(a="old"), RecentRows[str, str](len, 100)
    recent.at((1,), ["a"], table.read)
    table.rows["a"] = "new"
    assert recent.at((2,), ["a"], table.read) == {"a": "new"}


def test_an_older_snapshot_is_answered_from_its_own_rows() -> None:
    older, newer, recent = Table(a="old"), Table(a="new"), RecentRows[str, str](len, 100)
    recent.at((2,), ["a"], newer.read)
    assert recent.at((1,), ["a"], older.read) == {"a": "old"}
    assert recent.at((2,), ["a"], newer.read) == {"a": "new"}


def test_what_is_kept_stays_within_its_bound() -> None:
    table, recent = Table(**{str(i): "x" * 10 for i in range(10)}), RecentRows[str, str](len, 35)
    for i in range(10):
        assert recent.at((1,), [str(i)], table.read) == {str(i): "x" * 10}
    assert sum(len(row) for row in recent._kept.rows.values()) <= 35
    assert recent.at((1,), list(table.rows), table.read) == table.rows
