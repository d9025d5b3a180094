"""One deployment's stores together, as the places that assemble a process receive them."""

from __future__ import annotations

from typing import Protocol

from trivium.ports.buckets import Buckets
from trivium.ports.conversations import Conversations
from trivium.ports.graph import Graphs
from trivium.ports.keywords import Keywords
from trivium.ports.objects import Objects
from trivium.ports.registry import Registry
from trivium.ports.schedule import Schedule
from trivium.ports.uploads import Uploads
from trivium.ports.vectors import Vectors
from trivium.ports.work_measures import WorkMeasures
from trivium.ports.work_signal import WorkSignal


class Stores(Protocol):
    """Every store of a deployment; a distributed one connects when it is first asked for."""

    @property
    def objects(self) -> Objects: ...
    @property
    def registry(self) -> Registry: ...
    @property
    def vectors(self) -> Vectors: ...
    @property
    def visuals(self) -> Vectors:
        """Pictures by a visual encoder: chunk ids as in `vectors`, in a space of their own."""
        ...

    @property
    def hypernodes(self) -> Vectors:
        """HyperNodes by their ids (`trivium.hypernodes`), in a space of their own."""
        ...

    @property
    def keywords(self) -> Keywords: ...
    @property
    def graphs(self) -> Graphs: ...
    @property
    def conversations(self) -> Conversations: ...
    @property
    def buckets(self) -> Buckets: ...
    @property
    def work_signal(self) -> WorkSignal: ...
    @property
    def schedule(self) -> Schedule:
        """Of connections."""
        ...


class BucketStores(Stores, Protocol):
    """Those of a deployment with an object server, where people drop files into buckets."""

    def uploads(self, bucket: str = "") -> Uploads:
        """A bucket of uploads; "" is the configured one."""
        ...

    @property
    def work_measures(self) -> WorkMeasures: ...
