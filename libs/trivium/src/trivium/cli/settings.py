"""`trivium config`: every setting, its value and where it came from."""

from __future__ import annotations

import click

from trivium.cli.terminal import json_option, print_json, print_table
from trivium.config import describe, load_settings


@click.command()
@json_option
def config(as_json: bool) -> None:
    """Show every setting, its value and its source.

    A setting is an environment variable. Secrets are masked.
    """
    rows = describe(load_settings())
    if as_json:
        print_json([{"setting": name, "value": value, "source": source} for name, value, source in rows])
    else:
        print_table({"setting": "left", "value": "left", "source": "left"}, rows)
