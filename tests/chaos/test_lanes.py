"""A backfill runs, and somebody uploads a file."""

from __future__ import annotations

import subprocess
import time

import pytest
from doors import TRIVIUM
from storm import Storm, documents

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]

FILES = 90


def test_an_upload_is_answered_from_while_a_backfill_goes_on(storm: Storm) -> None:
    for key, text in documents("backfilled", FILES).items():
        storm.upload(key, text.encode())
    ids = [storm.upload_id(key) for key in documents("backfilled", FILES)]
    command = [str(TRIVIUM), "backfill", f"s3://{storm.uploads}/backfilled/"]
    with storm.long_leases(), subprocess.Popen(command, env=storm.env) as backfill:
        storm.down_to(ids, FILES - 1)
        started = time.monotonic()
        storm.take("urgent.txt", "The pelican of Saint Orval has a broken wing.")
        assert "broken wing" in storm.found("pelican of Saint Orval")["hits"][0]["chunk"]["text"]
        waited_s = time.monotonic() - started
        left = storm.unfinished(ids)
        print(f"answered from after {waited_s:.1f} s, with {left} of {FILES} documents of the backfill still to do")
    assert backfill.returncode == 0
    assert left > 0, "the backfill was over before the upload: this shows nothing"
