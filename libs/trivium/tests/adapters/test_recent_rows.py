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


def test_rows_are_carried_over_to_another_stamp_but_those_that_changed() -> None:
    table, recent = Table(a="1", b="2"), RecentRows[str, str](len, 100)
    recent.at((1, 7), ["a", "b"], table.read)
    table.rows["b"] = "other"
    recent.carry_over((1,), (2,), {"b", "x"})
    assert recent.at((2, 7), ["a", "b"], table.read) == {"a": "1", "b": "other"}
    assert table.asked == [["a", "b"], ["b"]]


def test_nothing_is_carried_over_from_a_stamp_that_is_not_kept() -> None:
    table, recent = Table(a="old"), RecentRows[str, str](len, 100)
    recent.at((1, 7), ["a"], table.read)
    table.rows["a"] = "new"
    recent.carry_over((2,), (3,), ())
    assert recent.at((3, 7), ["a"], table.read) == {"a": "new"}


def test_who_reads_an_older_snapshot_makes_nobody_forget() -> None:
    older, newer, recent = Table(a="old"), Table(a="new"), RecentRows[str, str](len, 100)
    recent.at((2,), ["a"], newer.read)
    recent.at((1,), ["a"], older.read)
    assert recent.at((2,), ["a"], newer.read) == {"a": "new"}
    assert len(newer.asked) == 1
