from __future__ import annotations

import json
import os
import re
import shlex
import socket
import subprocess
import sys
import unicodedata
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import click
import pytest
from click.testing import CliRunner

from trivium import api
from trivium.cli import absent, curate, curated_list, runtime
from trivium.cli.graph import _by_name, _saved
from trivium.cli.main import COMMANDS, INTRODUCTION, cli
from trivium.domain.errors import NotFound

if TYPE_CHECKING:
    from .conftest import Run, World


CLI_MD = Path(__file__).parents[4] / "docs/cli.md"


def write(name: str, text: str) -> Path:
    path = Path(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def trivium(*arguments: str, given: str | None = None, **environment: str) -> subprocess.CompletedProcess[str]:
    """`given` may hold bytes that are no text, as the arguments may (surrogates)."""
    variables = {k: v for k, v in os.environ.items() if not k.startswith("TRIVIUM_")} | environment
    command = [sys.executable, "-c", "from trivium.cli.main import main; main()", *arguments]
    return subprocess.run(
        command,
        input=given,
        capture_output=True,
        encoding="utf-8",
        errors="surrogateescape",
        env=variables,
        timeout=60,
        check=False,
    )


def _inner(command: click.Command | None, *path: str) -> Iterator[tuple[str, ...]]:
    """The paths of a command and of all within it."""
    yield path
    if isinstance(command, click.Group):
        for name, inner in command.commands.items():
            yield from _inner(inner, *path, name)


def test_trivium_alone_explains_itself_with_commands_that_exist() -> None:
    shown = trivium()
    assert shown.returncode == 0
    assert shown.stdout == INTRODUCTION
    named = {line.split()[1] for line in INTRODUCTION.splitlines() if line.startswith("  trivium ")}
    assert len(named) == 5
    assert named <= set(COMMANDS)


def test_help_imports_nothing_heavy() -> None:
    code = (
        "import sys\nfrom trivium.cli.main import cli\ncli(['--help'], standalone_mode=False)\n"
        "print(*sys.modules, file=sys.stderr)"
    )
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    loaded = set(shown.stderr.split())
    heavy = {"httpx2", "rich", "numpy", "torch", "msgspec", "grpc", "structlog", "prometheus_client", "celery"}
    assert "Commands:" in shown.stdout
    assert not heavy & loaded


def test_commands_that_ask_a_server_load_no_numerics() -> None:
    code = "import sys, trivium.client, trivium.cli.ask, trivium.cli.ingest\nprint(*sys.modules)"
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    assert not {"numpy", "torch", "celery", "grpc"} & set(shown.stdout.split())


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_in_the_overview_exists_and_has_help(name: str, run: Run) -> None:
    shown = run(name, "--help")
    assert shown.exit_code == 0
    assert shown.output.startswith(f"Usage: trivium {name}")


@pytest.mark.parametrize("path", [*_inner(cli.get_command(click.Context(cli), "graph"), "graph")], ids=" ".join)
def test_every_command_of_the_graph_explains_itself_its_arguments_and_its_options(path: tuple[str, ...]) -> None:
    shown = CliRunner().invoke(cli, [*path, "--help"], prog_name="trivium")
    assert shown.exit_code == 0
    usage, _, told = shown.output.partition("\n")
    assert usage.startswith(f"Usage: trivium {' '.join(path)}")
    command: click.Command = cli
    for name in path:
        command = command.get_command(click.Context(command), name)  # type: ignore[attr-defined, assignment]
    assert command.help
    for parameter in command.params:
        if isinstance(parameter, click.Option):
            assert parameter.help, parameter.name
            assert parameter.opts[0] in told
        else:
            assert parameter.make_metavar(click.Context(command)).strip("[]") in shown.output.replace("[", "")


def test_every_command_stands_in_its_documentation() -> None:
    documented = set(re.findall(r"^\| `trivium ([a-z]+(?: [a-z]+)?)\b", CLI_MD.read_text(), re.MULTILINE))
    commands: set[str] = set()
    for name in COMMANDS:
        command = cli.get_command(click.Context(cli), name)
        commands |= {f"{name} {inner}" for inner in command.commands} if isinstance(command, click.Group) else {name}
    assert commands - documented == set()


def test_a_misspelt_command_is_a_usage_error_with_a_suggestion(run: Run) -> None:
    shown = run("serch", "x")
    assert shown.exit_code == 2
    assert "search" in shown.stderr


def test_without_a_server_the_message_says_what_was_wrong_and_what_to_do(run: Run) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        free = listener.getsockname()[1]
    shown = run("status", TRIVIUM_URL=f"http://127.0.0.1:{free}")
    assert shown.exit_code == 1
    assert shown.stderr.splitlines() == [
        f"Error: No Trivium server answers at http://127.0.0.1:{free}.",
        "Start one with: trivium serve. Or point TRIVIUM_URL at one that runs.",
    ]


@pytest.mark.parametrize(
    ("variable", "value"),
    [("TRIVIUM_HTTP_PORT", "many"), ("TRIVIUM_URL", "localhost:8080"), ("TRIVIUM_MODE", "telepathy")],
)
def test_a_bad_setting_is_named_without_a_traceback(run: Run, variable: str, value: str) -> None:
    shown = run("status", **{variable: value})
    assert shown.exit_code == 1
    assert value in shown.stderr
    assert "Traceback" not in shown.output


def test_a_failure_shows_its_traceback_only_when_debugging(tmp_path: Path) -> None:
    (tmp_path / "server.json").mkdir()
    quiet = trivium("status", TRIVIUM_DATA_DIR=str(tmp_path))
    loud = trivium("status", TRIVIUM_DATA_DIR=str(tmp_path), TRIVIUM_LOG_LEVEL="debug")
    assert quiet.returncode == 1
    assert "Traceback" not in quiet.stderr
    assert quiet.stderr.startswith("Error: ")
    assert "Traceback" in loud.stderr


def test_a_data_directory_that_is_a_file_is_told_with_what_to_do(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("Ada.")
    told = trivium("status", TRIVIUM_DATA_DIR=str(tmp_path / "notes.txt"))
    assert told.returncode == 1
    assert "set TRIVIUM_DATA_DIR to another folder" in told.stderr


def test_a_reader_that_stops_reading_ends_the_command_quietly(run: Run, server: str) -> None:
    for number in range(3):
        write(f"docs/{number}.txt", "Ada wrote the first program. " * 3000)
    assert run("ingest", "docs").exit_code == 0
    code = "from trivium.cli.main import main; main()"
    process = subprocess.Popen(
        [sys.executable, "-c", code, "search", "Ada", "--full"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=os.environ | {"TRIVIUM_URL": server},
    )
    assert process.stdout
    assert process.stderr
    process.stdout.close()
    errors = process.stderr.read().decode()
    process.stderr.close()
    process.wait(30)
    assert "Traceback" not in errors
    assert "Exception" not in errors


def test_ingest_reads_a_folder_and_a_second_time_reads_nothing(run: Run, world: World) -> None:
    write("docs/a.txt", "Ada wrote the first program.")
    write("docs/sub/b.txt", "Babbage designed the engine.")
    first = run("ingest", "docs")
    assert first.exit_code == 0
    assert "2 ready (2 passages), 0 unchanged" in first.output
    assert world.accepted == ["docs/a.txt", "docs/sub/b.txt"]
    second = run("ingest", "docs")
    assert "0 ready (0 passages), 2 unchanged" in second.output


def test_ingest_gives_a_file_the_same_name_by_whatever_way_it_is_reached(run: Run, world: World) -> None:
    write("docs/a.txt", "Ada.")
    for given in ("docs", "docs/a.txt", "./docs/../docs/a.txt", str(Path("docs").resolve())):
        assert run("ingest", given).exit_code == 0
    assert set(world.accepted) == {"docs/a.txt"}
    run("ingest", "docs", "--root", "docs")
    assert world.accepted[-1] == "a.txt"


def test_ingest_tells_what_failed_and_why_and_goes_on_with_the_rest(run: Run, world: World) -> None:
    write("docs/bad.pdf", "FAIL")
    write("docs/good.txt", "Ada.")
    write("docs/refused.txt", "Ada.")
    write("docs/void.txt", "EMPTY")
    shown = run("ingest", "docs", "missing.txt", "http://127.0.0.1/secret")
    assert shown.exit_code == 1
    assert "1 ready (1 passage), 1 without text, 3 failed, 0 unchanged" in shown.stdout
    assert "docs/bad.pdf: The file is encrypted. Remove its password and upload it again." in shown.stderr
    assert "docs/refused.txt: That name is not liked. Choose another." in shown.stderr
    assert "missing.txt: No such file or directory." in shown.stderr
    assert "http://127.0.0.1/secret: 127.0.0.1 is a loopback address. Upload the file." in shown.stderr
    assert "Without text: docs/void.txt. page 1: no text" in shown.stderr


def test_an_estimate_tells_what_could_not_be_found_and_fails(run: Run, world: World) -> None:
    shown = run("ingest", "--estimate", "nosuch.pdf")
    assert (shown.exit_code, "Failed: nosuch.pdf: No such file or directory." in shown.stderr) == (1, True)
    assert "About 0 tokens" in shown.stdout
    assert world.accepted == []


def test_a_password_is_given_as_it_stands_typed_or_from_a_file(run: Run, world: World) -> None:
    write("a.pdf", "Ada.")
    write("secret", "from file\r\nnot this\n")
    for options, given, known in (
        (["--password", "plain"], "", "plain"),
        (["--password"], "typed\n", "typed"),
        (["--password-file", "secret"], "", "from file"),
        (["--password-file", "-"], "piped\n", "piped"),
    ):
        shown = run("ingest", "a.pdf", "http://example.org/", *options, given=given)
        assert (shown.exit_code, world.passwords) == (0, {"a.pdf": known, "http://example.org/": known})
        assert known not in shown.output
    run("ingest", "a.pdf")
    assert world.passwords["a.pdf"] == "piped"


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["--password", "x", "--password-file", "secret"], "not both"),
        (["--password-file", "empty"], "is empty"),
        (["--password-file", "noise"], "UTF-8"),
        (["--password-file", "missing"], "missing"),
        (["--password", "x", "--crawl"], "--crawl"),
    ],
)
def test_a_password_that_cannot_be_used_is_a_mistake_in_the_command(run: Run, options: list[str], told: str) -> None:
    write("secret", "x\n")
    write("empty", "\n")
    Path("noise").write_bytes(b"\xff\xfe")
    shown = run("ingest", "http://example.org/", *options)
    assert (shown.exit_code, told in shown.stderr) == (2, True)


