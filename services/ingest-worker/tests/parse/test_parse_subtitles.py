"""Subtitles: the words once, each passage with the seconds in which it is shown."""

from __future__ import annotations

import pytest

from trivium.domain.errors import NeverWill

from .conftest import Parse

SRT = """1
00:00:01,000 --> 00:00:03,500 X1:40 X2:600
<i>The ferry at Lower Ford</i>
{\\an8}was stopped for nine days.

2
00:00:03,600 --> 00:00:05,000
The ferryman was paid
<font color="#ffffff">2,700 euros.</font>

3
01:02:03,004 --> 01:02:05,000
Salmon &amp; sea trout came back.
"""
VTT = """WEBVTT - Steering group
Kind: captions
Language: en

NOTE made by hand

STYLE
::cue { color: red }

intro
00:01.000 --> 00:04.000 line:0 position:20%
<v.loud Ilse Brandt>We lower the water in <c.blue>July</c>.</v>

00:04.500 --> 00:06.000
<v Marek Dolan>And plant the banks in October.
"""
ROLLING = """WEBVTT

00:00:00.000 --> 00:00:02.000
the water board
<00:00:01.000><c>decides</c>

00:00:02.000 --> 00:00:02.010
the water board
decides

00:00:02.010 --> 00:00:04.000
the water board
decides
in november

00:00:04.000 --> 00:00:06.000
in november
about the dam
"""


def test_subrip_gives_passages_with_their_seconds_and_no_markup(parse: Parse) -> None:
    document = parse(SRT, "talk.srt")
    assert document.media_type == "application/x-subrip"
    assert [(unit.text, unit.position.seconds) for unit in document.units] == [
        ("The ferry at Lower Ford was stopped for nine days. The ferryman was paid 2,700 euros.", (1.0, 5.0)),
        ("Salmon & sea trout came back.", (3723.004, 3725.0)),
    ]


def test_webvtt_keeps_speakers_title_and_language(parse: Parse) -> None:
    document = parse(VTT, "upload")
    assert (document.media_type, document.title, document.language) == ("text/vtt", "Steering group", "en")
    assert [(unit.text, unit.position.seconds) for unit in document.units] == [
        ("Ilse Brandt: We lower the water in July.", (1.0, 4.0)),
        ("Marek Dolan: And plant the banks in October.", (4.5, 6.0)),
    ]


@pytest.mark.parametrize(
    ("said", "read"),
    [
        ("In January it stood at\n-40 degrees, in May at\n-.5 degrees.", None),
        ("\u20135 degrees was the least, <10,000> the code.", None),
        ("Keep x <y and z> w.", None),
        ("If a<b then c>d, and if b <c and d> e.", None),
        ("- Who said so?\n-The keeper.\n\u2013 When?", "Who said so? The keeper. When?"),
        ('<I>On</I> <b.loud>the</b> <s>dry</s> <FONT color="red"\nsize=9>high</font> weir', "On the dry high weir"),
        ("<c.blue.bg_white>We</c> <lang en>swim</lang> <00:01.250>in <ruby>May<rt></rt></ruby>.", "We swim in May."),
        ('<em>The</em> <span class="a">ferry</span>\n<br/>stopped<br>.', "The ferry stopped."),
    ],
)
def test_only_marks_of_speech_and_markup_are_taken_out(parse: Parse, said: str, read: str | None) -> None:
    document = parse(f"1\n00:00:01,000 --> 00:00:02,000\n{said}\n", "x.srt")
    assert document.text == (read or said.replace("\n", " "))


def test_lines_that_roll_up_are_read_once(parse: Parse) -> None:
    assert parse(ROLLING, "auto.vtt").text == "the water board decides in november about the dam"


def test_a_cue_that_grows_word_by_word_is_read_once(parse: Parse) -> None:
    growing = (
        "WEBVTT\n\n00:00.0 --> 00:01.0\nthe\n\n00:01.0 --> 00:02.0\nthe weir\n\n00:02.0 --> 00:03.0\nthe weir fell\n"
    )
    (unit,) = parse(growing, "live.vtt").units
    assert (unit.text, unit.position.seconds) == ("the weir fell", (0.0, 3.0))


def test_what_is_said_again_later_stays(parse: Parse) -> None:
    twice = "1\n00:00:01,000 --> 00:00:02,000\nNo.\n\n2\n00:00:20,000 --> 00:00:21,000\nNo.\n"
    assert [unit.position.seconds for unit in parse(twice, "x.srt").units] == [(1.0, 2.0), (20.0, 21.0)]


