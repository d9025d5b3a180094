"""Credentials that come as files, as mounted secrets do: `TRIVIUM_<NAME>_FILE`."""

from __future__ import annotations

from pathlib import Path

import pytest

from trivium.config import CREDENTIALS, describe, load_settings, unknown_variables
from trivium.domain.errors import Refused


@pytest.mark.parametrize("name", sorted(CREDENTIALS - {"api_keys"}))
def test_every_credential_may_be_a_file(name: str, tmp_path: Path) -> None:
    held, secret = tmp_path / "held", "s3cret" * 6  # that of links has 32 characters and more
    held.write_text(f"{secret}\n")
    given = {f"TRIVIUM_{name.upper()}_FILE": str(held)}
    assert getattr(load_settings(given), name) == secret
    assert unknown_variables(given) == []


def test_keys_of_tenants_may_be_a_file(tmp_path: Path) -> None:
    (tmp_path / "keys").write_text("acme:one,other:two\n")
    settings = load_settings({"TRIVIUM_API_KEYS_FILE": str(tmp_path / "keys"), "TRIVIUM_HTTP_HOST": "0.0.0.0"})
    assert {key: tenant.name for key, tenant in settings.tenants_by_key.items()} == {"one": "acme", "two": "other"}


def test_the_file_is_told_as_the_source_and_the_secret_never(tmp_path: Path) -> None:
    (tmp_path / "held").write_text("s3cret")
    given = {"TRIVIUM_NEO4J_PASSWORD_FILE": str(tmp_path / "held")}
    rows = {variable: (value, source) for variable, value, source in describe(load_settings(given), given)}
    assert rows["TRIVIUM_NEO4J_PASSWORD"] == ("********", str(tmp_path / "held"))


@pytest.mark.parametrize(
    ("address", "told"),
    [
        ("http://me:hunter2@host:1/v1", "http://********@host:1/v1"),
        ("http://me:hun#ter2@host:1/v1", "http://********@host:1/v1"),
        ("http://me:hun/ter2@host", "http://********@host"),
        ("http://me:hun?ter@2@host", "http://********@host"),
        ("http://me:hun,ter2@host", "http://********@host"),
        ("http://me:hun/ter2@host,https://you:hunter2@other", "http://********@host,https://********@other"),
        ("http://host,http://me:hunter2@other", "http://host,http://********@other"),
        ("http://host/v1", "http://host/v1"),
    ],
)
def test_a_password_in_an_address_is_not_told_however_it_is_written(address: str, told: str) -> None:
    given = {"TRIVIUM_LLM_URL": address}
    assert ("TRIVIUM_LLM_URL", told, "environment") in describe(load_settings(given), given)


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (None, "No such file"),
        (b"", "it is empty"),
        (b" \n", "it is empty"),
        (b"\xff\xfe", "it is no text in UTF-8"),
        (b"x" * 70_000, "it is longer than 64 KiB"),
    ],
)
def test_a_file_that_holds_no_credential_is_refused(content: bytes | None, reason: str, tmp_path: Path) -> None:
    path = tmp_path / "held"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(Refused, match=reason) as refused:
        load_settings({"TRIVIUM_S3_SECRET_KEY_FILE": str(path)})
    assert "TRIVIUM_S3_SECRET_KEY_FILE" in refused.value.message


def test_both_the_variable_and_its_file_are_refused(tmp_path: Path) -> None:
    (tmp_path / "held").write_text("one")
    with pytest.raises(Refused, match="Both TRIVIUM_LLM_API_KEY and TRIVIUM_LLM_API_KEY_FILE"):
        load_settings({"TRIVIUM_LLM_API_KEY": "two", "TRIVIUM_LLM_API_KEY_FILE": str(tmp_path / "held")})


def test_what_is_no_credential_has_no_file() -> None:
    assert unknown_variables({"TRIVIUM_CHUNK_SIZE_FILE": "/etc/size"}) == ["TRIVIUM_CHUNK_SIZE_FILE"]
    assert load_settings({"TRIVIUM_ALIVE_FILE": "/run/alive"}).alive_file == Path("/run/alive")


def test_the_home_of_nobody_is_refused() -> None:
    with pytest.raises(Refused, match="TRIVIUM_DATA_DIR='~nobody-of-that-name/data' does not fit"):
        load_settings({"TRIVIUM_DATA_DIR": "~nobody-of-that-name/data"})
