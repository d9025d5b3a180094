"""No place is asked more often than its connection permits; by a clock of the test's own."""

from __future__ import annotations

from itertools import pairwise

import pytest
from places_peer import S3Peer, SitePeer

from .conftest import Clock, World
from .test_feed import item, rss

FILES = 5
PER_S = 4


@pytest.fixture
def clock(world: World) -> Clock:
    world.clock = Clock()
    world.start()
    return world.clock


def assert_spaced(asked_at: list[float]) -> None:
    assert len(asked_at) > FILES
    assert {round(after - before, 6) for before, after in pairwise(asked_at)} == {1 / PER_S}


def test_a_bucket(world: World, clock: Clock) -> None:
    peer = S3Peer(clock=clock.now)
    peer.objects = {f"{number}.txt": b"A note." for number in range(FILES)}
    with peer.serving() as url:
        world.add("s3", f"{url}/shelf", credential=world.secret("shelf", "reader:hunter2hunter2"), max_per_s=PER_S)
        assert world.came_to() == (FILES, 0, 0)
    assert_spaced(peer.asked_at)


def test_the_pages_of_a_feed(world: World, clock: Clock) -> None:
    site = SitePeer(clock=clock.now)
    with site.serving() as url:
        site.pages = {f"/{number}": ("text/html", b"<p>A page.</p>") for number in range(FILES)}
        site.pages["/feed"] = rss(*(item(str(number), "Read on.", f"{url}/{number}") for number in range(FILES)))
        world.add("feed", f"{url}/feed", max_per_s=PER_S)
        assert world.came_to() == (FILES, 0, 0)
    assert_spaced(site.asked_at)


def test_what_takes_longer_by_itself_is_not_made_to_wait(world: World, clock: Clock) -> None:
    peer = S3Peer(clock=clock.now)
    peer.objects = {"one.txt": b"A note."}
    began = clock.now()
    with peer.serving() as url:
        world.add("s3", f"{url}/shelf", credential=world.secret("shelf", "reader:hunter2hunter2"), max_per_s=PER_S)
        world.look()
        assert clock.now() - began == pytest.approx((len(peer.asked_at) - 1) / PER_S)
        clock.now_s += 1000
        looked = clock.now()
        world.look()
        asked = [at for at in peer.asked_at if at >= looked]
    assert asked[0] == looked
