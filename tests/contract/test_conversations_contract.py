"""What every conversation store promises; see `trivium.ports.conversations`."""

from __future__ import annotations

import threading

import pytest

from trivium.domain.answers import Turn
from trivium.domain.errors import NotFound, Refused
from trivium.domain.scope import Tenant
from trivium.ports.conversations import LISTED_TURNS, Conversations, ConversationStore


@pytest.fixture
def conversations(stores) -> Conversations:
    return stores.conversations


@pytest.fixture
def store(conversations: Conversations, tenant: Tenant) -> ConversationStore:
    return conversations.for_tenant(tenant)


def test_missing_get_and_append_raise_and_delete_does_nothing(store: ConversationStore) -> None:
    for name in ("none", "' OR 1=1 --", ""):
        with pytest.raises(NotFound):
            store.get(name)
        with pytest.raises(NotFound):
            store.append(name, Turn("q", "a"))
        store.delete(name)
    assert store.list() == ([], "")


def test_duplicate_create_makes_another(store: ConversationStore) -> None:
    assert store.create("same").id != store.create("same").id
    assert [found.title for found in store.list()[0]] == ["same", "same"]


def test_empty_a_conversation_may_have_no_turn(store: ConversationStore) -> None:
    made = store.create()
    assert store.get(made.id) == made
    assert made.turns == ()


def test_order_a_listing_shows_the_newest_turns_oldest_first(store: ConversationStore) -> None:
    made = store.create()
    for number in range(LISTED_TURNS + 3):
        store.append(made.id, Turn(f"q{number}", "a"))
    [listed] = store.list()[0]
    assert listed.turns == store.get(made.id).turns[3:]


def test_order_turns_as_appended_and_listing_by_newest_change(store: ConversationStore) -> None:
    made = [store.create(f"c{number}") for number in range(7)]
    for number in (2, 5, 2):
        store.append(made[number].id, Turn(f"q{number}", "ä'\"; DROP TABLE turns"))
    assert [turn.question for turn in store.get(made[2].id).turns] == ["q2", "q2"]
    assert [turn.question for turn in store.list()[0][0].turns] == ["q2", "q2"]
    expected = ["c2", "c5", "c6", "c4", "c3", "c1", "c0"]
    assert [found.title for found in store.list()[0]] == expected
    seen: list[str] = []
    cursor = ""
    while True:
        page, cursor = store.list(limit=3, cursor=cursor)
        seen += [found.title for found in page]
        if not cursor:
            break
    assert seen == expected
    store.delete(made[2].id)
    store.create("last")
    assert [found.title for found in store.list(limit=2)[0]] == ["last", "c5"]
    with pytest.raises(NotFound):
        store.get(made[2].id)


@pytest.mark.parametrize("cursor", ["x", "-1", "٣", "1" * 30])
def test_a_cursor_that_is_not_ours_is_refused(store: ConversationStore, cursor: str) -> None:
    with pytest.raises(Refused):
        store.list(cursor=cursor)


def test_half_done_every_turn_of_sixteen_threads_is_stored_whole_and_once(store: ConversationStore) -> None:
    made = store.create()
    text = "x" * 10_000

    def append(number: int) -> None:
        for turn in range(5):
            answered = store.append(made.id, Turn(f"{number}.{turn}", text))
            assert answered.turns[-1].question == f"{number}.{turn}"

    threads = [threading.Thread(target=append, args=(number,)) for number in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    turns = store.get(made.id).turns
    assert {turn.question for turn in turns} == {f"{n}.{t}" for n in range(16) for t in range(5)}
    assert len(turns) == 80
    assert {turn.answer for turn in turns} == {text}
    mine = [turn.question for turn in turns if turn.question.startswith("7.")]
    assert mine == [f"7.{t}" for t in range(5)]


def test_dropping_a_tenant_removes_its_conversations_alone(
    conversations: Conversations, store: ConversationStore, tenant: Tenant, other: Tenant
) -> None:
    made = store.create("mine")
    store.append(made.id, Turn("q", "a"))
    conversations.for_tenant(other).create("theirs")
    assert {tenant, other} <= conversations.tenants()
    conversations.drop(tenant)
    conversations.drop(tenant)
    assert tenant not in conversations.tenants()
    assert store.list() == ([], "")
    with pytest.raises(NotFound):
        store.get(made.id)
    assert [found.title for found in conversations.for_tenant(other).list()[0]] == ["theirs"]


def test_a_tenant_never_sees_anothers_conversations(
    conversations: Conversations, tenant: Tenant, other: Tenant
) -> None:
    made = conversations.for_tenant(tenant).create("canary")
    stranger = conversations.for_tenant(other)
    assert stranger.list() == ([], "")
    with pytest.raises(NotFound):
        stranger.get(made.id)
    with pytest.raises(NotFound):
        stranger.append(made.id, Turn("q", "a"))
    stranger.delete(made.id)
    assert conversations.for_tenant(tenant).get(made.id) == made
