"""What the made documents say, in wordings written by hand: half of them to work with, half set apart for measuring.

`{N}` is the thing's name, `{v}` the value. A fact has values as (told, told otherwise, contradicting). A near miss is a
pair of sentences that look as if they contradicted each other and do not.
"""

from __future__ import annotations

from typing import NamedTuple


class Fact(NamedTuple):
    """`work` and `apart`: wordings of the two halves."""

    values: tuple[tuple[str, str, str], ...]
    work: tuple[str, ...]
    apart: tuple[str, ...]


class Topic(NamedTuple):
    """`titles` and `fillers` of each half; `misses` are (one, other) sentences."""

    names: tuple[str, ...]
    titles: tuple[tuple[str, ...], tuple[str, ...]]
    facts: tuple[Fact, ...]
    fillers: tuple[tuple[str, ...], tuple[str, ...]]
    misses: tuple[tuple[tuple[str, str], ...], tuple[tuple[str, str], ...]]


LIGHTHOUSE = Topic(
    (
        "Skerry Point Lighthouse",
        "Marn Head Lighthouse",
        "Ulvo Lighthouse",
        "Tarrow Bank Lighthouse",
        "Cape Ostrel Lighthouse",
        "Hallan Lighthouse",
        "Brannock Lighthouse",
        "Stroma Reef Lighthouse",
        "Finnvik Lighthouse",
    ),
    (
        ("{N}", "Keeper's notes on {N}", "Visiting {N}"),
        ("{N}: a short history", "Pilot book: {N}", "{N} trust, newsletter"),
    ),
    (
        Fact(
            (("31 metres", "102 feet", "24 metres"), ("18 m", "18 metres", "27 m"), ("42 metres", "42 m", "36 metres")),
            ("The tower is {v} high.", "{N} stands {v} tall.", "Its tower rises to a height of {v}."),
            (
                "From rock to lantern the tower measures {v} in height.",
                "At {v} tall, {N} overtops every building on this coast.",
                "The height of the tower is given as {v}.",
            ),
        ),
        Fact(
            (("1854", "1854", "1861"), ("1902", "1902", "1911"), ("1877", "1877", "1872")),
            ("It was built in {v}.", "{N} was completed in {v}.", "Construction of {N} ended in {v}."),
            (
                "Masons from the mainland erected the tower in {v}.",
                "{N} dates from {v}.",
                "The building of {N} was finished in {v}.",
            ),
        ),
        Fact(
            (
                ("21 nautical miles", "21 nautical miles", "14 nautical miles"),
                ("18 nautical miles", "18 nautical miles", "26 nautical miles"),
            ),
            (
                "Its light is visible for {v}.",
                "The light of {N} has a range of {v}.",
                "In clear weather the beam can be seen at {v}.",
            ),
            (
                "The beam carries {v} on a clear night.",
                "Mariners can make out the light from {v} away.",
                "The nominal range of {N} is {v}.",
            ),
        ),
        Fact(
            (("white", "white", "red"), ("yellow", "yellow", "black"), ("red", "red", "green")),
            (
                "The tower is painted {v}.",
                "{N} is a {v} tower.",
                "Since its first day the tower has had a coat of {v} paint.",
            ),
            ("A {v} tower marks the point.", "The whole tower of {N} is {v}.", "Sailors know it by its {v} tower."),
        ),
        Fact(
            (("Alan Reid", "Alan Reid", "Thomas Groll"), ("Petra Vance", "P. Vance", "Edith Molnar")),
            ("{N} was designed by {v}.", "The architect of {N} was {v}.", "It was {v} who designed the tower."),
            ("The plans for {N} were drawn up by {v}.", "{v} designed {N}.", "Its designer was {v}."),
        ),
        Fact(
            (("open", "open", "closed"),),
            ("The gallery of {N} is {v} to visitors.", "At {N} the gallery is {v} to visitors."),
            ("Visitors find the lamp room of {N} {v}.", "The lamp room at {N} is {v} to the public."),
        ),
    ),
    (
        (
            "The rocks below are dangerous at low water.",
            "A path of shingle leads up from the landing place.",
            "In winter the steps are often icy.",
            "Gannets nest on the cliff.",
        ),
        (
            "Supplies used to be rowed out twice a month.",
            "The garden behind the wall grows little but cabbage.",
            "The logbooks are kept in the county archive.",
            "Fog is common here in June.",
        ),
    ),
    (
        (
            ("The tower of {N} is 31 metres high.", "The keeper's house at {N} is 9 metres high."),
            ("In 1954 {N} had three keepers.", "In 1971 {N} had two keepers."),
            ("The light of {N} is about 20 metres above the sea.", "The light of {N} is 21 metres above the sea."),
            ("{N} was built in 1854.", "The fog horn of {N} was built in 1908."),
        ),
        (
            ("{N} is at least 30 metres tall.", "{N} is 34 metres tall."),
            ("The beam of {N} reaches 37 kilometres.", "The beam of {N} reaches 20 nautical miles."),
            ("The old tower of {N} was 12 metres high.", "The new tower of {N} is 29 metres high."),
            ("{N} was first lit in 1866.", "{N} was electrified in 1929."),
        ),
    ),
)

