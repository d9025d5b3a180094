from __future__ import annotations

import pytest

from trivium.domain.chunks import Span
from trivium_query.answer.direct.doubts import (
    is_called_off,
    is_corrected,
    is_doubtful,
    is_excepted,
    is_half_denied,
    is_no_clear_word,
    is_of_then,
    is_reduced,
)
from trivium_query.answer.direct.opposites import is_of_other_particle


@pytest.mark.parametrize(
    ("question", "short", "said", "doubtful"),
    [
        ("What are the hours on Wednesday?", "8 to 5", "The desk is there from 8 to 5, Monday to Friday.", False),
        ("What was his temperature on Monday?", "", "It was 39.9 degrees on Tuesday morning.", True),
        ("What was his temperature on Tuesday?", "", "It was 39.9 degrees on Tuesday morning.", False),
        ("What was his temperature on Monday?", "", "It was 39.9 degrees in the morning.", False),
        ("How many things were mended?", "", "They say that 41 things were repaired in January.", True),
        ("How many things do they say were mended?", "", "They say that 41 things were repaired.", False),
        ("Who says that it is free?", "", "The driver says that the waiting is free.", False),
        ("How much salt goes in?", "25 g", "The salt was 25 g in my mother's recipe, but that is too much.", True),
        ("How much did they raise?", "50 euros", "They bought 214 shares of 50 euros each.", True),
        ("How much did each of them raise?", "50 euros", "They raised 50 euros each.", False),
        ("How much did a share cost?", "50 euros", "They bought 214 shares of 50 euros each.", False),
        ("How much was collected?", "900 euros", "The fair brought 900 euros in; cakes were 2 euros each.", False),
        ("Who wrote BKL?", "Bee Keepers' Log", "It is an abbreviation of Bee Keepers' Log.", True),
        ("What is BKL?", "Bee Keepers' Log", "It is an abbreviation of Bee Keepers' Log.", False),
        ("Who wrote BKL?", "Ann Lee", "BKL, short for Bee Keepers' Log, was written by Ann Lee.", False),
        ("Who are the first authors?", "Original Software", "AUTHORS Original Software:", True),
        ("What did they hand on?", "Original Software", "AUTHORS Original Software:", False),
        ("Who comes?", "Jonah", "The guest was to be Mia, but Jonah comes.", False),
        ("How much salt was in it?", "25 g", "The salt was 25 g in my mother's recipe, but that is too much.", False),
        ("Who gets the jersey?", "Pinto", "It goes to Pinto, who was first at the top but came in last.", False),
        ("What does the hotel cost?", "35 euros", "A single room costs 35 euros more for both nights.", True),
        ("How much extra is a room of my own?", "35 euros", "A single room costs 35 euros more.", False),
        ("Where do we sing if it rains?", "garden", "We sing in the garden, if it does not rain; then inside.", True),
        ("Where do we sing if it does not rain?", "garden", "We sing in the garden, if it does not rain.", False),
        ("When may I wash on Sundays?", "10 to 12", "Exception: families with a baby may use it from 10 to 12.", True),
        ("When may families wash?", "10 to 12", "Exception: families with a baby may use it from 10 to 12.", False),
        ("At what time of day does it begin?", "28 June", "The date becomes 28 June.", True),
        ("At what time does it begin?", "28 June, 7 pm", "The date becomes 28 June, 7 pm.", False),
        ("What is the price of breakfast?", "8", "Breakfast is from 6 to 8.", True),
        ("What is the price of breakfast?", "8 euros", "Breakfast is 8 euros.", False),
        ("How long did they grind oats?", "1958", "They ground oats until 1958.", True),
        ("How long did they grind oats?", "37 years", "They ground oats for 37 years, until 1958.", False),
        ("How long does the vote for the chair last?", "one year", "The chair serves for one year.", True),
        ("How long does the vote for the chair last?", "2 weeks", "The voting period is 2 weeks.", False),
        ("How long does it take to get a refund?", "5 days", "Refunds arrive within 5 days.", False),
        ("How long does the warranty last?", "two years", "All pumps are guaranteed for two years.", False),
        ("How long does the trip take?", "3 hours", "The journey takes 3 hours.", False),
        ("How long does the chair serve?", "one year", "The chair holds office for one year.", False),
        ("How long will the fair go on?", "two days", "It is open for two days.", False),
        ("What does a walk cost for a member?", "3 pounds", "All are free for members; others pay 3 pounds.", True),
        ("What do non-members pay?", "3 pounds", "All are free for members; others pay 3 pounds.", False),
        ("What does a walk cost for others?", "3 pounds", "All are free for members; others pay 3 pounds.", False),
        ("What does it cost for a child?", "6 euros", "It costs 6 euros; children under 12 go free.", True),
        ("What does it cost for grown-ups?", "6 euros", "It costs 6 euros; children under 12 go free.", False),
        ("How much may I take in one day?", "400 mg", "Ibuprofen (400 mg) is possible too.", True),
        ("How heavy does a lacefin get?", "14 centimetres", "Males grow to 14 centimetres.", True),
        ("How long does a lacefin get?", "14 centimetres", "Males grow to 14 centimetres.", False),
        ("How long does it take?", "14 days", "It takes 14 days.", False),
        ("How deep may a pond be?", "2.2 metres", "One shed, no higher than 2.2 metres.", True),
        ("How high may a shed be?", "2.2 metres", "One shed, no higher than 2.2 metres.", False),
        ("How high was the first tower?", "27 metres", "The present tower is 27 metres high.", True),
        ("How high is the present tower?", "27 metres", "The present tower is 27 metres high.", False),
        ("Who runs the new mill?", "Ada", "The old mill was run by Ada.", True),
        ("How far is the new one from the old one?", "9 m", "It stands 9 m north of the old one.", False),
        ("Which boat is the longest?", "Harrow Weir", "The largest of them was Harrow Weir.", True),
        ("Which boat is the longest?", "Plover", "The longest of the boats is the Plover.", False),
        ("How deep is the river?", "four hundred metres", "The bridge lies four hundred metres upstream.", True),
        ("How deep is the river?", "four metres", "The river is four metres deep here.", False),
        ("How far is the bridge?", "400 metres", "The bridge lies 400 metres upstream.", False),
        ("What share of it did Halvard own?", "1.2 million euros", "Halvard put in 1.2 million euros.", True),
        ("What share of it did Halvard own?", "a third", "Halvard owned a third of it.", False),
        ("How many customers were affected?", "14", "That number wrongly included 14 customers.", True),
        ("How many were wrongly included?", "14", "That number wrongly included 14 customers.", False),
        ("May the filter go in?", "", "Correction: there it said that the filter may go in.", True),
        ("How many laptops were replaced?", "90", "We meant to replace 90 laptops.", True),
        ("How many laptops did they want to replace?", "90", "We meant to replace 90 laptops.", False),
        ("How many laptops were replaced?", "80", "We meant to replace 90 laptops, in the end it was 80.", False),
        ("How many laptops were replaced?", "64", "In the end 64 laptops were replaced.", False),
        ("names of the two schools", "two secondary schools", "They go to two secondary schools.", True),
        ("What is the name of the school?", "Halden School", "They go to Halden School.", False),
        ("How much is a single ride?", "28", "The old cars hold 28.", True),
        ("How much is a single ride?", "28 crowns", "A single ride is 28 crowns.", False),
        ("What is it with scaffolding?", "900", "It is 900 without scaffolding, which is another 60.", True),
        ("What is it without scaffolding?", "900", "It is 900 without scaffolding.", False),
        ("How much would a repair be?", "half a day", "It would come to 640 euros and take half a day.", True),
        ("How much is the fee?", "95 pounds a year", "The fee is 95 pounds a year.", False),
        ("How much would a repair be?", "640 euros", "It would come to 640 euros and take half a day.", False),
        ("How much has she still to pay?", "300 pounds", "She paid 300 pounds now, the rest is due in May.", True),
        ("How much has she paid so far?", "300 pounds", "She paid 300 pounds now, the rest is due in May.", False),
        ("At what time does the last boat leave?", "9.30 am to 7 pm", "We open from 9.30 am to 7 pm.", True),
        ("At what time does the last boat leave?", "6 pm", "The last boat leaves at 6 pm.", False),
        ("At what time is it open?", "9.30 am to 7 pm", "We open from 9.30 am to 7 pm.", False),
        ("Is it open at the weekend?", "", "It is open from Monday to Friday.", True),
        ("Is it open on Saturday?", "", "At weekends it is open from nine.", False),
        ("How old is the bell?", "It is from 1702", "It is from 1702.", False),
        ("When was the fish ladder built?", "2015", "A fish ladder was planned for 2015 but never built.", True),
        ("When was the ladder to be built?", "2015", "A ladder was planned for 2015 but never built.", False),
        ("Whom did she guide?", "King Leopold", "It is often told that she guided King Leopold.", True),
        ("Whom is she said to have guided?", "King Leopold", "It is often told that she guided the king.", False),
        ("How long may a name be at most?", "128 bytes", "A plugin accepts names of at least 128 bytes.", True),
        ("How long may a name be at most?", "128 bytes", "A plugin accepts names of at most 128 bytes.", False),
        ("Which bird was really the first?", "wheatear", "A plaque says that the first bird was a wheatear.", True),
        ("Which bird was the first?", "wheatear", "A plaque says that the first bird was a wheatear.", False),
        ("Who sang the solo?", "Rosa", "Rosa should have had the solo, but her voice went.", True),
        ("Who should have sung the solo?", "Rosa", "Rosa should have had the solo, but her voice went.", False),
        ("Who won the race last year?", "Kowal", "So Kowal has won the race for the first time.", True),
        ("Who won the race last year?", "Kowal", "Last year Kowal won the race.", False),
        ("How much will the shed cost?", "1,500 pounds", "The grant of 1,500 pounds for it arrived in May.", True),
        ("How much was the grant for it?", "1,500 pounds", "The grant of 1,500 pounds for it arrived in May.", False),
        ("How much will the shed cost?", "1,500 pounds", "The shed costs 1,500 pounds.", False),
        ("Which version mends it?", "#1140", "Mended for issue #1140.", True),
        ("Which version mends it?", "4.2", "Mended in 4.2 for issue #1140.", False),
        ("When had he the operation?", "2 July 1958", "Patient: Gareth Lowndes, born 2 July 1958", True),
        ("What is his birthday?", "2 July 1958", "Patient: Gareth Lowndes, born 2 July 1958", False),
        ("place of death", "Obermatt", "Severina was born in Obermatt.", True),
        ("Where was she born?", "Obermatt", "Severina was born in Obermatt and died in Altfelden.", False),
        ("Who may ask when the list is empty?", "friends", "list: # who may ask (friends); empty: everybody", True),
        ("Who may ask when the list is empty?", "everybody", "list: # who may ask (friends); empty: everybody", False),
        ("Who may ask?", "friends", "list: # who may ask (friends); empty: everybody", False),
        ("How much may I take in one day?", "1,200 mg", "At most 1,200 mg of ibuprofen a day.", False),
        ("How many rolls does he form in one minute?", "two", "He forms two at a time.", True),
        ("How many rolls does he form in one minute?", "38", "He forms 38 in a minute.", False),
        ("How many words does he type a minute?", "60", "He types 60 wpm.", False),
        ("How many rolls does he form in one minute?", "38", "In sixty seconds he forms 38.", False),
        ("How long must it rest?", "ten minutes longer", "With apples, bake it ten minutes longer.", True),
        ("How much longer must it bake?", "ten minutes longer", "With apples, bake it ten minutes longer.", False),
        ("Why does she start late?", "her course ends later", "But her course ends later.", False),
        ("How many signed?", "837", "An earlier version of this article put the number at 837.", True),
        ("How many signed?", "873", "It is 873; an earlier version put the number at 837.", False),
        ("How many copies had the first edition?", "500", "The first edition had 500 copies.", False),
        ("Which number was wrong?", "837", "An earlier version of this article put the number at 837.", False),
        ("New date for the move?", "1 June", "The move of the clinic was planned for 1 June.", True),
        ("When is the party?", "2 May", "It was first scheduled for 1 May; now it is on 2 May.", False),
        ("When was the opening planned?", "1 June", "The opening was planned for 1 June.", False),
        ("When does the course begin?", "May", "She proposed a start in May.", True),
        ("When did she want it to begin?", "May", "She proposed a start in May.", False),
        ("What did she suggest?", "a start in May", "She suggested a start in May.", False),
        ("How much of the fee is still owing?", "£30", "A deposit of £30 has already been paid.", True),
        ("How much of the fee is still owing?", "£65", "The other £65 must be paid in May.", False),
        ("How do I put a rule first?", "write delete", "To delete a line, write delete.", True),
        ("How do I remove a rule?", "write delete", "To delete a rule, write delete.", False),
        ("How do I get in?", "the key", "To get in, take the key.", False),
        ("Where does the park end?", "at the river", "To the north, it ends at the river.", False),
        ("What is the top speed of the trams?", "4.7 km", "The line of the trams is 4.7 km long.", True),
        ("What is the top speed of the trams?", "70 km/h", "The trams do 70 km/h.", False),
    ],
)
def test_what_fits_the_words_alone_is_doubted(question: str, short: str, said: str, doubtful: bool) -> None:
    assert is_doubtful(question, short, said) is doubtful


