"""Files inside files: a mail's attachments, an archive's members. Each becomes a document of its own.

The parent-child index lies in the object store: `families/<parent>/<version>/<child>` holds a `Member`, what that
version of the parent has under that name. It is written after the child's bytes and before its record, and goes after
the child, so that every child that the registry knows is found from its parent, whatever was killed in between
(`erase.py` removes by it). Nothing else orders parent and child: who is late finds in the index that it is
(`kept_by_parent`).
"""

from __future__ import annotations

import posixpath
import time
from collections.abc import Iterator, Sequence

import msgspec

from trivium.concurrent_calls import map_concurrent
from trivium.domain.documents import INSIDE, Document, DocumentState
from trivium.domain.errors import NotFound
from trivium.domain.ids import child_id, content_version
from trivium.domain.parsed import Child
from trivium.domain.scope import Tenant
from trivium.flow import artifacts
from trivium.flow.artifacts import Origin
from trivium.flow.family_count import claimed
from trivium.flow.originals import record, store_missing
from trivium.flow.queues import lane_of
from trivium.ports.objects import ObjectStore
from trivium.ports.parser import ParseLimits
from trivium.ports.registry import DocumentPage, TenantRegistry
from trivium.ports.stores import Stores

MAX_SOURCE_CHARS = 1024
MIN_COST_BYTES = 64 * 1024  # of a family's bytes: what the smallest document takes up in rows and artifacts


class Member(msgspec.Struct, frozen=True):
    """What one version of a parent holds under a child's id: a version of the child, and what may come out of that.

    `depth` counts the files around it; `allowance` is how many bytes may still come out of it, all levels together.
    `dismissed`: somebody deleted this child alone, so this version of the parent does not bring it back. `upload` is
    the file around all others, `<id>/<version>`; "" where it was not written down.
    """

    version: str
    size_bytes: int
    depth: int
    allowance: int
    dismissed: bool = False
    upload: str = ""


class MemberRef(msgspec.Struct, frozen=True):
    """Where the parent-child index has a member."""

    parent: str
    version: str
    child: str

    @property
    def key(self) -> str:
        """In the object store."""
        return f"families/{self.parent}/{self.version}/{self.child}"


class Taken(msgspec.Struct, frozen=True):
    """The children that were accepted, without their bytes, and what is to be said of the others."""

    children: tuple[Child, ...] = ()
    warnings: tuple[str, ...] = ()


def accept_children(
    stores: Stores, parent: Document, own: Member | None, children: Sequence[Child], limits: ParseLimits
) -> Taken:
    """Make documents of the files inside `parent`, within the limits; again, it leaves what it left before.

    `own` is what the parent itself is in a family, None when it was uploaded by itself. Raises `NotFound` when the
    parent's record went with its tenant.
    """
    if not children:
        return Taken()
    stores.registry.for_tenant(Tenant(parent.tenant)).get(parent.id)
    depth = own.depth if own else 0
    if depth >= limits.max_nesting:
        return Taken(warnings=(f"{_files(len(children))} inside this one not read, too deep (limit: max_nesting).",))
    upload = (own.upload if own else "") or f"{parent.id}/{parent.version}"
    objects = stores.objects.for_tenant(Tenant(parent.tenant))
    count = claimed(objects, upload, parent.id, len(children), limits.max_family_documents)
    named = distinct_names(children)[:count]
    shares = shared_out([len(child.content) for child in named], own.allowance if own else limits.max_family_bytes)
    pairs = [
        (child, Member(content_version(child.content), len(child.content), depth + 1, share, upload=upload))
        for child, share in zip(named, shares, strict=True)
        if share is not None
    ]
    map_concurrent(lambda pair: _accept(stores, parent, *pair), pairs)
    left = {
        "too many in all (limit: max_family_documents)": len(children) - len(named),
        "too much in all (limit: max_family_bytes)": len(named) - len(pairs),
    }
    warnings = tuple(f"{_files(number)} inside this one not read, {why}." for why, number in left.items() if number)
    return Taken(tuple(msgspec.structs.replace(child, content=b"") for child, _ in pairs), warnings)


def are_accepted(stores: Stores, parent: Document, children: Sequence[Child]) -> bool:
    """Whether these children of the parent's newest version are there, or were deleted one by one."""
    if not children:
        return True
    tenant = Tenant(parent.tenant)
    objects, registry = stores.objects.for_tenant(tenant), stores.registry.for_tenant(tenant)
    ids = [child_id(parent.id, child.name) for child in children]
    known = registry.get_many(ids)
    members = map_concurrent(lambda id_: _member(objects, MemberRef(parent.id, parent.version, id_)), ids)
    return all(
        member is not None and (member.dismissed or _is_at(known.get(id_), member.version))
        for id_, member in zip(ids, members, strict=True)
    )


def kept_by_parent(stores: Stores, child: Document) -> Member | None:
    """What the child's parent holds under its id; None when the parent is gone or does not hold it any more.

    The parent's newest version decides, and while that has nothing there (yet), the one that queries see.
    """
    tenant = Tenant(child.tenant)
    parent = stores.registry.for_tenant(tenant).get_many([child.parent]).get(child.parent)
    if parent is None or parent.state is DocumentState.DELETED:
        return None
    objects = stores.objects.for_tenant(tenant)
    for version in dict.fromkeys((parent.version, parent.active_version)):
        member = _member(objects, MemberRef(parent.id, version, child.id)) if version else None
        if member is not None:
            return None if member.dismissed else member
    return None