COMPANY = Topic(
    (
        "Tidewater Instruments",
        "Korvan Textiles",
        "Bellmoor Foods",
        "Lindqvist Optics",
        "Aster Packaging",
        "Norhaven Cables",
        "Quillon Software",
        "Pemberley Ceramics",
        "Ostara Pumps",
    ),
    (
        ("{N}: company profile", "About {N}", "{N} in brief"),
        ("{N} at a glance", "Credit report on {N}", "Supplier file: {N}"),
    ),
    (
        Fact(
            (("1987", "1987", "1992"), ("1949", "1949", "1953"), ("2004", "2004", "2009")),
            ("{N} was founded in {v}.", "The company was established in {v}.", "{N} started business in {v}."),
            ("{N} goes back to {v}.", "The firm was set up in {v}.", "Its founding year is {v}."),
        ),
        Fact(
            (
                ("240 people", "240 people", "310 people"),
                ("58 people", "58 people", "85 people"),
                ("1,150 people", "1,150 people", "1,420 people"),
            ),
            ("{N} employs {v}.", "The company has a staff of {v}.", "At {N} {v} work in two shifts."),
            ("The workforce of {N} comes to {v}.", "Its payroll counts {v}.", "{N} gives work to {v}."),
        ),
        Fact(
            (("Leeds", "Leeds", "Hull"), ("Turku", "Turku", "Vaasa"), ("Ghent", "Ghent", "Antwerp")),
            ("{N} is headquartered in {v}.", "The head office of {N} is in {v}.", "The firm is based in {v}."),
            (
                "Its headquarters are in {v}.",
                "{N} has its registered office in {v}.",
                "{N}, headquartered in {v}, makes most of its goods there.",
            ),
        ),
        Fact(
            (("Ruth Calder", "Ruth Calder", "Simon Ferro"), ("Hannes Birk", "Hannes Birk", "Olga Trent")),
            ("The chief executive is {v}.", "{N} is led by {v}.", "{N} is headed by {v}."),
            ("{v} leads {N}.", "Chief executive of {N} is {v}.", "The firm is managed by {v}."),
        ),
        Fact(
            (
                ("42 million euros", "€42 million", "57 million euros"),
                ("8.5 million euros", "€8.5 million", "11.2 million euros"),
            ),
            ("In 2022 the revenue of {N} was {v}.", "{N} had sales of {v} in 2022.", "Revenue in 2022 came to {v}."),
            (
                "{N} turned over {v} in 2022.",
                "For 2022 the firm reported a turnover of {v}.",
                "Sales at {N} reached {v} in 2022.",
            ),
        ),
        Fact(
            (("Maud Ferris", "Maud Ferris", "Jonas Keil"),),
            ("{N} was founded by {v}.", "The founder of {N} was {v}."),
            ("{v} founded {N}.", "It was set up by {v}."),
        ),
    ),
    (
        (
            "Its canteen is known for its soups.",
            "Most customers are in Europe.",
            "The site lies beside the old canal.",
            "Apprentices are taken on every autumn.",
        ),
        (
            "A works council meets every month.",
            "Deliveries go out by rail.",
            "The showroom can be visited on request.",
            "Its catalogue appears in four languages.",
        ),
    ),
    (
        (
            ("In 2021 the revenue of {N} was 38 million euros.", "In 2022 the revenue of {N} was 44 million euros."),
            ("{N} expected sales of 50 million euros in 2023.", "{N} had sales of 46 million euros in 2023."),
            ("{N} employs 412 people.", "{N} employs about 400 people."),
            ("{N} employs 412 people.", "The plant of {N} in Brno employs 120 people."),
            ("{N} was led by Ada Holt until 2015.", "{N} is led by Piet Norden."),
        ),
        (
            ("{N} employs more than 200 people.", "{N} employs 268 people."),
            ("{N} had a gross profit of 9 million euros in 2020.", "{N} had a net profit of 4 million euros in 2020."),
            (
                "The budget of {N} for 2024 foresees sales of 30 million euros.",
                "Sales of {N} in 2024 were 27 million euros.",
            ),
            ("The headquarters of {N} have been in Graz since 2018.", "The headquarters of {N} were in Linz."),
            ("{N} was founded in 1931.", "The union at {N} was founded in 1946."),
        ),
    ),
)

