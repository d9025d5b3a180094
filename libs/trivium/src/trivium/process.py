"""A service's process: settings and logs first, and one line on standard error when it cannot go on."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import NoReturn

import structlog

from trivium.config import Settings, load_settings, misspelt, wanted_log_format
from trivium.domain.errors import TriviumError
from trivium.extras import explained
from trivium.logs.setup import configure_logging, log_everything
from trivium.struct_types import prepare_struct_types
from trivium.tracing.setup import traced
from trivium.watching.scraped import told_of_itself


def run_process(name: str, body: Callable[[Settings], None]) -> NoReturn:
    """Run `body` until it returns; exit status 1 with the reason and what to do when it raises a `TriviumError`."""
    configure_logging("error", wanted_log_format())
    log_everything(wanted_log_format())
    try:
        settings = load_settings()
        configure_logging(settings.log_level, settings.log_format)
        for sentence in misspelt():
            structlog.get_logger().warning("unknown_setting", message=sentence)
        prepare_struct_types()
        try:
            with told_of_itself(settings), traced(settings, name):
                body(settings)
        except ModuleNotFoundError as error:
            raise explained(error) from error
    except TriviumError as error:
        sys.stderr.write(f"{name}: {error}\n")
        sys.exit(1)
    sys.exit(0)


def say(line: str) -> None:
    """One line for who starts the process by hand or waits for it to be ready; with JSON logs, it is one of them."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()
