"""Keys and the trail on the command line."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from trivium.access.trail import ENTRIES, Trail
from trivium.domain.access import Caller, Role, TrailOutcome
from trivium.domain.scope import DEFAULT_TENANT

if TYPE_CHECKING:
    from .conftest import Run, World


def test_a_rotated_key_goes_on_opening_for_as_long_as_keep_says(run: Run) -> None:
    def made(*arguments: str) -> dict[str, str]:
        done = run("keys", *arguments, "--json")
        assert done.exit_code == 0, done.output
        told = json.loads(done.stdout)
        return {"id": told["key"]["id"], "secret": told["secret"]}

    def opens(secret: str) -> bool:
        done = run("documents", TRIVIUM_API_KEY=secret)
        assert done.exit_code == 0 or "has been revoked" in done.output, done.output
        return done.exit_code == 0

    kept, replaced = made("create", "kept"), made("create", "replaced")
    after_kept, after_replaced = made("rotate", kept["id"], "--keep", "1h"), made("rotate", replaced["id"])
    assert [opens(key["secret"]) for key in (kept, after_kept, replaced, after_replaced)] == [True, True, False, True]
    rows = (line.split("\t") for line in run("keys", "list").stdout.splitlines())
    states = {row[0]: row[3] for row in rows}
    assert states[kept["id"]].startswith("ends ")
    assert states[replaced["id"]].startswith("ended ")
    assert states[after_kept["id"]] == states[after_replaced["id"]] == "in force"
    assert "is no span of time" in run("keys", "rotate", after_kept["id"], "--keep", "soon").output


def test_whoever_revokes_a_key_is_told_which_others_of_its_name_still_open(run: Run) -> None:
    old = json.loads(run("keys", "create", "laptop", "--json").stdout)["key"]["id"]
    new = json.loads(run("keys", "rotate", old, "--keep", "1h", "--json").stdout)["key"]["id"]
    run("keys", "create", "other")
    done = run("keys", "revoke", old)
    assert done.stdout == f"Revoked: {old} (laptop)\n"
    assert done.stderr == f"Of the same name and still open: {new}\n"
    assert run("keys", "revoke", new).stderr == ""


def test_the_trail_as_json_is_an_entry_a_line_however_many_pages_there_are(run: Run, world: World) -> None:
    trail, caller = Trail(world.objects), Caller(DEFAULT_TENANT, Role.ADMIN, "environment-1", "line\nbreak")
    for number in range(205):
        trail.add(caller, "source.delete", (f"{number:032x}",))
    lines = run("trail", "--json").stdout.splitlines()
    told = [json.loads(line) for line in lines]
    assert [one["targets"] for one in told] == [[f"{number:032x}"] for number in range(205)]
    assert {tuple(one) for one in told} == {("at", "key_id", "by", "action", "targets", "outcome")}
    assert len(run("trail").stdout.splitlines()) == 205


def test_a_time_of_the_trail_that_is_none_is_a_command_that_is_not_understood(run: Run) -> None:
    told = run("trail", "--since", "yesterday")
    assert (told.exit_code, "'yesterday' is no time. Write it as 2026" in told.output) == (2, True)


def test_the_trail_says_what_broke_off(run: Run, world: World) -> None:
    caller = Caller(DEFAULT_TENANT, Role.ADMIN, "environment-1")
    Trail(world.objects).add_touched(caller, "source.delete", {"x": TrailOutcome.DONE, "y": TrailOutcome.BROKE_OFF})
    done, broken = run("trail").stdout.splitlines()
    assert done.endswith("environment-1  source.delete  x")
    assert broken.endswith("environment-1  source.delete (broke off)  y")


def test_an_outcome_that_a_newer_release_wrote_is_told_as_it_is_written(run: Run, world: World) -> None:
    """Releases stand side by side while one replaces the other."""
    caller = Caller(DEFAULT_TENANT, Role.ADMIN, "environment-1")
    Trail(world.objects).add(caller, "source.delete", ("x",))
    objects = world.objects.for_tenant(DEFAULT_TENANT)
    (key,) = objects.keys(ENTRIES)
    objects.put(key, objects.get(key).replace(b'"done"', b'"put_off"'))
    assert run("trail").stdout.endswith("environment-1  source.delete (put off)  x\n")
    assert json.loads(run("trail", "--json").stdout)["outcome"] == "put_off"


def test_the_trail_as_json_loses_no_character_and_shows_none_that_a_terminal_obeys(run: Run, world: World) -> None:
    name = "a\u200eb\x85\ufeff"
    Trail(world.objects).add(Caller(DEFAULT_TENANT, Role.ADMIN, "1", name), "source.delete", ("x",))
    (line,) = run("trail", "--json").stdout.splitlines()
    assert (json.loads(line)["by"], line.isascii()) == (name, True)
