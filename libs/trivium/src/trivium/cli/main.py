"""The commands there are, loaded when called, and how every failure is told.

Nothing heavy may be imported here: `trivium --help` must feel instant.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Mapping
from typing import Any, NamedTuple, NoReturn

import click

from trivium.domain.errors import TriviumError

EXIT_FAILED = 1
EXIT_INTERRUPTED = 130  # 128 + SIGINT, as shells count

INTRODUCTION = """\
Trivium answers questions from your own documents, and shows where each answer stands.

  trivium ingest PATH|URL...   read files, folders and web pages
  trivium ask "QUESTION"       get an answer with its sources
  trivium search "WORDS"       find the passages, with the reasons why each was found
  trivium documents            see what has been read, and what failed and why
  trivium serve                keep it running, with an HTTP and a gRPC interface

For example:

  trivium ingest ./papers report.pdf https://example.org/page.html
  trivium ask "Who wrote the report, and what did it find?"
  trivium search "battery life" --mode keyword --top-k 5

All commands: trivium --help     One command: trivium ask --help     Settings: trivium config
"""


class Entry(NamedTuple):
    """Where a command stands, and its line in the help."""

    target: str
    help: str


COMMANDS: Mapping[str, Entry] = {
    "ingest": Entry("trivium.cli.ingest:ingest", "Read files, folders and web pages."),
    "ask": Entry("trivium.cli.ask:ask", "Answer a question from the documents, with sources."),
    "chat": Entry("trivium.cli.chat:chat", "Ask question after question in one conversation."),
    "search": Entry("trivium.cli.search:search", "Find passages, and show why each was found."),
    "status": Entry("trivium.cli.documents:status", "Show how much is done, running and failed."),
    "documents": Entry("trivium.cli.documents:documents", "List the documents and their states."),
    "datasets": Entry("trivium.cli.documents:datasets", "List the datasets and what is in each."),
    "chunks": Entry("trivium.cli.documents:chunks", "Print the passages of a document."),
    "unlock": Entry("trivium.cli.unlock:unlock", "Give the password of a document that needs one."),
    "delete": Entry("trivium.cli.documents:delete", "Remove a document from everywhere."),
    "graph": Entry("trivium.cli.graph:graph", "Look at the knowledge graph, and correct it."),
    "backfill": Entry("trivium.cli.backfill:backfill", "Take in what a bucket holds, however much."),
    "backlog": Entry("trivium.cli.backlog:backlog", "Show what waits in the queues, and how long that takes."),
    "dead": Entry("trivium.cli.dead:dead", "Look at what failed, and replay or drop it."),
    "parse": Entry("trivium.cli.parse:parse", "Print what the parser sees in a file; store nothing."),
    "serve": Entry("trivium.cli.serve:serve", "Run Trivium until stopped: HTTP, gRPC and ingest."),
    "connect": Entry("trivium.cli.connect:connect", "Follow places outside: folders, buckets, mailboxes."),
    "keys": Entry("trivium.cli.keys:keys", "Give keys, see what they were used for, and take them back."),
    "trail": Entry("trivium.cli.trail:trail", "Print who did what to which document, key or edit."),
    "tenants": Entry("trivium.cli.tenants:tenants", "List tenants; create, export, import and erase one."),
    "mcp": Entry("trivium.cli.mcp:mcp", "Speak MCP, for programs that ask Trivium as a tool."),
    "config": Entry("trivium.cli.settings:config", "Show every setting, its value and its source."),
    "model": Entry("trivium.cli.model:model", "Fetch the embedding model, where it did not come along."),
    "doctor": Entry("trivium.cli.doctor:doctor", "Check every server and folder that the settings name."),
    "prepare": Entry("trivium.cli.prepare:prepare", "Wait for the servers, and make what they need to hold."),
    "audit": Entry("trivium.cli.upkeep:audit", "Compare every store with the artifacts; repair what differs."),
    "rebuild": Entry("trivium.cli.upkeep:rebuild", "Write one store anew from the artifacts."),
    "reembed": Entry("trivium.cli.upkeep:reembed", "Make every vector anew by another model."),
    "eval": Entry("trivium.cli.evaluate:evaluate", "Measure retrieval, or answers, on a folder of questions."),
}


class Failed(click.ClickException):
    """A failure as people see it: what was wrong, and what to do."""

    exit_code = EXIT_FAILED

    def __init__(self, message: str, action: str = "") -> None:
        super().__init__(message)
        self.action = action

    def show(self, file: Any = None) -> None:
        """Two lines on standard error, one when there is nothing to do."""
        from trivium.cli.terminal import clean

        click.echo(f"Error: {clean(self.message)}", file=file or sys.stderr)
        if self.action:
            click.echo(clean(self.action), file=file or sys.stderr)


class Commands(click.Group):
    """Loads a command's module when it is called, and turns every failure into one message and exit code."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """In the order of use, not of the alphabet."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import the command's module."""
        if cmd_name not in COMMANDS:
            return None
        module, _, name = COMMANDS[cmd_name].target.partition(":")
        command: click.Command = getattr(importlib.import_module(module), name)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """A misspelt command is answered with the ones that are meant perhaps."""
        if args[0] not in COMMANDS and not args[0].startswith("-"):
            raise click.NoSuchCommand(args[0], possibilities=list(COMMANDS), ctx=ctx)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The commands' lines, without importing any of them."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, entry.help) for name, entry in COMMANDS.items()])

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; the last place where a failure can still be told in words."""
        try:
            return super().invoke(ctx)
        except (click.ClickException, click.exceptions.Exit, click.Abort, BrokenPipeError):
            raise
        except KeyboardInterrupt:
            click.echo("Interrupted.", err=True)
            ctx.exit(EXIT_INTERRUPTED)
        except TriviumError as error:
            _reraise_when_debugging()
            raise Failed(error.message, error.action) from error
        except OSError as error:
            _reraise_when_debugging()
            raise Failed(f"{error.filename or 'The system'}: {error.strerror or error}.") from error
        except Exception as error:
            _reraise_when_debugging()
            if isinstance(error, ModuleNotFoundError):
                from trivium.extras import explained

                told = explained(error)
                if isinstance(told, TriviumError):
                    raise Failed(told.message, told.action) from error
            raise Failed(
                f"Trivium has a fault of its own: {type(error).__name__}: {error}",
                "Run it again with TRIVIUM_LOG_LEVEL=debug and report what it prints.",
            ) from error