@pytest.mark.parametrize(
    ("text", "off"),
    [
        ("4 July: by canoe. Cancelled, as the river is too low.", True),
        ("4 July: by canoe.\n\n**Sold out.**", True),
        ("4 July: by canoe. Bring a hat; dropped ones are lost.", False),
        ("4 July: by canoe.", False),
    ],
)
def test_what_the_next_sentence_calls_off(text: str, off: bool) -> None:
    assert is_called_off(text, len("4 July: by canoe.")) is off


@pytest.mark.parametrize(
    ("question", "reduced"),
    [
        ("What do pensioners pay for a full plot?", True),
        ("What does a full plot cost?", False),
        ("What do members pay for a full plot?", False),
    ],
)
def test_what_another_sentence_makes_less_for_some(question: str, reduced: bool) -> None:
    said, others = "The rent is £64 for a full plot.", ["Pensioners pay half.", "Members have a key."]
    assert is_reduced(question, "£64", said, others) is reduced


@pytest.mark.parametrize(
    ("said", "then", "corrected"),
    [
        (
            "Erratum: our earlier leaflet said that the wheel was made of oak.",
            "It is elm; only the shaft is oak.",
            True,
        ),
        ("In March we gave the litter pick as 18 April.", "It is on Saturday 25 April at 10 am.", True),
        ("The first notice gave the price of the canoe as £24.", "The right price is £28.", True),
        ("In the magazine I wrote that we had raised £32,350.", "That was a slip of the pen.", True),
        ("The minutes give the price of the doors as 2,340 euros.", "It should read 3,240 euros.", True),
        ("In March we gave the litter pick as 18 April.", "Bags are provided.", False),
        ("The wheel was made of oak.", "It is 5 metres across.", False),
        ("The price of the doors is 2,340 euros.", "It should be 3,240 euros.", True),
        ("The boiler stands in the cellar.", "It should be cleaned every year.", False),
    ],
)
def test_what_was_said_before_and_is_corrected_is_not_told_as_sure(said: str, then: str, *, corrected: bool) -> None:
    assert is_corrected(f"{said} {then}", Span(0, len(said))) is corrected


