"""Trivium's client for programs: `TriviumClient`, and `AsyncTriviumClient` for those that run an event loop.

`trivium_client.langchain`, `.llama_index` and `.haystack` are what those frameworks take, each an extra.
"""

from __future__ import annotations

from trivium.async_client import AsyncTriviumClient
from trivium.client import TriviumClient
from trivium.domain.errors import TriviumError
from trivium.retrying import Retries
from trivium.within import Within

__all__ = ["AsyncTriviumClient", "Retries", "TriviumClient", "TriviumError", "Within"]
