"""`trivium serve`: Trivium in this process, until stopped."""

from __future__ import annotations

import click

from trivium.cli import runtime
from trivium.cli.terminal import note, say
from trivium.config import left_embedded, load_settings, misspelt, wanted_log_format


@click.command()
def serve() -> None:
    """Run Trivium until stopped: HTTP, gRPC and ingest.

    It listens on loopback unless TRIVIUM_HTTP_HOST and TRIVIUM_GRPC_HOST say otherwise, and then wants
    TRIVIUM_API_KEYS. Unfinished documents are taken up again. With TRIVIUM_LOG_FORMAT=json every line is JSON, these
    first ones too.
    """
    from trivium.logs.setup import configure_logging, log_everything  # after the help: it takes a moment

    configure_logging("error", wanted_log_format())
    log_everything(wanted_log_format())
    settings = load_settings()
    for sentence in misspelt() + left_embedded():
        note(f"Warning: {sentence}")

    def ready(http: str, grpc: str) -> None:
        say(f"HTTP  {http}   (interface: {http}/docs)")
        say(f"gRPC  {grpc}")
        say(f"Data  {settings.data_dir.resolve()}")
        say("Stop with Ctrl-C.")

    runtime.embedded().serve(settings, ready)