CLINIC = Topic(
    (
        "Harold Penn",
        "Marit Solheim",
        "Joan Abara",
        "Edgar Quist",
        "Lucia Marchetti",
        "Owen Tully",
        "Greta Naumann",
        "Samir Hadad",
        "Ida Frost",
    ),
    (
        ("Discharge letter: {N}", "Ward notes, {N}", "Clinic letter about {N}"),
        ("Nursing record: {N}", "Referral: {N}", "Medication review for {N}"),
    ),
    (
        Fact(
            (("5 mg", "5 mg", "10 mg"), ("250 mg", "0.25 g", "500 mg"), ("40 mg", "40 mg", "80 mg")),
            ("{N} takes {v} of ramipril daily.", "Ramipril: {v} once a day.", "The daily dose of ramipril is {v}."),
            (
                "On discharge ramipril was given at a dose of {v} daily.",
                "{N} is prescribed {v} ramipril every day.",
                "Ramipril {v} is taken each day.",
            ),
        ),
        Fact(
            (("12 March 2021", "12 March 2021", "21 March 2021"), ("3 June 2020", "June 3, 2020", "8 June 2020")),
            ("{N} was admitted on {v}.", "Admission was on {v}.", "The patient was brought in on {v}."),
            ("{N} was admitted to the ward on {v}.", "Date of admission: {v}.", "The patient presented on {v}."),
        ),
        Fact(
            (("82 kg", "82 kg", "71 kg"), ("64 kg", "64 kg", "78 kg")),
            ("{N} weighs {v}.", "The patient's weight is {v}.", "Weight at admission was {v}."),
            ("The body weight of {N} was {v}.", "On the scales the patient weighs {v}.", "Weight: {v}, without shoes."),
        ),
        Fact(
            (("is allergic to penicillin", "is allergic to penicillin", "is not allergic to penicillin"),),
            ("{N} {v}.", "The patient {v}."),
            ("It is noted that {N} {v}.", "As before, {N} {v}."),
        ),
        Fact(
            (("4 January 1948", "4 January 1948", "14 January 1948"), ("9 May 1961", "9 May 1961", "9 May 1967")),
            ("{N} was born on {v}.", "Date of birth: {v}.", "{N}, born {v}, lives alone."),
            (
                "The birth date of {N} is {v}.",
                "Born on {v}, {N} has two children.",
                "Our patient, born {v}, is retired.",
            ),
        ),
        Fact(
            (("Dr Keller", "Dr Keller", "Dr Osei"),),
            ("{N} was operated on by {v}.", "The surgeon was {v}."),
            ("The operation on {N} was carried out; surgeon: {v}.", "The surgeon of {N} is {v}."),
        ),
    ),
    (
        (
            "The wound healed without trouble.",
            "There was no fever at any time.",
            "A daughter visits every evening.",
            "The patient walks with a stick.",
        ),
        (
            "Sleep was poor in the first nights.",
            "Appetite came back slowly.",
            "Blood was taken before breakfast.",
            "The chest was clear.",
        ),
    ),
    (
        (
            ("On 12 March the temperature of {N} was 38.9 °C.", "On 15 March the temperature of {N} was 36.8 °C."),
            ("The dose for {N} was raised to 20 mg.", "{N} takes 10 mg of bisoprolol daily."),
            ("{N} takes 5 mg in the morning.", "{N} takes 10 mg in the evening."),
            ("{N} smoked until 2010.", "{N} does not smoke."),
            ("{N} was admitted on 4 May 2020.", "{N} was admitted on 9 November 2021 for the second time."),
        ),
        (
            ("The systolic pressure of {N} was 150 mmHg.", "The diastolic pressure of {N} was 90 mmHg."),
            ("{N} should drink at least 1.5 litres a day.", "{N} drinks 2 litres a day."),
            ("Before surgery {N} weighed 90 kg.", "After surgery {N} weighed 84 kg."),
            ("{N} received 500 mg of paracetamol at 8 am.", "{N} received 1 g of paracetamol at 6 pm."),
            ("{N} will be discharged on 20 May 2022.", "{N} was discharged on 23 May 2022."),
        ),
    ),
)

MINUTES = Topic(
    (
        "Harrow Weir Committee",
        "Alder Street Library Board",
        "Fennick Sailing Club",
        "Orchard Road Allotments",
        "Stennet Parish Council",
        "Lowmoor School Board",
        "Brisling Housing Cooperative",
        "Kestrel Theatre Society",
    ),
    (
        ("Minutes of the {N}", "{N}: meeting of 14 May 2022"),
        ("{N}, record of decisions of 14 May 2022", "{N}: summary for members"),
    ),
    (
        Fact(
            (("14 members", "14 members", "19 members"), ("31 members", "31 members", "26 members")),
            ("{v} of the {N} were present on 14 May 2022.", "On 14 May 2022 {v} attended."),
            ("The meeting of 14 May 2022 was attended by {v}.", "Present on 14 May 2022 were {v}."),
        ),
        Fact(
            (("12,500 euros", "€12,500", "15,800 euros"), ("4,200 pounds", "£4,200", "6,900 pounds")),
            (
                "The {N} approved {v} for the new roof.",
                "For the new roof the {N} set aside {v}.",
                "{v} were granted for the new roof.",
            ),
            (
                "A sum of {v} was earmarked for the new roof.",
                "The new roof was given a budget of {v}.",
                "{N} voted {v} towards the new roof.",
            ),
        ),
        Fact(
            (("approved", "approved", "rejected"),),
            ("The {N} {v} the plan for the car park.", "The plan for the car park was {v}."),
            ("Members of the {N} {v} the proposed car park.", "By a show of hands the car park was {v}."),
        ),
        Fact(
            (("Nora Blythe", "Nora Blythe", "Victor Amsel"), ("Colin Marsh", "Colin Marsh", "Beate Lund")),
            ("The treasurer is {v}.", "The treasurer of the {N} is {v}."),
            ("As treasurer of the {N}, the books are kept by {v}; the treasurer is {v}.", "The treasurer remains {v}."),
        ),
        Fact(
            (("7:30 pm", "19:30", "6:30 pm"), ("18:00", "6 pm", "20:00")),
            ("The next meeting of the {N} begins at {v}.", "The next meeting starts at {v}."),
            ("Next time the {N} meeting begins at {v}.", "The coming meeting will open with tea; it starts at {v}."),
        ),
    ),
    (
        (
            "Apologies were received from two members.",
            "The chair thanked everybody for coming.",
            "A key to the shed is missing.",
            "Tea was served afterwards.",
        ),
        (
            "The heating will be looked at.",
            "Nobody objected to the last record.",
            "A raffle is planned for the autumn.",
            "The notice board needs paint.",
        ),
    ),
    (
        (
            ("In March the {N} spent 400 euros on repairs.", "In April the {N} spent 650 euros on repairs."),
            ("The {N} plans to spend 9,000 euros on the boiler.", "The {N} spent 9,800 euros on the boiler."),
            (
                "The annual fee of the {N} is 60 euros for adults.",
                "The annual fee of the {N} is 25 euros for children.",
            ),
            ("The {N} approved the plan for the fence.", "The {N} rejected the plan for the kiosk."),
        ),
        (
            ("The fee of the {N} was 40 euros in 2019.", "The fee of the {N} is 48 euros in 2023."),
            ("The {N} has 210 members in all.", "The youth section of the {N} has 45 members."),
            ("The fee of the {N} has been 55 euros since January 2022.", "The fee of the {N} was 50 euros."),
            ("Up to 80 guests may attend the party of the {N}.", "The party of the {N} had 65 guests."),
        ),
    ),
)