def test_long_talks_become_passages_of_a_few_sentences(parse: Parse) -> None:
    cue = "{0}\n00:{1:02}:{2:02},000 --> 00:{1:02}:{2:02},900\nThis is sentence number {0} of the talk.\n"
    talk = "\n".join(cue.format(n + 1, n // 60, n % 60) for n in range(600))
    units = parse(talk, "talk.srt").units
    assert all(200 < len(unit.text) < 600 and unit.text.endswith(".") for unit in units[:-1])
    starts = [unit.position.seconds[0] for unit in units if unit.position.seconds]
    assert starts == sorted(starts)
    assert len(starts) == len(units) > 50
    assert " ".join(unit.text for unit in units).count("This is sentence") == 600


@pytest.mark.parametrize("ends", ["\r\n", "\r"])
@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "cp1252"])
def test_line_ends_and_encodings_of_other_machines(parse: Parse, ends: str, encoding: str) -> None:
    french = "1\n00:00:01,000 --> 00:00:02,000\nLe garde-pêche était déjà là, dès le début.\n\n"
    french += "2\n00:00:02,500 --> 00:00:04,000\nIl a levé la vanne après l'été.\n"
    document = parse(french.replace("\n", ends).encode(encoding), "upload.srt")
    assert "était déjà là" in document.text
    assert "levé la vanne" in document.text


def test_cues_out_of_order_without_blank_lines_and_with_odd_times_are_read(parse: Parse) -> None:
    odd = (
        "2\n00:00:09,000 --> 00:00:08,000\nlater\n1\n00:00:01.5 --> 00:00:02,000\nearlier\n3\n00:00:20,0 --> 00:00:21,0"
    )
    units = parse(odd, "odd.srt").units
    assert [(unit.text, unit.position.seconds) for unit in units] == [("earlier", (1.5, 2.0)), ("later", (9.0, 9.0))]


@pytest.mark.parametrize("ends", ["\r\r\n", "\n\n", "\r\n \r\n"])
def test_blank_lines_within_a_cue_of_subrip_end_no_text(parse: Parse, ends: str) -> None:
    source = "1\n00:00:01,000 --> 00:00:02,000\nHello\nthere.\n\n2\n00:00:03,000 --> 00:00:04,000\nBye in\n1984\n"
    document = parse(source.replace("\n", ends), "a.srt")
    assert (document.media_type, document.text) == ("application/x-subrip", "Hello there. Bye in 1984")


def test_numbers_that_are_said_in_subrip_without_numbers_of_cues_stay(parse: Parse) -> None:
    said = ("3", "2", "Go")
    cues = "\n\n".join(f"00:00:0{n},000 --> 00:00:0{n + 1},000\n{word}" for n, word in enumerate(said))
    assert parse(cues, "a.srt").text == "3 2 Go"


def test_notes_between_the_cues_of_webvtt_are_left_out(parse: Parse) -> None:
    cues = "00:01.000 --> 00:02.000\nHello.\n\nNOTE by hand\n\n00:03.000 --> 00:04.000\nBye.\n\nNOTE end\n"
    assert parse(f"WEBVTT\n\n{cues}", "a.vtt").text == "Hello. Bye."


def test_a_text_about_subtitles_is_a_text(parse: Parse) -> None:
    assert parse("A cue looks like 00:00:01,000 --> 00:00:02,000 in a file.", "notes.txt").media_type == "text/plain"


def test_no_cues_are_no_text(parse: Parse) -> None:
    document = parse("WEBVTT\n\n", "empty.vtt")
    assert document.units == ()
    assert document.warnings


def test_a_hostile_file_takes_no_longer_than_its_length(parse: Parse) -> None:
    cue = "00:00:01,000 --> 00:00:02,000\n"
    for body in ("<" * 200_000, "{\\" * 100_000, "<v a" * 50_000, "-" * 200_000, cue * 5_000, "\n" * 200_000):
        assert parse(f"WEBVTT\n\n{cue}{body}", "x.vtt").media_type == "text/vtt"
    with pytest.raises(NeverWill) as failure:
        parse(SRT, "x.srt", limits={"max_text_chars": 20})
    assert failure.value.code == "limit_exceeded"