def test_unlock_asks_for_the_password_and_waits_for_what_becomes_of_it(run: Run, world: World) -> None:
    write("offer.pdf", "FAIL")
    run("ingest", "offer.pdf")
    wrong = run("unlock", "offer.pdf", given="wrong\n")
    assert (wrong.exit_code, "offer.pdf: The file is encrypted." in wrong.stderr) == (1, True)
    right = run("unlock", "offer.pdf", given="right\n")
    assert (right.exit_code, right.stdout) == (0, "offer.pdf: ready, 1 passage.\n")
    assert world.passwords == {"offer.pdf": "right"}
    again = run("unlock", "offer.pdf", "--password", "right")
    assert (again.exit_code, "It is open. " in again.stderr.replace("\n", " ")) == (1, True)


def test_a_known_mail_given_with_a_password_is_waited_for_with_what_is_inside_it(run: Run) -> None:
    write("mail.zip", "Ada.")
    run("ingest", "mail.zip")
    assert "0 ready (0 passages), 1 unchanged" in run("ingest", "mail.zip").stdout
    assert "2 ready (2 passages), 0 unchanged" in run("ingest", "mail.zip", "--password", "x").stdout


def test_ingest_takes_a_web_page(run: Run, world: World) -> None:
    shown = run("ingest", "https://example.org/page")
    assert shown.exit_code == 0
    assert world.accepted == ["https://example.org/page"]


