# ruff: noqa: E501  (a sentence a line)
"""Pairs of documents written whole by hand: what contradicts in them, and what only looks so."""

from __future__ import annotations

from typing import NamedTuple


class Pair(NamedTuple):
    """Two documents, (title, text) each; `planted` and `misses` are sentences of the one and of the other."""

    apart: bool
    one: tuple[str, str]
    other: tuple[str, str]
    planted: tuple[tuple[str, str], ...]
    misses: tuple[tuple[str, str], ...]


PAIRS = (
    Pair(
        False,
        (
            "The fire at Dunmore Mill",
            "Fire broke out at Dunmore Mill on the night of 3 October 2019. Four crews fought the blaze until dawn. Three people were taken to hospital, and the roof of the old spinning hall fell in. Damage is estimated at 2 million euros. The mill employed 90 people at the time.",
        ),
        (
            "Report on Dunmore Mill",
            "The inspector visited Dunmore Mill in the week after the fire. Fire broke out at Dunmore Mill on the night of 13 October 2019, in a store of oily rags. Sprinklers in the weaving hall worked as they should. The damage came to 2.3 million euros in the end. In 1995 the mill employed 240 people.",
        ),
        (
            (
                "Fire broke out at Dunmore Mill on the night of 3 October 2019.",
                "Fire broke out at Dunmore Mill on the night of 13 October 2019, in a store of oily rags.",
            ),
        ),
        (("Damage is estimated at 2 million euros.", "The damage came to 2.3 million euros in the end."),),
    ),
    Pair(
        False,
        (
            "Trail guide: the Sorrel Ridge path",
            "The Sorrel Ridge path is 14 kilometres long and takes most people five hours. Dogs are allowed on the Sorrel Ridge path if they are kept on a lead. The hut at the saddle has 24 beds. Water can be had at the chapel.",
        ),
        (
            "Park rules for Sorrel Ridge",
            "Walkers should sign the book at the gate. Dogs are not allowed on the Sorrel Ridge path. Fires may be lit only in the stone rings. The path is about 9 miles long, and part of it is fenced in spring.",
        ),
        (
            (
                "Dogs are allowed on the Sorrel Ridge path if they are kept on a lead.",
                "Dogs are not allowed on the Sorrel Ridge path.",
            ),
        ),
        (
            (
                "The Sorrel Ridge path is 14 kilometres long and takes most people five hours.",
                "The path is about 9 miles long, and part of it is fenced in spring.",
            ),
        ),
    ),
    Pair(
        False,
        (
            "Lease of the Corner Bakery",
            "The Corner Bakery is let to Mrs Adele Finch from 1 April 2020. The rent is 1,450 euros a month, payable in advance. The notice period is three months. The tenant keeps the ovens in repair.",
        ),
        (
            "Letter about the Corner Bakery",
            "Dear Mrs Finch, we write about the lease of the Corner Bakery. As you know, the notice period is six months. The rent was raised to 1,600 euros a month in 2023. Please let us have a copy of your insurance.",
        ),
        (("The notice period is three months.", "As you know, the notice period is six months."),),
        (
            (
                "The rent is 1,450 euros a month, payable in advance.",
                "The rent was raised to 1,600 euros a month in 2023.",
            ),
        ),
    ),
    Pair(
        False,
        (
            "Saint Orla School prospectus",
            "Saint Orla School was founded in 1911 by the sisters of the parish. It has 420 pupils and 31 teachers. Lessons begin at 8:10. Lunch is cooked on the premises.",
        ),
        (
            "Saint Orla School, inspection",
            "Saint Orla School was founded in 1919. Inspectors saw 22 lessons over three days. The primary section has 180 pupils. Reading is taught well, and attendance is high.",
        ),
        (
            (
                "Saint Orla School was founded in 1911 by the sisters of the parish.",
                "Saint Orla School was founded in 1919.",
            ),
        ),
        (("It has 420 pupils and 31 teachers.", "The primary section has 180 pupils."),),
    ),
    Pair(
        True,
        (
            "Bulletin on the Velden storm",
            "The storm reached Velden shortly after noon on 8 February 2022. Gusts of 140 km/h were measured at the Velden observatory. Two hundred homes were left without power. Schools in Velden stayed closed on the following day.",
        ),
        (
            "Velden storm: looking back",
            "A year later the woods around Velden still show the damage. The observatory at Velden measured gusts of 165 km/h that day. By evening 340 homes were without power, where at noon it had been 200. The insurers paid 11 million euros.",
        ),
        (
            (
                "Gusts of 140 km/h were measured at the Velden observatory.",
                "The observatory at Velden measured gusts of 165 km/h that day.",
            ),
        ),
        (
            (
                "Two hundred homes were left without power.",
                "By evening 340 homes were without power, where at noon it had been 200.",
            ),
        ),
    ),
    Pair(
        True,
        (
            "Kiln handbook",
            "The Brandel kiln heats to 1,280 °C in nine hours. Never open the Brandel kiln above 200 °C. The lid weighs 38 kg and takes two people to lift. Shelves should be coated twice a year.",
        ),
        (
            "Workshop notes on the Brandel kiln",
            "New members are shown the kiln in their first week. The Brandel kiln may be opened once it is below 200 °C. The lid of the Brandel kiln weighs 52 kg. It was lifted last month by three of us.",
        ),
        (("The lid weighs 38 kg and takes two people to lift.", "The lid of the Brandel kiln weighs 52 kg."),),
        (("Never open the Brandel kiln above 200 °C.", "The Brandel kiln may be opened once it is below 200 °C."),),
    ),
    Pair(
        True,
        (
            "Obituary of Conrad Hale",
            "Conrad Hale, who has died aged 88, gave the town its orchestra. He was born in Exmouth, the son of a pilot. His widow, Lena, survives him. The town hall was full for the farewell concert.",
        ),
        (
            "Conrad Hale: programme note",
            "Conrad Hale was born in Torquay and came to music late. He conducted the orchestra until 1998 and the choir until 2004. About 60 players have passed through its ranks. Tonight we hear his second suite.",
        ),
        (("He was born in Exmouth, the son of a pilot.", "Conrad Hale was born in Torquay and came to music late."),),
        (
            (
                "Conrad Hale, who has died aged 88, gave the town its orchestra.",
                "He conducted the orchestra until 1998 and the choir until 2004.",
            ),
        ),
    ),
    Pair(
        True,
        (
            "Planning notice: Pell Street tower",
            "The Pell Street tower will have 22 floors. Objections may be sent until 30 June. The ground floor is meant for shops. A garden is planned on the roof, and parking for 80 cars.",
        ),
        (
            "Pell Street tower completed",
            "After four years the Pell Street tower stands. It has 21 floors and 140 flats. The facade is of pale brick. Objections could be sent until 13 June, and eleven were.",
        ),
        (("Objections may be sent until 30 June.", "Objections could be sent until 13 June, and eleven were."),),
        (("The Pell Street tower will have 22 floors.", "It has 21 floors and 140 flats."),),
    ),
)
