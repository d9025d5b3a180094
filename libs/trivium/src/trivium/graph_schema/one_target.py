"""Which relation types have one target for each source, so that two targets contradict each other."""

from __future__ import annotations

from trivium.domain.graph_schema import GraphSchema, ProposalKind, Targets
from trivium.graph_schema.vocabulary import meaning_of


def has_one_target(schema: GraphSchema, name: str) -> bool:
    """What is in force says so, else what is proposed, else the type's name alone; an alias is what it is another of.

    A place within a place is no second target: born in Springfield and born in Ohio may both be true.
    """
    proposal = schema.proposal_named(name)
    kind = schema.type_named(proposal.of if proposal and proposal.of else name)
    if kind is None and proposal is not None and proposal.kind is ProposalKind.NEW:
        kind = proposal.type
    targets = kind.targets if kind is not None else meaning_of(name, {}).targets
    return targets is Targets.ONE
