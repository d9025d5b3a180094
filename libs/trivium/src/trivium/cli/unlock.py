"""`trivium unlock`: the password of an encrypted document, given after it failed for want of one."""

from __future__ import annotations

import click

from trivium.cli.documents import remark, resolve
from trivium.cli.password import asked_password, takes_password
from trivium.cli.session import connected
from trivium.cli.terminal import counted, note, one_line, say
from trivium.domain.documents import DocumentState


@click.command()
@click.argument("document")
@takes_password
@click.pass_context
def unlock(ctx: click.Context, document: str, password: str) -> None:
    """Give the password of DOCUMENT, an id or a name, or of what is inside it, and wait until it is read.

    Without an option the password is asked for. The exit code is 1 when it is not the right one.
    """
    secret = password or asked_password()
    with connected() as client:
        source = client.unlock(resolve(client, document).id, secret)
        settled = client.wait([source.id])
    failed = [each for each in settled if each.state is DocumentState.FAILED]
    for each in settled:
        if each not in failed:
            say(f"{one_line(each.name)}: {each.state.value}, {counted(each.chunks, 'passage')}.")
    for each in failed:
        note(f"Failed: {one_line(each.name)}: {one_line(remark(each))}")
    ctx.exit(1 if failed else 0)