def children_page(
    registry: TenantRegistry, objects: ObjectStore, parent: Document, limit: int, cursor: str
) -> DocumentPage:
    """The children of the version that queries see, else of the newest, some at a time; by name within a page."""
    space = MemberRef(parent.id, parent.active_version or parent.version, "").key
    ids: list[str] = []
    for key in objects.keys(space, start_after=f"{space}{cursor}" if cursor else ""):
        if len(ids) == limit:
            return DocumentPage(_living(registry, ids), ids[-1])
        ids.append(key.removeprefix(space))
    return DocumentPage(_living(registry, ids))


def member_refs(objects: ObjectStore, parent_id: str, version: str = "") -> Iterator[MemberRef]:
    """Every member of every version of a parent, or of one."""
    for key in objects.keys(f"families/{parent_id}/{version}/" if version else f"families/{parent_id}/"):
        yield MemberRef(*key.split("/")[1:])


def dismiss(objects: ObjectStore, child: Document) -> None:
    """Note that somebody deletes this child alone."""
    for ref in [ref for ref in member_refs(objects, child.parent) if ref.child == child.id]:
        if member := _member(objects, ref):
            objects.put(ref.key, msgspec.msgpack.encode(msgspec.structs.replace(member, dismissed=True)))


def forget(objects: ObjectStore, ref: MemberRef) -> None:
    """Take a child that is gone, or that another version of the parent holds too, out of the index."""
    objects.delete(ref.key)


def distinct_names(children: Sequence[Child]) -> list[Child]:
    """The same with names that are printable paths without `..`, each once: the second `a.png` is `a (2).png`."""
    taken: dict[str, int] = {}  # how often each name was wanted
    named = []
    for child in children:
        name = plain = _plain(child.name)
        stem, extension = posixpath.splitext(plain)
        while name in taken:
            taken[plain] += 1
            name = f"{stem} ({taken[plain]}){extension}"
        taken[name] = 1
        named.append(msgspec.structs.replace(child, name=name))
    return named


def shared_out(sizes: Sequence[int], allowance: int) -> list[int | None]:
    """How many bytes may come out of each of some files, None for those that are too much themselves.

    In order; what is left of `allowance` is shared out by size, so that all that ever comes out of a file, through any
    number of levels, is no more than its own allowance.
    """
    costs = [max(size, MIN_COST_BYTES) for size in sizes]
    fitting, left = [], allowance
    for cost in costs:
        fitting.append(cost <= left)
        left -= cost if fitting[-1] else 0
    total = sum(cost for cost, fits in zip(costs, fitting, strict=True) if fits)
    return [left * cost // total if fits else None for cost, fits in zip(costs, fitting, strict=True)]


def _accept(stores: Stores, parent: Document, child: Child, member: Member) -> None:
    """Bytes, then index, then record."""
    tenant, id_ = Tenant(parent.tenant), child_id(parent.id, child.name)
    objects, now = stores.objects.for_tenant(tenant), time.time()
    ref = MemberRef(parent.id, parent.version, id_)
    before = _member(objects, ref)
    if before is not None and before.dismissed:
        return
    source = _source(parent.source, child.name)
    files = {
        artifacts.original_key(id_, member.version): child.content,
        artifacts.origin_key(id_, member.version): msgspec.msgpack.encode(Origin(source, child.media_type)),
    }
    store_missing(objects, files)
    objects.put(ref.key, msgspec.msgpack.encode(member))
    record(
        stores,
        Document(
            id=id_,
            tenant=parent.tenant,
            source=source,
            version=member.version,
            parent=parent.id,
            dataset=parent.dataset,
            run=parent.run,
            lane=lane_of(source, child.media_type, member.size_bytes, parent.lane),
            size_bytes=member.size_bytes,
            created_at=now,
            updated_at=now,
            uploaded_at=parent.uploaded,
            trace=parent.trace,
            traceparent=parent.traceparent,
            extractor=parent.extractor,
        ),
        files,
    )


def _member(objects: ObjectStore, ref: MemberRef) -> Member | None:
    try:
        return msgspec.msgpack.decode(objects.get(ref.key), type=Member)
    except NotFound:
        return None


def _plain(name: str) -> str:
    shown = "".join(letter if letter.isprintable() else "\ufffd" for letter in name.replace("\\", "/"))
    parts = (part.strip() for part in shown.split("/"))
    return "/".join(part for part in parts if part not in ("", ".", "..")) or "unnamed"


def _source(parent: str, name: str) -> str:
    whole = f"{parent}{INSIDE}{name}"
    return whole if len(whole) <= MAX_SOURCE_CHARS else f"{whole[: MAX_SOURCE_CHARS - 101]}…{whole[-100:]}"


def name_inside(parent: str, source: str) -> str:
    """What a document called `source` is called inside the one called `parent`; it may be cut where both are long."""
    return source.removeprefix(f"{parent}{INSIDE}")


def _living(registry: TenantRegistry, ids: Sequence[str]) -> tuple[Document, ...]:
    known = registry.get_many(ids).values()
    living = (document for document in known if document.state is not DocumentState.DELETED)
    return tuple(sorted(living, key=lambda document: (document.source, document.id)))


def _is_at(document: Document | None, version: str) -> bool:
    return document is not None and document.state is not DocumentState.DELETED and document.version == version


def _files(count: int) -> str:
    return "1 file" if count == 1 else f"{count:,} files"
