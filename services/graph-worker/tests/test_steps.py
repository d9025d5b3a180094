"""How chunks lie beside each other: tables and pictures belong to the text that names them or stands by them."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from trivium.domain.chunks import Chunk, Span
from trivium.domain.graph import StepType
from trivium.domain.parsed import UnitKind
from trivium_graph.build import extract
from trivium_graph.steps import HAS, steps_of


def chunks(*parts: tuple[UnitKind, str] | tuple[UnitKind, str, str]) -> list[Chunk]:
    return [
        Chunk(f"c{n}", "d", "v", n, part[1], Span(0, len(part[1])), "a.pdf", kind=part[0], section=tuple(part[2:]))
        for n, part in enumerate(parts)
    ]


def edges(made: list[Chunk], kind: StepType) -> list[tuple[str, str]]:
    return [(chunk, s.chunk_id) for chunk, steps in steps_of(made).items() for s in steps if s.type is kind]


def test_a_table_belongs_to_the_text_before_it_in_its_section() -> None:
    made = chunks(
        (UnitKind.TEXT, "Elsewhere.", "One"),
        (UnitKind.TEXT, "The harbours.", "Two"),
        (UnitKind.TABLE, "Port | Ships", "Two"),
        (UnitKind.TEXT, "More.", "Two"),
    )
    assert edges(made, StepType.HAS_TABLE) == [("c1", "c2")]


def test_a_table_at_the_head_of_its_section_belongs_to_the_text_after_it() -> None:
    made = chunks((UnitKind.TEXT, "Before.", "One"), (UnitKind.TABLE, "A | B", "Two"), (UnitKind.TEXT, "It.", "Two"))
    assert edges(made, StepType.HAS_TABLE) == [("c2", "c1")]


def test_every_text_that_names_a_label_has_what_it_names_wherever_it_stands() -> None:
    made = chunks(
        (UnitKind.TEXT, "As Fig. 2 shows, and table 1 does not."),
        (UnitKind.TEXT, "Nothing of the kind."),
        (UnitKind.IMAGE, "Figure 1: A heron."),
        (UnitKind.CHART, "Figure 2: Herons by year."),
        (UnitKind.TEXT, "Compare (Figure 2)."),
    )
    assert sorted(edges(made, StepType.HAS_IMAGE)) == [("c0", "c3"), ("c1", "c2"), ("c1", "c3"), ("c4", "c3")]


def test_equations_are_formulas() -> None:
    made = chunks((UnitKind.TEXT, "Mass and energy:"), (UnitKind.EQUATION, "E = mc^2"))
    assert edges(made, StepType.HAS_FORMULA) == [("c0", "c1")]


def test_chunks_of_one_modality_follow_each_other_past_the_others() -> None:
    made = chunks(
        (UnitKind.TEXT, "a"), (UnitKind.TABLE, "b"), (UnitKind.LIST, "c"), (UnitKind.IMAGE, "d"), (UnitKind.TABLE, "e")
    )
    assert edges(made, StepType.NEXT_TEXT) == [("c0", "c2")]
    assert edges(made, StepType.NEXT_TABLE) == [("c1", "c4")]
    assert edges(made, StepType.NEXT_IMAGE) == []


@given(st.lists(st.sampled_from(UnitKind), max_size=40))
def test_everything_that_is_not_text_belongs_to_a_text_when_there_is_one(kinds: list[UnitKind]) -> None:
    made = chunks(*((kind, "See it.") for kind in kinds))
    owned = {step.chunk_id for steps in steps_of(made).values() for step in steps if step.type.startswith("HAS_")}
    places = [n for n, kind in enumerate(kinds) if kind not in HAS]
    near = {f"c{n}" for n, kind in enumerate(kinds) if kind in HAS and any(abs(n - at) < 20 for at in places)}
    assert near <= owned <= {f"c{n}" for n, kind in enumerate(kinds) if kind in HAS}


def test_the_steps_are_in_the_shares() -> None:
    text, table = extract(chunks((UnitKind.TEXT, "The ports of Kelmore."), (UnitKind.TABLE, "Port | Ships")))
    assert [step.type for step in text.steps] == [StepType.HAS_TABLE]
    assert table.steps == ()
