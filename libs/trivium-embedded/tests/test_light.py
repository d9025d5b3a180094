"""What a server holds in memory before anybody has asked for anything."""

from __future__ import annotations

import subprocess
import sys


def test_a_server_loads_no_library_for_what_few_ask_of_it() -> None:
    code = "import sys, trivium_embedded.server\nprint(*sys.modules)"
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    loaded = set(shown.stdout.split())
    assert "trivium_query.export.formats" in loaded
    assert not {"cryptography", "jwt", "pyoxigraph"} & loaded