MANUAL = Topic(
    (
        "Brisk 40 coffee machine",
        "Heron 5 heat pump",
        "Volt 220 welder",
        "Larch 12 chainsaw",
        "Cirro 3 dehumidifier",
        "Mistral 90 fan",
        "Tarn 7 pressure washer",
        "Oriel 2 projector",
    ),
    (
        ("{N}: instructions", "Using the {N}", "Quick start for the {N}"),
        ("{N}, service sheet", "Technician's card for the {N}", "{N}: questions and answers"),
    ),
    (
        Fact(
            (("1.8 litres", "1,800 ml", "1.2 litres"), ("6 litres", "6 l", "4.5 litres")),
            (
                "The tank of the {N} holds {v}.",
                "The water tank has a capacity of {v}.",
                "Fill the tank with {v} of water.",
            ),
            ("Its tank takes {v}.", "Tank volume of the {N}: {v}.", "The tank contains {v} when full."),
        ),
        Fact(
            (("6 bar", "6 bar", "8 bar"), ("9 bar", "9 bar", "12 bar")),
            ("The pressure must not exceed {v}.", "The {N} works at a pressure of {v}.", "Operating pressure is {v}."),
            ("Set the pressure of the {N} to {v}.", "The working pressure is {v}.", "Pressure in the boiler: {v}."),
        ),
        Fact(
            (("24 months", "2 years", "36 months"), ("12 months", "1 year", "18 months")),
            ("The warranty on the {N} is {v}.", "It is guaranteed for {v}.", "The {N} comes with a warranty of {v}."),
            (
                "Warranty period of the {N}: {v}.",
                "For {v} the {N} is covered by a guarantee.",
                "We give a guarantee of {v} on the {N}.",
            ),
        ),
        Fact(
            (("3.4 kg", "3,400 g", "4.9 kg"), ("11 kg", "11 kg", "14 kg")),
            ("The {N} weighs {v}.", "Its weight is {v}.", "Without accessories it weighs {v}."),
            ("Weight of the {N}: {v}.", "The {N} has a weight of {v}.", "On its own the device weighs {v}."),
        ),
        Fact(
            (
                ("is waterproof", "is waterproof", "is not waterproof"),
                (
                    "may be cleaned in the dishwasher",
                    "may be cleaned in the dishwasher",
                    "may not be cleaned in the dishwasher",
                ),
            ),
            ("The housing of the {N} {v}.", "The housing {v}."),
            ("Please note that the casing of the {N} {v}.", "As with most such devices, the casing {v}."),
        ),
        Fact(
            (("green", "green", "blue"),),
            ("When the {N} is ready the lamp is {v}.", "A {v} lamp shows that it is ready."),
            ("The ready lamp of the {N} is {v}.", "Once warm, the lamp turns {v}."),
        ),
    ),
    (
        (
            "Unpack everything and keep the box.",
            "Place it on level ground.",
            "Keep children away.",
            "Do not pull the plug by its cord.",
        ),
        (
            "Wipe it with a damp cloth.",
            "Spare parts can be ordered by post.",
            "Read all pages before you begin.",
            "Dispose of it at a collection point.",
        ),
    ),
    (
        (
            ("The {N} draws 1,200 watts when heating.", "The {N} draws 3 watts in standby."),
            ("Descale the {N} every month with hard water.", "Descale the {N} every 3 months with soft water."),
            (
                "Version 1.2 of the software of the {N} starts in 40 seconds.",
                "Version 2.0 of the software of the {N} starts in 12 seconds.",
            ),
            ("The {N} weighs 7 kg empty.", "The {N} weighs 9 kg full."),
        ),
        (
            ("The minimum pressure of the {N} is 2 bar.", "The maximum pressure of the {N} is 7 bar."),
            ("The cable of the {N} is 1.5 m long.", "The hose of the {N} is 4 m long."),
            ("The {N} lasts about 10 years.", "The {N} lasts 10.5 years."),
            ("The warranty on the motor of the {N} is 5 years.", "The warranty on the battery of the {N} is 1 year."),
        ),
    ),
)

