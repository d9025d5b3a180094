"""Read files with another library and print a JSON line for each: `{file, first_s, again_s, cpu_s, text, error}`.

Runs in that library's own environment (see `rivals.py`): `python rival_reader.py READER FILE...`. All files are read
once, then all once more: the first time holds the loading of what a format needs, the second only the reading.
`cpu_s` is the processor time of the second, all threads.
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


def kreuzberg(**options: object) -> Callable[[str], str]:
    """By default it gives plain text."""
    from kreuzberg import ExtractionConfig, extract_file_sync

    config = ExtractionConfig(use_cache=False, **options)
    return lambda path: extract_file_sync(path, config=config).content


def kreuzberg_structure() -> Callable[[str], str]:
    """Markdown, pages, and its tree of headings, paragraphs and tables."""
    from kreuzberg import PageConfig

    pages = PageConfig(extract_pages=True)
    return kreuzberg(output_format="markdown", include_document_structure=True, pages=pages)


def unstructured() -> Callable[[str], str]:
    """Its sentences come from a blank spaCy pipeline: it would download one, which only names kinds of elements."""
    import spacy
    from unstructured.nlp import tokenize

    blank = spacy.blank("en")
    blank.add_pipe("sentencizer")
    tokenize._load_spacy_model = lambda: blank
    from unstructured.partition.auto import partition

    return lambda path: "\n".join(str(element) for element in partition(path, strategy="fast"))


READERS = {
    "markitdown": markitdown,
    "kreuzberg": kreuzberg,
    "kreuzberg-structure": kreuzberg_structure,
    "unstructured": unstructured,
}


def main() -> None:
    read = READERS[sys.argv[1]]()
    first = [_timed(read, path) for path in sys.argv[2:]]
    again = [_timed(read, path) for path in sys.argv[2:]]
    for path, (first_s, *_), (again_s, cpu_s, text, error) in zip(sys.argv[2:], first, again, strict=True):
        line = {"file": path, "first_s": first_s, "again_s": again_s, "cpu_s": cpu_s, "text": text, "error": error}
        sys.stdout.write(json.dumps(line) + "\n")


def _timed(read: Callable[[str], str], path: str) -> tuple[float, float, str, str]:
    began, spent = time.perf_counter(), time.process_time()
    text, error = "", ""
    try:
        text = read(path)
    except Exception as failure:  # noqa: BLE001 - whatever it trips over is its outcome
        error = f"{type(failure).__name__}: {failure}"[:200]
    return time.perf_counter() - began, time.process_time() - spent, text, error


if __name__ == "__main__":
    main()
