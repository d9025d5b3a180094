"""What holds for every test, whoever started the run."""

from __future__ import annotations

import logging
import signal
from collections.abc import Iterator
from importlib.util import find_spec

import pytest
import structlog
from hypothesis import settings

from trivium.logs.lines import Lines
from trivium.struct_types import prepare_struct_types

settings.register_profile("trivium", deadline=None)  # a busy machine is no failing example
settings.load_profile("trivium")

for _interrupt in (signal.SIGINT, signal.SIGQUIT):
    if signal.getsignal(_interrupt) is signal.SIG_IGN:  # so a shell starts what runs in its background
        signal.signal(_interrupt, signal.default_int_handler if _interrupt is signal.SIGINT else signal.SIG_DFL)


def pytest_collection_finish() -> None:
    """Tests have threads too."""
    prepare_struct_types()


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Also for the tests torch is an extra."""
    if item.get_closest_marker("models") and not find_spec("torch"):
        pytest.skip("needs torch: make test-models")


@pytest.fixture(autouse=True)
def logging_as_it_was() -> Iterator[None]:
    """Commands set up their process's logs, and tests run some in their own."""
    root = logging.getLogger()
    level, kept = root.level, structlog.get_config()
    yield
    root.handlers = [handler for handler in root.handlers if not isinstance(handler, Lines)]
    root.setLevel(level)
    structlog.configure(**kept)