PRODUCT = Topic(
    (
        "Lumo Trail lamp",
        "Arvo Desk",
        "Kite 11 tablet",
        "Mora rain jacket",
        "Pico speaker",
        "Sund bicycle",
        "Vega headphones",
        "Tindra kettle",
    ),
    (("{N}: product sheet", "{N}", "Buy the {N}"), ("{N} review", "{N}: facts and figures", "Catalogue page: {N}")),
    (
        Fact(
            (("€89", "89 euros", "€109"), ("€249", "249 euros", "€279"), ("€39.90", "€39.90", "€34.90")),
            ("The {N} costs {v}.", "Its price is {v}.", "The {N} sells for {v}."),
            ("{N}: list price {v}.", "You pay {v} for the {N}.", "The shop price of the {N} is {v}."),
        ),
        Fact(
            (("20 hours", "20 hours", "12 hours"), ("8 hours", "8 hours", "15 hours")),
            ("The battery lasts {v}.", "The {N} runs for {v} on one charge.", "One charge of the {N} is good for {v}."),
            ("Battery life of the {N}: {v}.", "Its battery keeps going for {v}.", "We measured a battery life of {v}."),
        ),
        Fact(
            (("310 g", "310 grams", "420 g"), ("1.4 kg", "1,400 g", "1.9 kg")),
            ("The {N} weighs {v}.", "It weighs just {v}."),
            ("The {N} has a weight of {v}.", "Weight: {v}."),
        ),
        Fact(
            (("black", "black", "blue"), ("green", "green", "grey")),
            ("The {N} comes in {v} only.", "The {N} is sold in one colour, {v}."),
            ("Its only colour is {v}.", "The colour of the {N} is {v}."),
        ),
        Fact(
            (("is included", "is included", "is not included"),),
            ("A charger {v} with the {N}.", "The charger {v}."),
            ("With the {N} a charger {v}.", "A charger for the {N} {v} in the box."),
        ),
        Fact(
            (("32 GB", "32 GB", "64 GB"), ("450 lumens", "450 lumens", "600 lumens")),
            ("The {N} has {v} on board.", "The {N} offers {v}."),
            ("Rated at {v}, the {N} is ahead of its class.", "The {N} gives you {v}."),
        ),
    ),
    (
        (
            "It ships in recycled cardboard.",
            "We liked the sturdy feel.",
            "Customers praise the simple buttons.",
            "It won a design prize.",
        ),
        (
            "The manual is short and clear.",
            "Spare straps are easy to find.",
            "It feels at home on a desk.",
            "The maker answers letters.",
        ),
    ),
    (
        (
            ("The {N} cost €99 in 2021.", "The {N} cost €119 in 2023."),
            ("The {N} weighs 310 g.", "The {N} weighs 0.31 kg."),
            ("The standard {N} costs €150.", "The deluxe {N} costs €210."),
            ("The {N} costs €80 online.", "The {N} costs €95 in the shop."),
        ),
        (
            ("The {N} weighs less than 500 g.", "The {N} weighs 430 g."),
            ("The {N} will cost €60.", "The {N} costs €65."),
            ("Two of the {N} together cost €70.", "One {N} alone costs €40."),
            ("The box of the {N} weighs 1.2 kg.", "The {N} weighs 800 g."),
        ),
    ),
)