def test_ingest_takes_a_whole_site_and_tells_of_each_page(run: Run, world: World) -> None:
    done = run("ingest", "--crawl", "https://site.test/", "--depth", "1", "--sitemap")
    assert done.exit_code == 1
    assert done.stdout.startswith("2 ready (2 passages), 1 failed, 0 unchanged")
    assert "taken: https://site.test/1\n" in done.stderr
    assert "left out: https://site.test/private (It asks to be left.)" in done.stderr
    assert "https://site.test/: 4 pages: 2 taken, 0 unchanged, 1 left out, 1 failed." in done.stderr
    assert "Failed: https://site.test/gone: It is gone. Look again." in done.stderr
    again = run("ingest", "--crawl", "https://site.test/", "--depth", "1")
    assert (again.exit_code, again.stdout[:26]) == (0, "0 ready (0 passages), 2 un")


def test_a_site_that_may_not_be_fetched_keeps_no_other_back(run: Run, world: World) -> None:
    done = run("ingest", "--crawl", "https://refuse.test/", "https://site.test/", "--depth", "0")
    assert done.exit_code == 1
    assert world.accepted == ["https://site.test/1"]
    assert "loopback" in done.stderr


@pytest.mark.parametrize("arguments", [["--crawl", "./folder"], ["--depth", "2", "https://a.test/"]])
def test_options_of_a_crawl_that_do_not_fit_are_usage_errors(run: Run, arguments: list[str]) -> None:
    assert run("ingest", *arguments).exit_code == 2


