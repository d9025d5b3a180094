"""Compile what an image's processes import, by the image's own Python: `/opt/trivium/bin/python compile_imported.py`.

Whoever runs an image cannot write into it: what is not compiled here, every process that imports it compiles anew. That
is what all modules of our packages bring, and packages that load their own parts by name (`BY_NAME`). Of most libraries
more than half is never imported.
"""

import pkgutil
import py_compile
import sys
from contextlib import suppress
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

BY_NAME = ("PIL", "amqp", "billiard", "celery", "kombu", "vine")


def main() -> None:
    """Writes `__pycache__`. Raises what importing a module of ours raises, unless an extra's library is absent."""
    sys.dont_write_bytecode = True  # files are compiled below, once they are known
    ours = [found.name for found in pkgutil.iter_modules() if found.name.startswith("trivium")]
    whole = {Path(import_module(name).__path__[0]) for name in ours}
    for name in ours:
        for module in pkgutil.walk_packages(import_module(name).__path__, f"{name}."):
            try:
                import_module(module.name)
            except ModuleNotFoundError as missing:
                if find_spec(str(missing.name).partition(".")[0]):  # it is there, and broken
                    raise
    for name in BY_NAME:
        with suppress(ImportError):
            whole.add(Path(import_module(name).__path__[0]))
    imported = {Path(module.__file__) for module in [*sys.modules.values()] if getattr(module, "__file__", None)}
    files = {file for file in imported if file.is_relative_to(sys.prefix) and file.suffix == ".py"}
    for file in sorted(files.union(*(folder.rglob("*.py") for folder in whole))):
        py_compile.compile(str(file), doraise=True, invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH)


if __name__ == "__main__":
    main()
