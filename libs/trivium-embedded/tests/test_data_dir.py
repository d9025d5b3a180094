from __future__ import annotations

from pathlib import Path

import pytest

from trivium.domain.errors import Refused
from trivium_embedded.data_dir import ADDRESS_FILE, announce, owned


def test_one_who_is_refused_leaves_the_owners_address_alone(tmp_path: Path) -> None:
    with owned(tmp_path):
        announce(tmp_path, "http://127.0.0.1:8080")
        with pytest.raises(Refused) as refusal, owned(tmp_path):
            pass
        assert refusal.value.code == "data_dir_in_use"
        assert (tmp_path / ADDRESS_FILE).exists()
    assert not (tmp_path / ADDRESS_FILE).exists()


def test_a_new_data_directory_is_for_its_owner_alone(tmp_path: Path) -> None:
    with owned(tmp_path / "data"):
        assert (tmp_path / "data").stat().st_mode & 0o077 == 0