@pytest.mark.parametrize(
    ("question", "said", "then"),
    [
        ("Is it still the longest bridge?", "For three years it was the longest bridge.", True),
        ("Is it still the longest bridge?", "It was the longest bridge, and is so today.", False),
        ("Was it the longest bridge?", "For three years it was the longest bridge.", False),
        ("Has the diocese agreed?", "The diocese had turned us down, but has changed its mind.", True),
        ("Had the diocese turned them down?", "The diocese had turned us down, but has changed its mind.", False),
        ("Is a dog allowed now?", "Dogs are allowed now.", False),
    ],
)
def test_a_word_of_now_does_not_follow_from_what_was(question: str, said: str, *, then: bool) -> None:
    assert is_of_then(question, said) is then


@pytest.mark.parametrize(
    ("question", "said", "unclear"),
    [
        ("Has the sixth post been approved?", "On 1 August Lena joined, so that we are now five.", True),
        ("Has the sixth post been approved?", "The sixth post has been approved.", False),
        ("May the filter go into it?", "Correction: there it said that the filter may go into it.", True),
        ("Does the state pay for the K20?", "The state pays a third of the heat pump.", True),
        ("Was it on the 3rd of May?", "It was on 3 May.", False),
        ("Was it on the 3rd of May?", "It was on 13 May.", True),
        ("Did they carry on brewing?", "They did not stop in the war.", True),
        ("Did they carry on brewing?", "They did not give up brewing.", True),
        ("Did they stop brewing?", "They did not stop in the war.", False),
    ],
)
def test_a_yes_of_another_one_or_of_a_mistake_is_not_sure(question: str, said: str, *, unclear: bool) -> None:
    assert is_no_clear_word(question, said) is unclear