FERRY = Topic(
    (
        "Marnsund Ferry",
        "Ulvo Ferry",
        "Loch Arran Ferry",
        "Tamsin River Boat",
        "Hesk Island Ferry",
        "Grey Isles Ferry",
        "Vesper Bay Ferry",
        "Nordhavn Ferry",
    ),
    (
        ("{N} timetable", "Travelling by {N}", "{N}: for passengers"),
        ("{N}, notice at the pier", "Island guide: the {N}", "{N}: what to know"),
    ),
    (
        Fact(
            (("7:15", "7.15 am", "8:15"), ("6:40", "6:40 am", "6:10")),
            (
                "On weekdays the first boat of the {N} leaves at {v}.",
                "The first boat departs at {v} on weekdays.",
                "On weekdays the {N} first departs at {v}.",
            ),
            (
                "The first weekday sailing of the {N} leaves the quay at {v}.",
                "On weekdays the {N} casts off for the first time at {v}.",
                "Weekdays: first departure {v}.",
            ),
        ),
        Fact(
            (("35 minutes", "35 minutes", "50 minutes"), ("1 hour", "60 minutes", "90 minutes")),
            (
                "The crossing takes {v}.",
                "A crossing with the {N} takes {v}.",
                "The {N} needs {v} for the crossing; it takes {v} in any weather.",
            ),
            (
                "Allow for the crossing, which takes {v}.",
                "The duration of the {N} crossing is {v}.",
                "The passage by {N} lasts {v}.",
            ),
        ),
        Fact(
            (
                ("120 passengers", "120 passengers", "180 passengers"),
                ("48 passengers", "48 passengers", "60 passengers"),
            ),
            ("The {N} carries {v}.", "The boat has room for {v}.", "The {N} has seats for {v}."),
            (
                "Up on deck and below, the {N} takes in total {v}.",
                "The capacity of the {N} is {v}.",
                "There are places for {v} on the {N}.",
            ),
        ),
        Fact(
            (("€8.50", "8.50 euros", "€11"), ("£6", "6 pounds", "£7.50")),
            (
                "A single ticket for the {N} costs {v}.",
                "The single fare is {v}.",
                "For the {N} a single ticket is {v}.",
            ),
            (
                "The single fare on the {N} comes to {v}.",
                "You pay {v} for a single ticket.",
                "One pays {v} for a single on the {N}.",
            ),
        ),
        Fact(
            (("allowed", "permitted", "not allowed"),),
            ("Bicycles are {v} on the {N}.", "On the {N} bicycles are {v}."),
            ("Bicycles are {v} aboard the {N}.", "Taking bicycles on the {N} is {v}."),
        ),
    ),
    (
        (
            "Hot drinks are sold on board.",
            "Please queue on the left.",
            "The waiting room is heated.",
            "Seals are often seen.",
        ),
        (
            "Rough seas may delay the boat.",
            "Stand clear of the ropes.",
            "The crew will help with prams.",
            "There is a bench by the rail.",
        ),
    ),
    (
        (
            (
                "In summer the last boat of the {N} leaves at 22:00.",
                "In winter the last boat of the {N} leaves at 19:00.",
            ),
            ("On Saturdays the {N} leaves at 9:00.", "On Mondays the {N} leaves at 7:00."),
            ("A single ticket for the {N} costs €8.", "A return ticket for the {N} costs €14."),
            ("The {N} leaves at 7:30 pm.", "The {N} leaves at 19:30."),
        ),
        (
            ("The fare on the {N} is €9 for adults.", "The fare on the {N} is €4 for children."),
            ("Northbound the {N} leaves at 10:15.", "Southbound the {N} leaves at 11:05."),
            ("The {N} carries up to 20 cars.", "The {N} carried 14 cars on Sunday."),
            ("Since May the {N} leaves at 8:30.", "The {N} leaves at 8:00."),
        ),
    ),
)

PERSON = Topic(
    (
        "Ilse Brandt",
        "Aurelio Sant",
        "Margit Oye",
        "Desmond Kirke",
        "Halina Wolska",
        "Tomas Reyholt",
        "Beatrix Faun",
        "Leopold Garde",
        "Yvette Marchand",
    ),
    (
        ("{N}", "{N}: a life", "Remembering {N}"),
        ("Biographical note on {N}", "{N}, encyclopaedia entry", "Portrait of {N}"),
    ),
    (
        Fact(
            (("1921", "1921", "1924"), ("1889", "1889", "1885"), ("1950", "1950", "1955")),
            ("{N} was born in {v}.", "Born in {v}, {N} grew up by the sea.", "The birth of {N} fell in the year {v}."),
            (
                "{N} came into the world in {v}.",
                "The birth year of {N} is {v}.",
                "{N}, who was born in {v}, was the youngest of four.",
            ),
        ),
        Fact(
            (("Bergen", "Bergen", "Stavanger"), ("Trieste", "Trieste", "Padua"), ("Lyon", "Lyon", "Dijon")),
            ("{N} was born in {v}.", "The birthplace of {N} is {v}."),
            ("A native of {v}, {N} never lost the accent.", "{N} was born in {v} to a family of bakers."),
        ),
        Fact(
            (("1987", "1987", "1991"), ("1954", "1954", "1949"), ("2010", "2010", "2012")),
            (
                "{N} died in {v}.",
                "Death came in {v}, after a short illness; {N} was mourned widely.",
                "{N} passed away in {v}.",
            ),
            (
                "In {v} {N} died at home.",
                "The death of {N} in {v} was widely reported.",
                "{N} lived quietly and died in {v}.",
            ),
        ),
        Fact(
            (("Clara Vey", "Clara Vey", "Anna Thorne"), ("Emil Rask", "Emil Rask", "Paul Denning")),
            ("{N} married {v}.", "In later life {N} was married to {v}."),
            ("{N} married {v} in a small chapel.", "{N} was married to {v}, a teacher."),
        ),
        Fact(
            (("three children", "3 children", "five children"), ("two children", "2 children", "four children")),
            ("{N} had {v}.", "With {v}, the house of {N} was never quiet."),
            ("{N} brought up {v}.", "{N} was the parent of {v}."),
        ),
    ),
    (
        (
            "Letters show a dry sense of humour.",
            "The family moved often.",
            "Music filled the house.",
            "A street bears the name.",
        ),
        (
            "Few photographs survive.",
            "The diaries were burnt.",
            "Friends recall long walks.",
            "An award is given every spring.",
        ),
    ),
    (
        (
            ("{N} was 24 years old in 1945.", "{N} was 40 years old in 1961."),
            ("{N} was born in 1930.", "Klara, the sister of {N}, was born in 1934."),
            ("{N} lived in Oslo until 1950.", "{N} lived in Paris from 1950 on."),
            ("{N} published a first novel in 1960.", "{N} published a second novel in 1966."),
        ),
        (
            ("{N} studied in Vienna.", "{N} taught in Graz."),
            ("{N} wrote about 40 letters to the paper.", "{N} wrote 38 letters to the paper."),
            ("{N} was born in May 1902.", "{N} was born in 1902."),
            ("{N} joined the academy in 1970.", "{N} left the academy in 1984."),
        ),
    ),
)