def test_ingest_is_patient_with_a_server_that_is_busy(run: Run, world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("trivium.cli.ingest.FIRST_PAUSE_S", 0.001)
    world.busy = 3
    write("a.txt", "Ada.")
    assert run("ingest", "a.txt").exit_code == 0


def test_ingest_sends_no_file_again_where_a_limit_is_reached_for_long(run: Run, world: World) -> None:
    world.limited_s = 3600.0
    write("a.txt", "Ada.")
    shown = run("ingest", "a.txt")
    assert (shown.exit_code, "Failed: a.txt: The limit of bytes is reached." in shown.stderr) == (1, True)
    assert world.limited == 1


def test_a_file_that_is_called_like_a_home_folder_keeps_no_other_back(run: Run, world: World) -> None:
    write("~$report.docx", "Ada.")
    write("a.txt", "Ada.")
    assert run("ingest", "~$report.docx", "a.txt").exit_code == 0
    assert world.accepted == ["~$report.docx", "a.txt"]
    Path("~$docs").mkdir()
    assert "~$docs holds no file" in run("ingest", "--sync", "~$docs").stderr
    assert run("connect", "add", "x", "folder", "~$docs").exit_code == 0


@pytest.mark.parametrize(("option", "name"), [("--dataset", "my papers"), ("--dataset", ""), ("--run", "x" * 101)])
def test_a_name_that_names_no_dataset_or_run_is_refused_before_a_file_is_sent(
    run: Run, world: World, option: str, name: str
) -> None:
    write("a.txt", "Ada.")
    shown = run("ingest", "a.txt", option, name)
    assert (shown.exit_code, "letters, digits" in shown.stderr, option in shown.stderr) == (2, True, True)
    assert "sent" not in shown.stderr
    assert world.accepted == []


def test_what_would_fail_every_file_ends_the_hand_over_at_the_first(run: Run) -> None:
    for name in ("a.txt", "b.txt"):
        write(name, "Ada.")
    shown = run("ingest", "a.txt", "b.txt", "--extractor", "agent")
    assert (shown.exit_code, "Failed:" in shown.stderr) == (1, False)
    assert shown.stderr.count("language model") == 1


def test_a_folder_that_is_not_there_is_connected_with_a_word_of_it(run: Run) -> None:
    shown = run("connect", "add", "away", "folder", "letters")
    assert (shown.exit_code, shown.stdout) == (0, "Connected: away\n")
    assert f"There is no folder {Path('letters').resolve()}. Make it" in shown.stderr
    Path("letters").mkdir()
    assert "There is no folder" not in run("connect", "add", "here", "folder", "letters").stderr


def test_a_connection_that_was_never_looked_at_came_to_nothing_yet(run: Run) -> None:
    run("connect", "add", "x", "folder", "letters")
    assert run("connect", "list").stdout.splitlines()[1].split("\t")[4:] == ["new", "never", ""]


@pytest.mark.parametrize("options", [(), ("--estimate",)])
def test_an_ingest_that_finds_no_file_says_so(run: Run, options: tuple[str, ...]) -> None:
    Path("letters").mkdir()
    told = run("ingest", "letters", *options)
    assert told.exit_code == 0
    assert "There is no file to read in letters." in told.stderr


@pytest.mark.parametrize(
    "command",
    [
        ("ask", "caf\udce9"),
        ("search", "caf\udce9"),
        ("chunks", "caf\udce9", "--json"),
        ("documents", "--run", "caf\udce9"),
        ("graph", "undo", "caf\udce9"),
        ("delete", "--dataset", "caf\udce9"),
        ("graph", "tool", "search_kg", '{"name": "caf\udce9"}'),
    ],
    ids=lambda command: command[0],
)
def test_words_that_are_no_text_are_no_fault_of_the_program(run: Run, command: tuple[str, ...]) -> None:
    write("a.txt", "Ada.")
    shown = run(*command)
    assert (shown.exit_code, "fault of its own" in shown.stderr) == (1, False)


def test_a_question_that_is_no_text_is_asked_as_far_as_it_can_be_read(run: Run, server: str, world: World) -> None:
    shown = trivium("chat", given="caf\udce9\n", TRIVIUM_URL=server)
    assert shown.returncode == 0
    assert [ask.question for ask in world.asked] == ["caf\ufffd"]
    tool = trivium("graph", "tool", "search_kg", "-", given='{"name": "caf\udce9"}', TRIVIUM_URL=server)
    assert (tool.returncode, "The arguments are not what search_kg takes" in tool.stderr) == (1, True)
    secret = trivium("ingest", "https://example.org/", "--password-file", "-", given="\udce9\n", TRIVIUM_URL=server)
    assert (secret.returncode, "UTF-8" in secret.stderr) == (2, True)


def test_ingest_without_waiting_hands_over_and_returns(run: Run, world: World) -> None:
    world.hold = True
    write("a.txt", "Ada.")
    shown = run("ingest", "a.txt", "--no-wait")
    assert shown.exit_code == 0
    assert "1 handed over, 0 unchanged, 0 refused." in shown.output
    assert "pending  1" in run("status").output


def test_ask_prints_the_answer_with_its_sources_once_each(run: Run) -> None:
    write("docs/a.txt", "Ada wrote the first program.")
    run("ingest", "docs")
    shown = run("ask", "Who", "is", "Ada?", "about ada")
    assert shown.exit_code == 0
    assert "Ada wrote the first program. [Source: docs/a.txt, chunk 1]" in shown.output
    assert shown.output.count("docs/a.txt, chunk 1 (page 3)") == 1
    assert "Supported by the sources. Answered by: extractive." in shown.output
    assert "the graph search took no part: late" in shown.output


def test_ask_and_search_say_that_nothing_has_been_read_yet(run: Run) -> None:
    told = "Nothing has been read yet. Add documents with: trivium ingest FOLDER, or POST /v1/sources.\n"
    assert run("ask", "What is the capital of France?").output.startswith(told)
    assert run("search", "France").output.startswith(told)


def test_ask_says_when_the_documents_do_not_hold_the_answer(run: Run) -> None:
    write("docs/a.txt", "Ada wrote the first program.")
    run("ingest", "docs")
    shown = run("ask", "Where is Paris?")
    assert shown.exit_code == 0
    assert shown.output == "Not found in the documents.\n\nAnswered by: extractive.\n"


def test_ask_hands_on_mode_depth_and_conversation(run: Run, world: World) -> None:
    begun = run("ask", "Who is Ada?", "--conversation", "new")
    conversation = begun.stderr.split()[1]
    run("ask", "And then?", "--mode", "bfs", "--top-k", "3", "--conversation", conversation)
    assert (world.asked[-1].mode.value, world.asked[-1].top_k) == ("bfs", 3)
    assert [turn.question for turn in world.asked[-1].history] == ["Who is Ada?"]


@pytest.mark.parametrize("command", ["ask", "search"])
def test_a_dataset_restricts_what_is_searched(run: Run, world: World, command: str) -> None:
    run(command, "Who is Ada?", "--dataset", "papers")
    run(command, "Who is Ada?")
    assert [restrict.dataset for restrict in world.restricted] == ["papers", ""]
    assert run(command, "Who is Ada?", "--dataset", "../x").exit_code == 1


def test_a_dataset_restricts_a_whole_chat(run: Run, world: World) -> None:
    run("chat", "--dataset", "papers", given="Who is Ada?\nAnd Bob?\n")
    assert [ask.filter.dataset for ask in world.asked] == ["papers", "papers"]


def test_chat_reads_questions_from_a_pipe_and_asks_them_in_one_conversation(run: Run, world: World) -> None:
    write("a.txt", "Ada wrote it.")
    run("ingest", "a.txt")
    shown = run("chat", given="ada\n\nwrote\n")
    assert shown.exit_code == 0
    assert shown.stdout.count("Sources") == 2
    assert [turn.question for turn in world.asked[-1].history] == ["ada"]
    conversation = shown.stderr.split()[1]
    run("chat", "--conversation", conversation, "--top-k", "3", given="And ada?")
    assert len(world.asked[-1].history) == 2
    assert world.asked[-1].top_k == 3


def test_chat_in_a_conversation_that_is_not_there_asks_nothing(run: Run, world: World) -> None:
    shown = run("chat", "--conversation", "0" * 32, given="Who is Ada?")
    assert shown.exit_code == 1
    assert "no conversation" in shown.stderr
    assert world.asked == []


def test_a_failure_in_a_piped_chat_ends_it(run: Run, world: World) -> None:
    shown = run("chat", given=f"{'x' * 100_000}\nada\n")
    assert shown.exit_code == 1
    assert "Error: " in shown.stderr
    assert world.asked == []


def test_ask_shows_where_a_server_opens_each_citation(run: Run) -> None:
    write("a.txt", "Ada wrote it.")
    run("ingest", "a.txt")
    link = r"^     http://[^ ]+/v1/sources/\w+/view\?unit=1&quote=Ada%20wrote%20it\.#quote$"
    assert re.search(link, run("ask", "ada").stdout, re.M)


def test_a_short_answer_stands_on_the_first_line(run: Run) -> None:
    write("a.txt", "Ada wrote it.")
    run("ingest", "a.txt")
    assert run("ask", "ada", "--kind", "fact").stdout.startswith("Ada\nAda wrote it. [Source: a.txt, chunk 1]\n")
    answer = json.loads(run("ask", "ada", "--kind", "fact", "--json").stdout)
    assert (answer["kind"], answer["short"]) == ("fact", "Ada")


def test_a_kind_of_question_that_is_none_is_a_usage_error_that_lists_them(run: Run) -> None:
    shown = run("ask", "ada", "--kind", "riddle")
    assert shown.exit_code == 2
    assert "'fact', 'yes_no'" in shown.stderr


def test_ask_as_json_is_the_whole_answer(run: Run) -> None:
    write("a.txt", "Ada wrote it.")
    run("ingest", "a.txt")
    answer = json.loads(run("ask", "ada", "--json").stdout)
    assert answer["citations"][0]["positions"] == [{"page": 3}]
    assert answer["verdict"] == "SUPPORTED"


@pytest.mark.parametrize("command", ["ask", "search"])
def test_an_empty_question_is_a_usage_error(run: Run, command: str) -> None:
    assert run(command, " ").exit_code == 2
    assert run(command).exit_code == 2


def test_search_shows_why_each_passage_was_found(run: Run) -> None:
    write("docs/a.txt", "Ada wrote the first program.")
    run("ingest", "docs")
    shown = run("search", "program", "--mode", "keyword", "--top-k", "1")
    assert "1. docs/a.txt, chunk 1 (page 3)" in shown.stdout
    assert "score 1.0000: vector #1 (0.750), keyword #2 (7.500)" in shown.stdout
    assert "through “Ada”: “Ada wrote it.”" in shown.stdout
    assert "the graph search took no part: late" in shown.stderr
    found = json.loads(run("search", "program", "--json").stdout)
    assert [rank["source"] for rank in found["hits"][0]["sources"]] == ["vector", "keyword"]


def test_documents_lists_states_and_reasons_and_filters_by_state(run: Run) -> None:
    write("docs/a.txt", "Ada.")
    write("docs/b.txt", "FAIL")
    run("ingest", "docs")
    header, *rows = run("documents").stdout.splitlines()
    assert header.split("\t") == ["state", "chunks", "uploaded", "id", "name", "dated", "run", "by", "remark"]
    assert {row.split("\t")[4] for row in rows} == {"docs/a.txt", "docs/b.txt"}
    failed = run("documents", "--state", "failed").stdout.splitlines()[1:]
    assert [(row.split("\t")[4], row.split("\t")[-1]) for row in failed] == [
        ("docs/b.txt", "The file is encrypted. Remove its password and upload it again.")
    ]
    lines = [json.loads(line) for line in run("documents", "--json").stdout.splitlines()]
    assert {(line["state"], line["reason"] is None) for line in lines} == {("ready", True), ("failed", False)}


def test_that_no_document_is_so_is_not_told_as_if_there_were_none(run: Run) -> None:
    assert "Add some with: trivium ingest" in run("documents").stderr
    write("docs/a.txt", "Ada.")
    run("ingest", "docs")
    for chosen in (("--state", "failed"), ("--inside", "a.txt"), ("--dataset", "papers")):
        assert run("documents", *chosen).stderr == "There are no such documents. List all with: trivium documents\n"


def test_documents_says_what_an_unfinished_one_waits_for(run: Run, world: World) -> None:
    world.hold = True
    write("docs/a.txt", "Ada.")
    run("ingest", "docs", "--no-wait")
    (row,) = run("documents").stdout.splitlines()[1:]
    assert row.split("\t")[-1] == "waits for its turn"


def test_what_is_inside_a_document_is_waited_for_and_named_with_it(run: Run) -> None:
    write("docs/a.zip", "Ada.")
    write("docs/bad.zip", "FAIL")
    told = run("ingest", "docs")
    assert "2 ready" in told.stdout
    assert "Failed: docs/bad.zip > a.txt" in told.stderr
    rows = run("documents", "--inside", "docs/a.zip").stdout.splitlines()[1:]
    assert [row.split("\t")[4] for row in rows] == ["docs/a.zip > a.txt"]
    (inside,) = [json.loads(line) for line in run("documents", "--inside", "a.zip", "--json").stdout.splitlines()]
    (archive,) = [s for s in map(json.loads, run("documents", "--json").stdout.splitlines()) if s["children"]][1:]
    assert inside["parent"] == archive["id"]
    assert "and the 1 document inside it" in run("delete", "docs/a.zip", given="n\n").stderr


def test_status_counts_documents_by_state(run: Run) -> None:
    write("docs/a.txt", "Ada.")
    write("docs/b.txt", "FAIL")
    run("ingest", "docs")
    shown = run("status").output
    assert "Documents  2" in shown
    assert "failed   1" in shown
    assert json.loads(run("status", "--json").stdout)["by_state"]["ready"] == 1


def test_chunks_prints_the_passages_of_a_document_by_name_or_id(run: Run) -> None:
    write("docs/a.txt", "Ada wrote\nit.")
    run("ingest", "docs")
    identifier = json.loads(run("documents", "--json").stdout)["id"]
    for given in ("docs/a.txt", "a.txt", identifier):
        assert "--- chunk 1 [text] page 3\nAda wrote\nit.\n" in run("chunks", given).stdout
    assert json.loads(run("chunks", "a.txt", "--json").stdout)["number"] == 1
    assert run("chunks", "b.txt").exit_code == 1


def test_a_document_is_found_by_its_name_however_that_is_spelt_or_looks(run: Run) -> None:
    for name in ("docs/B\u00fcro.txt", "d41d8cd98f00b204e9800998ecf8427e"):
        run("ingest", str(write(name, f"Ada wrote {name}.")))
        for spelt in (name, unicodedata.normalize("NFD", name), unicodedata.normalize("NFD", Path(name).name)):
            assert f"Ada wrote {name}." in run("chunks", spelt).stdout


def test_delete_asks_first_and_then_removes_the_document(run: Run) -> None:
    write("docs/a.txt", "Ada.")
    run("ingest", "docs")
    refused = run("delete", "docs/a.txt", given="n\n")
    assert refused.exit_code == 1
    assert "docs/a.txt" in run("documents").stdout
    assert run("delete", "docs/a.txt", given="y\n").exit_code == 0
    assert "docs/a.txt" not in run("documents").stdout
    assert run("delete", "docs/a.txt", "--yes").exit_code == 1


def test_delete_takes_a_document_of_one_dataset_or_the_whole_of_it(run: Run) -> None:
    for name in ("x/a.txt", "y/a.txt", "y/b.zip", "z/c.txt"):
        write(name, "Ada.")
    run("ingest", "x", "z")
    run("ingest", "y", "--dataset", "papers")
    assert run("delete").exit_code == 2
    assert run("delete", "c.txt", "--dataset", "papers", "--yes").exit_code == 1
    assert run("delete", "a.txt", "--dataset", "papers", "--yes").stdout == "Deleted y/a.txt.\n"
    asked = run("delete", "--dataset", "papers", given="n\n")
    assert (asked.exit_code, "Delete dataset papers with its 1 document?" in asked.stderr) == (1, True)
    assert run("delete", "--dataset", "papers", "--yes").stdout == "Deleted 1 document of dataset papers.\n"
    none = run("delete", "--dataset", "paper", "--yes")
    assert (none.exit_code, "There is no document in dataset paper." in none.stderr) == (1, True)
    left = run("documents").stdout
    assert ("x/a.txt" in left, "z/c.txt" in left, "y/" in left.replace("y/b.zip > a.txt", "")) == (True, True, False)


def test_a_name_that_fits_two_documents_deletes_none(run: Run) -> None:
    write("x/a.txt", "Ada.")
    write("y/a.txt", "Bob.")
    run("ingest", "x", "y")
    shown = run("delete", "a.txt", "--yes")
    assert shown.exit_code == 1
    assert "x/a.txt" in shown.stderr
    assert len(run("documents").stdout.splitlines()) == 3


def test_graph_shows_an_entity_by_name_alias_or_beginning(run: Run) -> None:
    write("a.txt", "Ada wrote it.")
    run("ingest", "a.txt")
    for given in ("Ada Lovelace", "ada", "Ada L"):
        shown = run("graph", "show", given)
        assert "Ada Lovelace (person), in 1 chunk, 1 neighbour" in shown.stdout
        assert "--WROTE_FOR--> Analytical Engine (technology)" in shown.stdout
        assert "a.txt, chunk 1" in shown.stdout
    assert run("graph", "show", "Nobody").exit_code == 1
    assert json.loads(run("graph", "show", "Ada", "--json").stdout)["entity"]["name"] == "Ada Lovelace"


class OlderGraph:
    """Of a document that was read before marks were part of keys."""

    def entities(self, beginning: str, cursor: str = "") -> Any:
        bali = api.Entity("1", "バリ", "location", (), 1, 0)
        return SimpleNamespace(entities=(bali,) if beginning == "ハリ" else (), cursor="")


def test_an_entity_whose_key_was_made_without_marks_is_found_by_its_name_and_by_no_other() -> None:
    client: Any = OlderGraph()
    assert _by_name(client, "バリ").name == "バリ"
    with pytest.raises(NotFound):
        _by_name(client, "パリ")


def test_an_entity_is_found_by_its_name_however_many_others_begin_so(run: Run, world: World) -> None:
    world.namesakes = 250
    assert run("graph", "show", "Ada").stdout.startswith("Ada Lovelace (person)")
    unknown = run("graph", "show", "Ada 9x")
    assert (unknown.exit_code, "There is no entity called 'Ada 9x'." in unknown.stderr) == (1, True)
    assert "Perhaps: Ada 0, Ada 1, " in run("graph", "show", "Ad").stderr


@pytest.mark.parametrize("failure", [OSError, KeyError, ImportError])
def test_a_user_without_a_name_edits_as_somebody(monkeypatch: pytest.MonkeyPatch, failure: type[Exception]) -> None:
    def nobody() -> str:
        raise failure("uid not found")

    monkeypatch.setattr("getpass.getuser", nobody)
    assert curate.me().name == "somebody"


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["relate", "Ada", "KNOWS", "Babbage", "--quote", "Ada knew him"], "--chunk ID"),
        (["review", "Ada", "A person?", "--why", "It is told so."], "--why goes with --done"),
        (["review", "--why", "It is told so."], "--why goes with --done"),
        (["review", "Ada", "A person?", "--done", "1", "--why", "It is so."], "leave ENTITY out"),
    ],
)
def test_what_a_correction_would_lose_is_a_usage_error(run: Run, arguments: list[str], told: str) -> None:
    refused = run("graph", *arguments)
    assert (refused.exit_code, told in refused.stderr) == (2, True)


