"""`trivium serve`: Trivium in this process, until stopped."""

from __future__ import annotations

import click

from trivium.cli import runtime
from trivium.cli.terminal import note, say
from trivium.config import load_settings, unknown_variables


@click.command()
def serve() -> None:
    """Run Trivium until stopped: HTTP, gRPC and ingest.

    It listens on loopback unless TRIVIUM_HTTP_HOST and TRIVIUM_GRPC_HOST say otherwise, and then wants
    TRIVIUM_API_KEYS. Unfinished documents are taken up again.
    """
    settings = load_settings()
    for name in unknown_variables():
        note(f"Warning: {name} is not a setting of Trivium; it is most likely misspelt.")

    def ready(http: str, grpc: str) -> None:
        say(f"HTTP  {http}   (interface: {http}/docs)")
        say(f"gRPC  {grpc}")
        say(f"Data  {settings.data_dir.resolve()}")
        say("Stop with Ctrl-C.")

    runtime.embedded().serve(settings, ready)
