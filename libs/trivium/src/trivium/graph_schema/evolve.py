"""How a schema changes: what is proposed against the types in force, and what becomes of it. All functions are pure.

The types in force change by `accepted` and `rejected` alone. Every function answers the next schema without its number,
which `versions` gives it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

import msgspec
from msgspec.structs import replace

from trivium.domain.errors import NotFound, Refused
from trivium.domain.graph import EntityType
from trivium.domain.graph_schema import (
    MAX_TYPES,
    GraphSchema,
    Proposal,
    ProposalKind,
    Rejected,
    RelationType,
    SchemaChange,
    Targets,
)
from trivium.graph_schema.names import most_like, require_name, said_by
from trivium.graph_schema.validate import MIN_RELATIONS, Candidate, Ends, allowed_ends

_SHOWN = 10


class Author(msgspec.Struct, frozen=True):
    """Who changes a schema, when (Unix seconds), and why."""

    by: str
    at: float
    why: str = ""


def proposed(
    schema: GraphSchema, found: Iterable[Candidate], domain: str, author: Author, *, keep: Callable[[Proposal], bool]
) -> GraphSchema:
    """With what `found` adds to the types in force; of what was proposed before, what `keep` says stays.

    The most frequent come first, and no more than `MAX_TYPES`. The same schema when nothing is new.
    """
    fresh = [one for each in found for one in _proposals(schema, each, author.by)]
    names = {one.name for one in fresh}
    kept = [one for one in schema.proposed if one.name not in names and keep(one)]
    fresh = [_with_earlier(one, schema.proposal_named(one.name), keep) for one in fresh]
    proposals = (*kept, *sorted(fresh, key=lambda one: (-one.type.relations, one.name)))[:MAX_TYPES]
    label = schema.domain if schema.active and schema.domain else domain
    if proposals == schema.proposed and label == schema.domain:
        return schema
    before = {one.name for one in schema.proposed}
    now = {one.name for one in proposals}
    what = _told("proposed", [one.name for one in proposals if one.name not in before])
    what += _told("no longer proposed", sorted(before - now))
    change = SchemaChange(author.by, author.at, author.why, what or ("counted anew",))
    return replace(schema, domain=label, proposed=proposals, change=change)


def given(schema: GraphSchema, types: Sequence[RelationType], author: Author) -> GraphSchema:
    """With types that somebody writes down. Raises `Refused` (`bad_relation_type`, `duplicate_type`, `bad_ends`)."""
    proposals = list(schema.proposed)
    gone = set()
    for kind in types:
        _require_sound(kind)
        proposal = _given(schema, kind, author.by)
        proposals = [*(one for one in proposals if one.name != kind.name), proposal]
        gone.add(kind.name)
    _require_room(len(proposals))
    refused = tuple(one for one in schema.rejected if one.name not in gone)
    change = SchemaChange(author.by, author.at, author.why, _told("proposed", [kind.name for kind in types]))
    return replace(schema, proposed=tuple(proposals), rejected=refused, change=change)


def accepted(schema: GraphSchema, names: Sequence[str], author: Author) -> GraphSchema:
    """With these proposals in force; without names, all that have no problem.

    Raises `NotFound` (`no_such_proposal`), and `Refused` (`nothing_to_accept`, `duplicate_type`, `bad_relation_type`,
    `bad_ends`, `schema_full`).
    """
    chosen = [_need(schema, name) for name in dict.fromkeys(names)]
    if not names:
        chosen = [one for one in schema.proposed if not one.problems]
        if not schema.proposed:
            raise Refused(
                "nothing_to_accept",
                "Nothing is proposed.",
                "Have something proposed with: trivium graph schema propose",
            )
        if not chosen:
            raise Refused(
                "nothing_to_accept",
                "Nothing is proposed that has no problem.",
                "Look with: trivium graph schema show. Accept by name what you find right in spite of its problem.",
            )
    types = {kind.name: kind for kind in schema.types}
    for one in sorted(chosen, key=lambda each: each.kind is not ProposalKind.NEW):  # an alias may be of a new one
        _put_in_force(types, one)
    _require_room(len(types))
    done = {one.name for one in chosen}
    change = SchemaChange(author.by, author.at, author.why, _told("accepted", [one.name for one in chosen]))
    left = tuple(one for one in schema.proposed if one.name not in done)
    ordered = sorted(types.values(), key=lambda kind: (-kind.relations, kind.name))
    return replace(schema, types=tuple(ordered), proposed=left, change=change)


def rejected(schema: GraphSchema, names: Sequence[str], author: Author) -> GraphSchema:
    """Without these: a proposal is not made again, a type in force is no longer.

    Raises `NotFound` (`no_such_proposal`), and `Refused` (`nothing_to_reject`) without names.
    """
    if not names:
        raise Refused("nothing_to_reject", "No name was given.", "Name what shall be rejected.")
    types, refused = list(schema.types), list(schema.rejected)
    for name in dict.fromkeys(names):
        one = schema.proposal_named(name)
        if one is not None and one.kind is ProposalKind.CHANGED:
            added = Rejected(name, one.type.domain, one.type.range, one.type.targets)
            refused += [] if added.whole else [added]
            continue
        if one is None:
            if schema.type_named(name) is None:
                _need(schema, name)
            types = [_without_alias(kind, name) for kind in types if kind.name != name]
        refused.append(Rejected(name))
    gone = {one.name for one in refused if one.whole} | set(names)
    left = tuple(one for one in schema.proposed if one.name not in gone and one.of not in gone)
    change = SchemaChange(author.by, author.at, author.why, _told("rejected", list(dict.fromkeys(names))))
    return replace(schema, types=tuple(types), proposed=left, rejected=tuple(refused), change=change)


def _without_alias(kind: RelationType, name: str) -> RelationType:
    return replace(kind, aliases=tuple(alias for alias in kind.aliases if alias != name))


def _proposals(schema: GraphSchema, found: Candidate, by: str) -> Iterator[Proposal]:
    """What `found` adds to the types in force, but for what was rejected."""
    kind = found.type
    away = {one.name for one in schema.rejected if one.whole}
    known = schema.type_named(kind.name)
    same = known or _says_the_same(schema.types, kind.name)
    if same is None:
        if kind.name not in away:
            yield Proposal(ProposalKind.NEW, kind, "", found.problems, by)
        return
    if known is not None:
        changed = _changed(schema, known, found, by)
        if changed is not None:
            yield changed
    for name in (kind.name, *kind.aliases):
        if schema.type_named(name) is None and name not in away:
            yield Proposal(ProposalKind.ALIAS, replace(kind, name=name, aliases=()), same.name, (), by)


def _changed(schema: GraphSchema, known: RelationType, found: Candidate, by: str) -> Proposal | None:
    """Ends that the type in force does not allow and that are no exceptions, and how many targets it has."""
    outside: Ends = {pair: n for pair, n in found.ends.items() if not known.allows(*pair)}
    domain, range_ = allowed_ends(outside) if sum(outside.values()) >= MIN_RELATIONS else ((), ())
    common = allowed_ends(found.ends)
    refused = [one for one in schema.rejected if one.name == known.name]
    domain = _new(domain, common[0], known.domain, [one.domain for one in refused])
    range_ = _new(range_, common[1], known.range, [one.range for one in refused])
    targets = found.type.targets
    is_news = known.targets is Targets.UNKNOWN and targets not in {one.targets for one in refused}
    learnt = targets if is_news else Targets.UNKNOWN
    if not domain and not range_ and learnt is Targets.UNKNOWN:
        return None
    kind = RelationType(
        known.name, domain, range_, learnt, relations=sum(outside.values()), examples=found.type.examples
    )
    return Proposal(ProposalKind.CHANGED, kind, "", (), by)


def _new(
    found: Sequence[EntityType],
    common: Sequence[EntityType],
    known: Sequence[EntityType],
    refused: Sequence[Sequence[EntityType]],
) -> tuple[EntityType, ...]:
    away = {*known, *(kind for some in refused for kind in some)}
    return tuple(kind for kind in found if kind in common and kind not in away)


def _with_earlier(fresh: Proposal, earlier: Proposal | None, keep: Callable[[Proposal], bool]) -> Proposal:
    """What a person, or a model, said of it before stays; what was counted is new."""
    if earlier is None or earlier.kind is not fresh.kind:
        return fresh
    counted = {"relations": fresh.type.relations, "examples": fresh.type.examples}
    if keep(earlier):
        return replace(earlier, type=replace(earlier.type, **counted))
    said = earlier.type.description
    if fresh.type.description or not said:
        return fresh
    return replace(fresh, type=replace(fresh.type, description=said))


def _given(schema: GraphSchema, kind: RelationType, by: str) -> Proposal:
    known = schema.type_named(kind.name)
    if known is None:
        same = _says_the_same(schema.types, kind.name)
        if same is not None:
            return Proposal(ProposalKind.ALIAS, kind, same.name, (), by)
        return Proposal(ProposalKind.NEW, kind, "", (), by)
    domain = tuple(each for each in kind.domain if each not in known.domain)
    range_ = tuple(each for each in kind.range if each not in known.range)
    added = replace(kind, name=known.name, domain=domain, range=range_)
    return Proposal(ProposalKind.CHANGED, added, "", (), by)


def _put_in_force(types: dict[str, RelationType], one: Proposal) -> None:
    name, kind = one.name, one.type
    known = types.get(one.of or name)
    if one.kind is ProposalKind.ALIAS and known is not None:
        types[known.name] = replace(known, aliases=_joined(known.aliases, (name,)))
    elif one.kind is ProposalKind.CHANGED and known is not None:
        types[name] = replace(
            known,
            domain=_joined(known.domain, kind.domain),
            range=_joined(known.range, kind.range),
            targets=known.targets if kind.targets is Targets.UNKNOWN else kind.targets,
            symmetric=known.symmetric or kind.symmetric,
            description=kind.description or known.description,
            relations=known.relations + kind.relations,
        )
    else:
        _require_sound(kind)
        same = _says_the_same(list(types.values()), name)
        if same is not None:
            raise Refused(
                "duplicate_type",
                f"{name} says the same as {same.name}, which is in force.",
                "Propose again: it comes as another name of that type.",
            )
        types[name] = kind


def _says_the_same(types: Sequence[RelationType], name: str) -> RelationType | None:
    said = said_by(name)
    return next((kind for kind in types if said in map(said_by, (kind.name, *kind.aliases))), None)


def _require_sound(kind: RelationType) -> None:
    require_name(kind.name)
    if not kind.domain or not kind.range:
        raise Refused(
            "bad_ends",
            f"{kind.name} does not say what it may join.",
            "Name at least one type of its source (domain) and one of its target (range).",
        )


def _require_room(types: int) -> None:
    if types > MAX_TYPES:
        raise Refused("schema_full", f"A schema has at most {MAX_TYPES} types.", "Reject some first.")


def _need(schema: GraphSchema, name: str) -> Proposal:
    found = schema.proposal_named(name)
    if found is not None:
        return found
    names = [one.name for one in schema.proposed]
    like = most_like(name, names)
    if schema.type_named(name) is not None:
        action = "It is in force already."
    elif like:
        action = f"Perhaps {like}."
    elif names:
        action = f"Proposed are: {', '.join(names[:_SHOWN])}{', …' if len(names) > _SHOWN else ''}."
    else:
        action = "Propose first: trivium graph schema propose."
    raise NotFound("no_such_proposal", f"Nothing is proposed under the name {name[:80]!r}.", action)


def _joined(known: tuple, more: tuple) -> tuple:  # type: ignore[type-arg]
    return (*known, *(each for each in more if each not in known))


def _told(verb: str, names: Sequence[str]) -> tuple[str, ...]:
    return tuple(f"{verb} {name}" for name in names)