def test_a_row_of_a_curated_list_may_hold_what_python_takes_for_the_end_of_a_line(tmp_path: Path) -> None:
    path = tmp_path / "list.jsonl"
    path.write_text('{"name": "Ada", "type": "person"}\r\n\n{"name": "Babbage", "why": "a\u2028b\x85c"}\r\n')
    assert [(row.line, row.listed.name) for row in curated_list.read(path)] == [(1, "Ada"), (3, "Babbage")]


def test_an_export_is_read_with_titles_that_are_no_names_and_with_any_number_of_other_names(tmp_path: Path) -> None:
    path = tmp_path / "graph.jsonl"
    ada = {"kind": "entity", "id": "1", "name": "Ada", "type": "person", "aliases": [f"Ada {n}" for n in range(120)]}
    title = {"kind": "entity", "id": "2", "name": "What is a fish ladder?", "type": "concept", "aliases": []}
    path.write_text("\n".join(map(json.dumps, (ada, title))))
    rows = curated_list.read(path)
    assert [(row.line, row.listed.name, len(row.listed.aliases)) for row in rows] == [
        (1, "Ada", 50),
        (1, "Ada", 50),
        (1, "Ada", 20),
        (2, "What is a fish ladder?", 0),
    ]
    assert [name for row in rows for name in row.listed.aliases] == ada["aliases"]