def _reraise_when_debugging() -> None:
    from trivium.config import wants_debugging

    if wants_debugging():
        raise  # noqa: PLE0704 - called from an except clause only


def _tell_version(ctx: click.Context, _: click.Parameter, wanted: bool) -> None:
    if not wanted or ctx.resilient_parsing:
        return
    from trivium.release import VERSION, commit

    built_from = commit()
    click.echo(f"trivium {VERSION} ({f'commit {built_from}' if built_from else 'commit not known: built without git'})")
    ctx.exit()


@click.group(
    cls=Commands,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_tell_version,
    help="Show version and commit.",
)
@click.pass_context
def cli(ctx: click.Context) -> None:
    """Ask your own documents: files in, cited answers out."""
    if ctx.invoked_subcommand is None:
        click.echo(INTRODUCTION, nl=False)
    elif ctx.invoked_subcommand != "serve":  # which does it itself, as a line of its log
        _warn_of_settings()


def _warn_of_settings() -> None:
    from trivium.config import left_embedded, misspelt

    for sentence in misspelt() + left_embedded():
        click.echo(f"Warning: {sentence}", err=True)


def main() -> NoReturn:
    """The `trivium` program."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")  # a terminal that cannot show a letter must not end the answer
    if hasattr(sys.stdin, "reconfigure"):
        sys.stdin.reconfigure(errors="replace")  # nor one that cannot be read the question
    cli(prog_name="trivium")
    raise SystemExit(0)
