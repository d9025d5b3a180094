"""`trivium doctor`: is everything that the settings name there, and fit?"""

from __future__ import annotations

import click

from trivium.cli import runtime
from trivium.cli.main import EXIT_FAILED
from trivium.cli.session import settings_of_stores
from trivium.cli.terminal import counted, json_option, note, print_json, print_table


@click.command()
@json_option
@click.pass_context
def doctor(ctx: click.Context, as_json: bool) -> None:
    """Check every server and folder that the settings name.

    Exit code 1 when something needs doing.
    """
    settings = settings_of_stores()
    findings = runtime.checkup(settings.backend)(settings)
    if as_json:
        print_json(findings)
    else:
        columns = {"part": "left", "check": "left", "state": "left", "found": "left", "what to do": "left"}
        rows = [(f.part, f.check, "ok" if f.ok else "problem", f.found, f.action) for f in findings]
        print_table(columns, rows)
    problems = sum(not finding.ok for finding in findings)
    if problems:
        note(f"{counted(problems, 'problem')}.")
        ctx.exit(EXIT_FAILED)