def test_a_tool_takes_its_arguments_from_standard_input_too(run: Run) -> None:
    told = run("graph", "tool", "get_progress", "-", given='{"run": "ledgers"}')
    assert json.loads(told.stdout)["todos"] == []
    assert json.loads(run("graph", "tool", "get_progress").stdout) == json.loads(told.stdout)


@pytest.mark.parametrize(
    ("name", "arguments", "told"),
    [
        ("search", "{}", "There is no tool 'search'."),
        ("search_kg", "{", "The arguments are not what search_kg takes"),
        ("search_kg", "{}", "missing required field `name`"),
        ("search_kg", '{"name": "Ada", "nam": 1}', "unknown field `nam`"),
    ],
)
def test_a_tool_that_is_none_and_arguments_that_do_not_fit_are_refused(
    run: Run, name: str, arguments: str, told: str
) -> None:
    refused = run("graph", "tool", name, arguments)
    assert (refused.exit_code, told in refused.stderr) == (1, True)
    assert "search_kg" in refused.stderr


def test_what_is_written_to_stays_what_it_is(tmp_path: Path) -> None:
    real, link, null = tmp_path / "graph.jsonl", tmp_path / "link", tmp_path / "null"
    real.write_text("old")
    link.symlink_to(real.name)
    null.symlink_to(os.devnull)
    assert [_saved([b"new", b"er"], path) for path in (link, null)] == [5, 5]
    assert (link.readlink(), real.read_text()) == (Path("graph.jsonl"), "newer")
    assert (null.is_symlink(), null.is_char_device()) == (True, True)
    reader, writer = os.pipe()
    assert _saved([b"piped"], Path(f"/dev/fd/{writer}")) == 5
    assert os.read(reader, 5) == b"piped"
    os.close(reader)
    os.close(writer)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["graph.jsonl", "link", "null"]


def test_graph_list_filters_by_type_and_beginning(run: Run) -> None:
    assert "Ada Lovelace" in run("graph", "list").stdout
    technologies = run("graph", "list", "--type", "technology").stdout
    assert "Ada" not in technologies
    assert "Analytical Engine" in technologies
    assert run("graph", "list", "Zzz").stdout == ""


