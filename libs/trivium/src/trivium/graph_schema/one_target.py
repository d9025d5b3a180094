"""Which relation types a schema in force says have one target for each source, and which have many."""

from __future__ import annotations

import msgspec

from trivium.domain.graph_schema import GraphSchema, Targets


class GivenTargets(msgspec.Struct, frozen=True, array_like=True):
    """Of one dataset: names of types, and their other names, in order. Of what is in neither nothing is said."""

    dataset: str
    one: tuple[str, ...] = ()
    many: tuple[str, ...] = ()

    def of(self, known: frozenset[str]) -> frozenset[str]:
        """The types with one target; `known` are those without the schema, which counts before them."""
        return (known - frozenset(self.many)) | frozenset(self.one)


def given_targets(schema: GraphSchema) -> GivenTargets:
    """What is in force alone: a proposal says nothing until somebody accepts it."""

    def names(targets: Targets) -> tuple[str, ...]:
        kinds = (kind for kind in schema.types if kind.targets is targets)
        return tuple(sorted({name for kind in kinds for name in (kind.name, *kind.aliases)}))

    return GivenTargets(schema.dataset, names(Targets.ONE), names(Targets.MANY))
