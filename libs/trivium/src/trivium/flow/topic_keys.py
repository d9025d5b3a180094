"""Where topics lie in the object store, and that they go with any document: they name what stands in it."""

from __future__ import annotations

from trivium.ports.objects import ObjectStore

PREFIX = "topics/"
_EVERYTHING = "-"  # no dataset is called so


def topics_key(dataset: str) -> str:
    """Those of a dataset, of "" those of everything."""
    return f"{PREFIX}{dataset or _EVERYTHING}"


def forget_topics(objects: ObjectStore) -> None:
    """They are made again when somebody asks for them."""
    for key in list(objects.keys(PREFIX)):
        objects.delete(key)