def test_config_shows_sources_masks_secrets_and_warns_of_misspelt_variables(run: Run) -> None:
    shown = run("config", TRIVIUM_API_KEY="hunter2", TRIVIUM_CHUNK_SIZ="9")
    assert "TRIVIUM_API_KEY\t********\tenvironment" in shown.stdout
    assert "hunter2" not in shown.output
    addressed = run("config", TRIVIUM_URL="http://me:hunter2@127.0.0.1:8080")
    assert "TRIVIUM_URL\thttp://********@127.0.0.1:8080\tenvironment" in addressed.stdout
    assert "TRIVIUM_TOP" not in shown.stdout
    assert shown.stderr.count("TRIVIUM_CHUNK_SIZ is not a setting of Trivium; did you mean TRIVIUM_CHUNK_SIZE?") == 1


def test_a_file_that_is_gone_from_its_folder_is_told_and_its_document_stays(run: Run) -> None:
    for name in ("docs/a.txt", "docs/b c.txt", "docs2/c.txt", "top.txt"):
        write(name, f"Ada wrote {name}.")
    assert "No longer there" not in run("ingest", "docs", "docs2", "top.txt").stderr
    Path("docs/b c.txt").unlink()
    Path("docs2/c.txt").unlink()
    again = run("ingest", "docs")
    assert again.exit_code == 0
    assert "No longer there: docs/b c.txt\n" in again.stderr
    assert "docs2" not in again.stderr
    assert "trivium delete 'docs/b c.txt'" in again.stderr
    assert "docs/b c.txt" in run("documents").stdout
    everything = run("ingest", ".").stderr
    assert [line for line in everything.splitlines() if line.startswith("No longer there")] == [
        "No longer there: docs2/c.txt",
        "No longer there: docs/b c.txt",
    ]
    run("delete", "docs/b c.txt", "--yes")
    assert "No longer there" not in run("ingest", "docs").stderr


def test_sync_removes_what_is_gone_from_its_folder_once_somebody_says_so(run: Run) -> None:
    for name in ("docs/a.txt", "docs/b.txt", "docs/c.txt", "docs2/d.txt"):
        write(name, f"Ada wrote {name}.")
    run("ingest", "docs", "docs2", "https://example.org/page")
    write("docs/e.txt", "Ada.")
    run("ingest", "docs/e.txt", "--dataset", "other")
    for name in ("docs/b.txt", "docs/c.txt", "docs2/d.txt", "docs/e.txt"):
        Path(name).unlink()
    refused = run("ingest", "docs", "--sync", given="n\n")
    assert refused.exit_code == 0
    assert {"No longer there: docs/b.txt", "No longer there: docs/c.txt"} <= set(refused.stderr.splitlines())
    assert "Remove 2 documents?" in refused.stderr
    assert "Nothing was removed." in refused.stderr
    assert "docs/b.txt" in run("documents").stdout
    assert run("ingest", "docs", "--sync", given="").exit_code == 1
    done = run("ingest", "docs", "--sync", "--yes")
    assert {"Deleted docs/b.txt.", "Deleted docs/c.txt."} <= set(done.stdout.splitlines())
    left = run("documents").stdout
    assert [name in left for name in ("docs/a.txt", "docs/b.txt", "docs/c.txt")] == [True, False, False]
    assert [name in left for name in ("docs2/d.txt", "docs/e.txt", "example.org")] == [True, True, True]
    assert "Remove" not in run("ingest", "docs", "--sync").stderr


