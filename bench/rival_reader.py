"""Read files with another library and print a JSON line for each: `{file, seconds, text, error}`.

Runs in that library's own environment (see `rivals.py`): `python rival_reader.py LIBRARY FILE...`. The first file is
read twice and only the second time counts, so that loading code is nobody's time.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable


def markitdown() -> Callable[[str], str]:
    from markitdown import MarkItDown

    reader = MarkItDown(enable_plugins=False)
    return lambda path: reader.convert_local(path).text_content


def kreuzberg() -> Callable[[str], str]:
    from kreuzberg import ExtractionConfig, extract_file_sync

    config = ExtractionConfig(use_cache=False)
    return lambda path: extract_file_sync(path, config=config).content


def unstructured() -> Callable[[str], str]:
    """Its sentences come from a blank spaCy pipeline: it would download one, which only names kinds of elements."""
    import spacy
    from unstructured.nlp import tokenize

    blank = spacy.blank("en")
    blank.add_pipe("sentencizer")
    tokenize._load_spacy_model = lambda: blank
    from unstructured.partition.auto import partition

    return lambda path: "\n".join(str(element) for element in partition(path, strategy="fast"))


LIBRARIES = {"markitdown": markitdown, "kreuzberg": kreuzberg, "unstructured": unstructured}


def main() -> None:
    read = LIBRARIES[sys.argv[1]]()
    files = sys.argv[2:]
    for path in (files[0], *files):
        began = time.perf_counter()
        text, error = "", ""
        try:
            text = read(path)
        except Exception as failure:  # noqa: BLE001 - whatever it trips over is its outcome
            error = f"{type(failure).__name__}: {failure}"[:200]
        line = {"file": path, "seconds": time.perf_counter() - began, "text": text, "error": error}
        sys.stdout.write(json.dumps(line) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