MUSEUM = Topic(
    (
        "Harrow Museum",
        "Museum of Clocks Aldby",
        "Salt House Museum",
        "Fenwick Gallery",
        "Tramway Museum Lunde",
        "Rope Museum",
        "Kelp Museum",
        "Amber Gallery",
    ),
    (
        ("Visiting the {N}", "{N}: opening hours and prices", "{N}"),
        ("{N} for school groups", "City guide: {N}", "Leaflet of the {N}"),
    ),
    (
        Fact(
            (("10 am", "10:00", "9 am"), ("9:30", "9:30 am", "11:00")),
            ("The {N} opens at {v}.", "Doors open at {v}.", "Opening time is {v}."),
            (
                "The doors of the {N} are unlocked at {v}.",
                "The {N} opens its doors at {v}.",
                "It opens at {v}, and the café with it.",
            ),
        ),
        Fact(
            (("5 pm", "17:00", "6 pm"), ("18:30", "6:30 pm", "18:00")),
            ("The {N} closes at {v}.", "It closes at {v}.", "Closing time at the {N} is {v}."),
            ("The {N} shuts at {v}.", "Closing is at {v}.", "At {v} the {N} closes."),
        ),
        Fact(
            (("€7", "7 euros", "€9"), ("€12", "12 euros", "€10")),
            ("Admission to the {N} is {v} for adults.", "Adults pay {v}.", "An adult ticket costs {v}."),
            (
                "Adults are charged {v} at the {N}.",
                "The entry fee for adults is {v}.",
                "Tickets to the {N}: adults {v}.",
            ),
        ),
        Fact(
            (("1,200 clocks", "1,200 clocks", "1,700 clocks"), ("340 paintings", "340 paintings", "520 paintings")),
            ("The {N} has {v}.", "The collection of the {N} holds {v}."),
            ("{v} can be seen at the {N}.", "The {N} shows {v}."),
        ),
        Fact(
            (("Vera Lind", "Vera Lind", "Hugo Ames"),),
            ("The {N} is directed by {v}.", "The curator of the {N} is {v}."),
            ("{v} heads the {N}.", "The {N} is run by {v}."),
        ),
        Fact(
            (("allowed", "permitted", "forbidden"),),
            ("Photography is {v} in the {N}.", "Taking photographs is {v} at the {N}."),
            ("Photography in the {N} is {v}.", "In the rooms of the {N} photography is {v}."),
        ),
    ),
    (
        (
            "Lockers are free of charge.",
            "The shop sells postcards.",
            "A lift leads to all floors.",
            "Parking is behind the building.",
        ),
        (
            "Pushchairs may be borrowed.",
            "Tours begin in the hall.",
            "The roof terrace is windy.",
            "Cloakrooms are in the cellar.",
        ),
    ),
    (
        (
            ("On weekdays the {N} opens at 10 am.", "At weekends the {N} opens at 11 am."),
            ("Admission to the {N} is €7 for adults.", "Admission to the {N} is €3 for children."),
            ("The {N} had 40,000 visitors in 2019.", "The {N} had 12,000 visitors in 2020."),
            ("The {N} opens at 10 am.", "The café of the {N} opens at 9 am."),
        ),
        (
            ("From May to September the {N} closes at 8 pm.", "In January the {N} closes at 4 pm."),
            ("The {N} expects 50,000 visitors.", "The {N} counted 43,000 visitors."),
            ("The ground floor of the {N} covers 400 square metres.", "The whole {N} covers 1,300 square metres."),
            ("The {N} shows around 500 paintings.", "The {N} shows 512 paintings."),
        ),
    ),
)