@pytest.mark.parametrize(
    ("question", "said", "other"),
    [
        ("When do I have to check out?", "Check-in is from 3 pm.", True),
        ("When do I have to check out?", "Check-out is until 11 am.", False),
        ("When do I have to check out?", "Check in from 3 pm, check out by 11 am.", False),
        ("Who checks the locks?", "Check-in is from 3 pm.", False),
    ],
)
def test_checking_in_is_no_checking_out(question: str, said: str, *, other: bool) -> None:
    assert is_of_other_particle(question, said) is other


@pytest.mark.parametrize(
    ("question", "excepted"),
    [("How do I report a security hole?", True), ("How do I report a bug?", False), ("Where do bugs go?", False)],
)
def test_what_the_next_sentence_excepts_is_doubted(question: str, *, excepted: bool) -> None:
    text = "A bug should be reported as an issue. However, please send a security hole by mail."
    assert is_excepted(question, text, Span(0, text.index(" However"))) is excepted


@pytest.mark.parametrize(
    ("question", "said", "excepted"),
    [
        ("From when is it quiet on Saturdays?", "Quiet is from ten.", True),
        ("From when is it quiet on Mondays?", "Quiet is from ten.", False),
        ("From when is it quiet?", "Quiet is from ten.", False),
        ("From when is it quiet on Fridays?", "Quiet is from ten, Monday to Sunday.", True),
        ("From when is it quiet on Fridays?", "Quiet is from ten, on Fridays, too.", False),
    ],
)
def test_what_the_next_sentence_says_of_the_day_that_is_asked_holds_then(
    question: str, said: str, *, excepted: bool
) -> None:
    text = f"{said} On Fridays and Saturdays it begins an hour later. Mondays are free."
    assert is_excepted(question, text, Span(0, len(said))) is excepted


@pytest.mark.parametrize(
    ("question", "said", "half"),
    [
        ("Have both books been found?", "Of the two books, one has turned up in a car.", True),
        ("Have both books been found?", "Both books have been found.", False),
        ("Does everyone get a key?", "Everyone gets one.", False),
        ("Did all of them come?", "All but one came.", True),
        ("Did all of them come?", "Of all twenty only one came.", True),
        ("Have the books been found?", "One of the books has been found.", False),
        ("Has the red book been found?", "The blue book has been found, the other one has not.", True),
        ("Can I dive without a card?", "For safety, this is not possible.", True),
        ("Can I not dive there?", "For safety, this is not possible.", False),
        ("Is diving at 40 metres covered?", "We cover diving below 30 metres.", True),
        ("Is diving at 40 metres covered?", "Diving at 40 metres is covered for 3 days.", False),
        ("Does platform 4 have a lift?", "There is a lift on each platform.", False),
    ],
)
def test_a_yes_to_both_is_not_told_by_one(question: str, said: str, *, half: bool) -> None:
    assert is_half_denied(question, said) is half
