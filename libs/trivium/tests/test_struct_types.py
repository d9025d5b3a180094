"""Struct types are ready before threads decode into them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from trivium.struct_types import prepare_struct_types

# The interpreter changes threads at every step, and types are new in each round: what happens once in many starts.
RACE = """
from __future__ import annotations
import sys, threading, msgspec
from trivium.struct_types import prepare_struct_types

FIELDS = "".join(f"    f{number}: int = 0\\n" for number in range(8))

def fresh(round):
    source, inner = "from __future__ import annotations\\nimport msgspec\\n", ""
    for depth in range(6):
        name = f"S{round}_{depth}"
        source += f"class {name}(msgspec.Struct):\\n{FIELDS}"
        source += f"    inner: {inner} | None = None\\n    many: list[{inner}] = []\\n" if inner else ""
        inner = name
    module = sys.modules["made"] = type(sys)("made")
    exec(source, module.__dict__)
    return module.__dict__[inner]

sys.setswitchinterval(1e-6)
body = msgspec.msgpack.encode({"inner": {"inner": {"f1": 1}}, "many": [{"inner": {"many": [{"f2": 2}]}}]})
for round in range(int(sys.argv[1])):
    kind, barrier = fresh(round), threading.Barrier(4)
    if sys.argv[2] == "prepared":
        prepare_struct_types()
    def decode():
        barrier.wait()
        msgspec.msgpack.decode(body, type=kind)
    threads = [threading.Thread(target=decode) for _ in range(4)]
    for thread in threads: thread.start()
    for thread in threads: thread.join()
"""


def test_threads_that_decode_into_a_new_type_do_not_crash(tmp_path: Path) -> None:
    script = tmp_path / "race.py"
    script.write_text(RACE)
    ran = subprocess.run([sys.executable, script, "60", "prepared"], capture_output=True, text=True, check=False)
    assert (ran.returncode, ran.stderr) == (0, "")


class Late(msgspec.Struct):
    """Imported after the others were prepared."""

    number: int


def test_nothing_is_left_to_work_out_at_the_first_use(monkeypatch: pytest.MonkeyPatch) -> None:
    prepare_struct_types()

    def refuse(_: object) -> None:
        raise AssertionError("it is worked out only now")

    monkeypatch.setattr("msgspec._utils._get_class_annotations", refuse)
    assert msgspec.msgpack.decode(msgspec.msgpack.encode({"number": 3}), type=Late) == Late(3)
    prepare_struct_types()  # nothing twice