def test_sync_compares_every_document_and_without_it_a_bound_is_told(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(absent, "MAX_LOOKED_AT", 2)
    for name in ("docs/a.txt", "docs/b.txt"):
        run("ingest", str(write(name, f"Ada wrote {name}.")))
    Path("docs/a.txt").unlink()
    within = run("ingest", "docs").stderr
    assert ("No longer there: docs/a.txt" in within, "Only the newest" in within) == (True, False)
    run("ingest", str(write("docs/c.txt", "Ada wrote c.")))
    beyond = run("ingest", "docs")
    assert (beyond.exit_code, "No longer there" in beyond.stderr) == (0, False)
    assert "Only the newest 2 documents were compared" in beyond.stderr
    done = run("ingest", "docs", "--sync", "--yes")
    assert "Deleted docs/a.txt." in done.stdout.splitlines()
    assert "Only the newest" not in done.stderr


def test_sync_removes_nothing_of_a_folder_that_is_missing_unreadable_or_empty(run: Run) -> None:
    for name in ("docs/a.txt", "docs/in/b.txt", "other/c.txt"):
        write(name, f"Ada wrote {name}.")
    run("ingest", "docs", "other")
    Path("docs").rename("away")
    for arguments in (["docs"], ["other", "docs"], ["https://example.org/page"], ["other/c.txt"]):
        missing = run("ingest", *arguments, "--sync", "--yes")
        assert (missing.exit_code, "folders that are there" in missing.stderr) == (2, True)
    Path("docs").mkdir()
    assert "docs holds no file" in run("ingest", "docs", "--sync", "--yes").stderr
    assert run("ingest", "other", "--yes").exit_code == 2
    Path("docs").rmdir()
    Path("away").rename("docs")
    Path("docs/in/b.txt").unlink()
    Path("docs/in").chmod(0)
    try:
        unreadable = run("ingest", "docs", "--sync", "--yes")
    finally:
        Path("docs/in").chmod(0o755)
    left = run("documents").stdout
    assert ("docs/a.txt" in left, "other/c.txt" in left) == (True, True)
    assert "docs/in/b.txt" in left or os.geteuid() == 0, unreadable.stderr


def test_a_file_of_an_odd_name_is_there(run: Run) -> None:
    for name in ('docs/the "old" quay.txt', "docs/two\nlines.txt", "docs/100%.txt", "docs/%41.txt"):
        write(name, f"Ada wrote {name}.")
    assert "No longer there" not in run("ingest", "docs").stderr
    assert run("ingest", "docs").stdout.startswith("0 ready (0 passages), 4 unchanged")


COMPOSED = "B\u00fcro"
DECOMPOSED = unicodedata.normalize("NFD", COMPOSED)
NO_TEXT = os.fsdecode(b"B\xfcro")


@pytest.mark.parametrize(
    ("made", "passed_over"),
    [
        (f"docs/.{DECOMPOSED}/a.txt", ""),
        (f"docs/{DECOMPOSED}/a.txt", f"docs/{DECOMPOSED}"),
        (f"docs/{DECOMPOSED}.txt", f"docs/{DECOMPOSED}.txt"),
        (f"docs/{NO_TEXT}.txt", f"docs/{NO_TEXT}.txt"),
        ("docs/search?q=%22wife%22.html", ""),
    ],
    ids=["hidden", "link to a folder", "broken link", "not UTF-8", "quotes"],
)
def test_what_is_stored_under_another_spelling_is_not_gone(run: Run, made: str, passed_over: str) -> None:
    write("docs/b.txt", "Ada.")
    write(made, "Ada wrote it.")
    assert run("ingest", "docs", "--hidden").stdout.startswith("2 ready")
    if passed_over:
        Path(passed_over).rename("away")
        Path(passed_over).symlink_to("../away" if Path("away").is_dir() else "nowhere")
    done = run("ingest", "docs", "--sync", "--yes")
    assert (done.stdout.count("Deleted"), "No longer there" in done.stderr) == (0, False)
    assert len(run("documents").stdout.splitlines()) == 3
    Path("docs/b.txt").unlink()
    write("docs/c.txt", "Ada.")
    assert "Deleted docs/b.txt.\n" in run("ingest", "docs", "--sync", "--yes").stdout


def test_sync_of_the_folder_that_names_are_relative_to_wants_its_dataset_named(run: Run) -> None:
    write("docs/a.txt", "Ada.")
    run("ingest", "docs/a.txt")
    full = str(Path("docs").resolve())
    for arguments in ((".",), ("docs", "--root", "docs"), ("--root", full, full)):
        refused = run("ingest", *arguments, "--sync", "--yes")
        assert (refused.exit_code, "--dataset" in refused.stderr) == (2, True)
    assert "docs/a.txt" in run("documents").stdout
    run("ingest", str(write("docs/b.txt", "Ada.")), "--dataset", "papers")
    Path("docs/b.txt").unlink()
    done = run("ingest", ".", "--sync", "--yes", "--dataset", "papers")
    assert "Deleted docs/b.txt." in done.stdout.splitlines()


@pytest.mark.parametrize("name", ["docs/a  b.txt", "docs/a\u3000b.txt", "-notes.txt"])
def test_the_command_that_is_told_for_a_document_that_is_gone_deletes_that_one(run: Run, name: str) -> None:
    for written in (name, "docs/a b.txt", "docs/z.txt"):
        write(written, f"Ada wrote {written}.")
    run("ingest", ".")
    Path(name).unlink()
    (told,) = [line for line in run("ingest", ".").stderr.splitlines() if "trivium delete" in line]
    command = shlex.split(told.partition("trivium delete ")[2])
    assert command[-1] == name
    assert run("delete", "--yes", *command).exit_code == 0
    left = {source["name"] for source in map(json.loads, run("documents", "--json").stdout.splitlines())}
    assert left == {"docs/a b.txt", "docs/z.txt"}


def test_a_reembedding_that_lost_documents_tells_the_model_to_set_all_the_same(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Lossy:
        def reembed(self, *_: object) -> list[str]:
            return ["lost.pdf"]

    monkeypatch.setattr(runtime, "upkeep", Lossy)
    shown = run("reembed", "--model", "m")
    assert shown.exit_code == 1
    assert "From now on set TRIVIUM_EMBED_MODEL=m for every process.\n1 document without" in shown.stderr


def test_what_a_folder_never_held_is_not_missing_from_it(run: Run) -> None:
    write("docs/a.txt", "Ada")
    outside = write("../outside/o.txt", "Ada")
    run("ingest", "docs", str(outside.resolve()), "https://example.org/page")
    run("ingest", "docs", "--dataset", "other")
    Path("docs/a.txt").rename("docs/.a.txt")
    assert "No longer there" not in run("ingest", ".", "--dataset", "other").stderr
    assert "No longer there: docs/a.txt" in run("ingest", ".").stderr


def test_every_command_warns_of_misspelt_variables_once(run: Run) -> None:
    write("a.txt", "Ada")
    for command in (["ingest", "a.txt"], ["documents"], ["search", "Ada"]):
        told = run(*command, TRIVIUM_CHUNKR="fixed").stderr
        assert told.count("TRIVIUM_CHUNKR is not a setting of Trivium; did you mean TRIVIUM_CHUNKER?") == 1


@pytest.mark.parametrize("command", [("dead", "list"), ("tenants", "list"), ("doctor",)])
def test_a_command_that_works_on_the_stores_says_that_it_asks_no_server(run: Run, command: tuple[str, ...]) -> None:
    told, *_ = run(*command).stderr.splitlines()
    assert told.startswith("TRIVIUM_URL is set, but this command asks no server")
    assert told.endswith(" it works on the data directory .trivium of the settings.")
    assert told not in run(*command, TRIVIUM_URL="").stderr


def test_servers_without_their_backend_are_told_and_no_documents_go_to_them(run: Run) -> None:
    servers = {"TRIVIUM_NEO4J_URL": "bolt://127.0.0.1:9"}
    (told,) = run("config", **servers).stderr.splitlines()
    assert told.startswith("Warning: TRIVIUM_NEO4J_URL is set, and TRIVIUM_BACKEND=distributed is not")
    for chosen in ("embedded", "distributed"):
        assert run("config", **servers, TRIVIUM_BACKEND=chosen).stderr == ""


def test_escape_sequences_from_documents_never_reach_the_terminal(run: Run) -> None:
    write("evil.txt", "Ada \x1b]0;owned\x07\x1b[2J\x9b31m \u202etxt.exe")
    run("ingest", "evil.txt")
    for arguments in (("ask", "ada"), ("search", "ada"), ("search", "ada", "--full"), ("chunks", "evil.txt")):
        for extra in ((), ("--json",)):
            if "--full" in arguments and extra:
                continue
            shown = run(*arguments, *extra).output
            assert "Ada" in shown
            assert not any(char in shown for char in "\x1b\x07\x9b\u202e")
