"""Where topics lie in the object store, and that they go with any document: they name what stands in it."""

from __future__ import annotations

from trivium.ports.objects import ObjectStore

PREFIX = "topics/"
_EVERYTHING = "-"  # no dataset is called so


def topics_key(dataset: str) -> str:
    """Those of a dataset, of "" those of everything."""
    return f"{PREFIX}{dataset or _EVERYTHING}"


def told_of(key: str) -> str:
    """Whose topics lie under the key, in words."""
    dataset = key.removeprefix(PREFIX)
    return "everything" if dataset == _EVERYTHING else f"dataset {dataset}"


def kept_topics(objects: ObjectStore) -> list[str]:
    """The keys of all that are kept."""
    return list(objects.keys(PREFIX))


def forget_topics(objects: ObjectStore) -> None:
    """They are made again when somebody asks for them."""
    for key in kept_topics(objects):
        objects.delete(key)