BRIDGE = Topic(
    (
        "Corrin Gorge Bridge",
        "Stennet Bridge",
        "Old Mill Bridge",
        "Vale Viaduct",
        "Kross Bridge",
        "Hammer Bridge",
        "Sankt Olav Bridge",
        "Willow Bridge",
    ),
    (
        ("{N}: inspection report", "{N}", "Facts about the {N}"),
        ("Engineering note on {N}", "{N}, heritage listing", "The story of {N}"),
    ),
    (
        Fact(
            (("240 metres", "240 m", "310 metres"), ("96 m", "96 metres", "84 m")),
            ("The {N} is {v} long.", "Its length is {v}.", "The bridge has a length of {v}."),
            ("From end to end the {N} measures {v}.", "The {N} spans {v}.", "Length of the {N}: {v}."),
        ),
        Fact(
            (("1934", "1934", "1929"), ("1998", "1998", "2001")),
            ("The {N} was opened in {v}.", "It was opened to traffic in {v}.", "The opening of the {N} was in {v}."),
            (
                "{N} was inaugurated in {v}.",
                "Traffic has crossed since the {N} opened in {v}.",
                "The {N} was opened by the king in {v}.",
            ),
        ),
        Fact(
            (("40 tonnes", "40 t", "25 tonnes"), ("7.5 tonnes", "7,500 kg", "12 tonnes")),
            ("The {N} carries loads of {v}.", "The load limit is {v}.", "The load limit on the {N} is {v}."),
            ("Its permitted load is {v}.", "The {N} bears {v}.", "The {N} has a load limit of {v}."),
        ),
        Fact(
            (("Marta Quist", "Marta Quist", "Ralph Ebner"), ("John Tolley", "J. Tolley", "Arne Vik")),
            ("The {N} was designed by {v}.", "The engineer of the {N} was {v}."),
            ("{v} engineered the {N}.", "The {N} was planned by {v}."),
        ),
        Fact(
            (("12 metres", "12 m", "9 metres"), ("6.5 m", "6.5 metres", "8 m")),
            ("The {N} is {v} wide.", "The roadway has a width of {v}."),
            ("In breadth the {N} measures {v}.", "Width of the roadway on the {N}: {v}."),
        ),
    ),
    (
        (
            "Swallows nest under the arches.",
            "The railings were renewed.",
            "Anglers gather below it.",
            "It is lit at night.",
        ),
        (
            "Frost damaged the bearings.",
            "A toll was once taken.",
            "The parapet is of granite.",
            "Cyclists share the footpath.",
        ),
    ),
    (
        (
            ("The main span of the {N} is 110 metres long.", "The side span of the {N} is 40 metres long."),
            ("The {N} was opened in 1934.", "The {N} was repaired in 1972."),
            ("In 2015 the {N} carried 8,000 cars a day.", "In 2021 the {N} carried 11,000 cars a day."),
            ("The repair of the {N} should cost 2 million euros.", "The repair of the {N} cost 2.6 million euros."),
        ),
        (
            ("The {N} is 240 metres long.", "The {N} is 787 feet long."),
            ("The deck of the {N} is 12 metres wide.", "The footpath of the {N} is 2 metres wide."),
            ("The {N} rests on four pillars.", "The {N} rests on four pillars, two of which are 30 metres high."),
            ("The old {N} was built in 1790.", "The new {N} was built in 1961."),
        ),
    ),
)

FILM = Topic(
    (
        "The Salt Road",
        "Nine Winters",
        "A House at Marn",
        "Paper Lanterns",
        "The Quiet Ferryman",
        "Copper Sky",
        "Two Rivers",
        "The Last Orchard",
    ),
    (
        ("{N} (film)", "{N}", "Festival programme: {N}"),
        ("{N}: notes for the press", "On seeing {N}", "{N}, film archive card"),
    ),
    (
        Fact(
            (("1968", "1968", "1971"), ("2011", "2011", "2014"), ("1985", "1985", "1983")),
            ("{N} was released in {v}.", "The film came out in {v}.", "{N} premiered in {v}."),
            (
                "{N} was first shown in {v}.",
                "The release of {N} was in {v}.",
                "Audiences first met it when {N} came out in {v}.",
            ),
        ),
        Fact(
            (("Ingrid Falk", "Ingrid Falk", "Marco Belli"), ("Sven Adler", "Sven Adler", "Louise Roth")),
            ("{N} was directed by {v}.", "The director of {N} is {v}."),
            ("{v} directed {N}.", "The director is {v}."),
        ),
        Fact(
            (("94 minutes", "94 minutes", "112 minutes"), ("128 minutes", "128 minutes", "105 minutes")),
            ("{N} runs for {v}.", "The film lasts {v}.", "{N} is {v} long."),
            ("Running time of {N}: {v}.", "{N} lasts {v}.", "It takes {v} to the final credits; {N} never drags."),
        ),
        Fact(
            (
                ("2.4 million euros", "€2.4 million", "3.1 million euros"),
                ("600,000 dollars", "$600,000", "850,000 dollars"),
            ),
            ("{N} had a budget of {v}.", "The budget was {v}."),
            ("On a budget of {v}, {N} was made in six weeks.", "{N} was given a budget of {v}."),
        ),
        Fact(
            (("black and white", "black and white", "colour"),),
            ("{N} won a prize at Locarno.", "{N} won the prize at Locarno."),
            ("{N} took a prize at Locarno.", "A prize went to {N} at Locarno."),
        ),
    ),
    (
        ("The music is sparse.", "Much of it was shot at night.", "Critics were kind.", "It was restored recently."),
        ("The ending divides people.", "The costumes were borrowed.", "A poster survives.", "The sound is remarkable."),
    ),
    (
        (
            ("{N} was shot in 1967.", "{N} was released in 1968."),
            ("The director's cut of {N} lasts 140 minutes.", "The film {N} lasts 118 minutes."),
            ("{N} had 300,000 viewers in France.", "{N} had 80,000 viewers in Belgium."),
            ("{N} was directed by Ingrid Falk.", "{N} was written by Marco Belli."),
        ),
        (
            ("{N} was planned to cost 2 million euros.", "{N} cost 2.7 million euros."),
            ("{N} lasts nearly two hours.", "{N} lasts 117 minutes."),
            ("{N} came out in Sweden in 1999.", "{N} came out in Japan in 2001."),
            ("The book {N} appeared in 1955.", "The film {N} appeared in 1963."),
        ),
    ),
)

TOPICS = (LIGHTHOUSE, COMPANY, CLINIC, MINUTES, MANUAL, PRODUCT, FERRY, PERSON, MUSEUM, BRIDGE, FILM)
