"""`trivium-gpu-inference`: the inference service as a process."""

from __future__ import annotations

import sys

import click

from trivium.config import load_settings
from trivium.domain.errors import TriviumError
from trivium.telemetry import configure_logging
from trivium_inference.serving.server import Listening, serve


def main() -> None:
    """Serve until told to stop."""
    try:
        settings = load_settings()
        configure_logging(settings.log_level, settings.log_format)
        serve(settings, _listening, lambda: click.echo("Ready: every model has done a batch."))
    except TriviumError as error:
        click.echo(f"trivium-gpu-inference: {error}", err=True)
        sys.exit(1)


def _listening(where: Listening) -> None:
    click.echo(f"gRPC     {where.grpc}")
    click.echo(f"metrics  {where.metrics}")


if __name__ == "__main__":
    main()
