from __future__ import annotations

import asyncio
import io

import pytest
from starlette.datastructures import UploadFile

from trivium_query.http.uploads import FILES_AT_ONCE, SMALL_BYTES, each_file


def files(*names: str, size: int = 1) -> list[UploadFile]:
    return [UploadFile(io.BytesIO(), size=size, filename=name) for name in names]


class Taking:
    def __init__(self) -> None:
        self.most = 0
        self.ended: list[str] = []
        self._now = 0

    async def take(self, file: UploadFile) -> str:
        self._now += 1
        self.most = max(self.most, self._now)
        for _ in range(20 - len(self.ended)):  # the first ones take longest
            await asyncio.sleep(0)
        self._now -= 1
        self.ended.append(str(file.filename))
        return str(file.filename)


async def test_files_of_a_request_are_taken_side_by_side_and_told_in_their_order() -> None:
    taking, names = Taking(), [f"{number}.md" for number in range(3 * FILES_AT_ONCE)]
    assert await each_file(files(*names), taking.take) == names
    assert taking.most == FILES_AT_ONCE


async def test_files_of_one_name_are_taken_in_their_order_and_large_ones_one_by_one() -> None:
    same, large = Taking(), Taking()
    await each_file(files("a/notes.md", "a//notes.md", "b\\notes.md"), same.take)
    assert (same.most, same.ended) == (1, ["a/notes.md", "a//notes.md", "b\\notes.md"])
    await each_file(files("a.bin", "b.bin", "c.bin", size=SMALL_BYTES + 1), large.take)
    assert large.most == 1


async def test_a_fault_is_raised_when_no_file_is_on_its_way_any_more() -> None:
    taking = Taking()

    async def take(file: UploadFile) -> str:
        if file.filename == "bad":
            raise ZeroDivisionError
        return await taking.take(file)

    with pytest.raises(ZeroDivisionError):
        await each_file(files("bad", "b", "c"), take)
    assert sorted(taking.ended) == ["b", "c"]
