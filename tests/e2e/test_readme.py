"""README.md is a tutorial: what it shows is what `make run` prints, and every command that it gives works."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
from collections.abc import Iterator

import msgspec
import pytest
from site_peer import SitePeer, html, serving
from tutorials import Reader, block
from waiting import wait_until

from .conftest import EXAMPLES, PATIENCE

END_OF_TOUR = "Ask your own:"
TOUR_S = 200.0


def each(line: str) -> list[str]:
    """`--mode a|b` is a line for each."""
    choice = re.search(r"(?<= )\w+(\|\w+)+", line)
    return [line.replace(choice[0], one) for one in choice[0].split("|")] if choice else [line]


OWN = [one for line in block("README.md", "Your own documents", ". .venv") for one in each(line)]
# of grpcurl: test_doors_grpc
HTTP = [line for line in block("README.md", "Your own documents", "curl") if line.startswith("curl")]


class Toured(msgspec.Struct, frozen=True):
    """What the tour printed, and who goes on beside it."""

    printed: str
    url: str
    reader: Reader

    def run(self, line: str) -> str:
        return self.reader.run(line)


@pytest.fixture(scope="module")
def toured(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Toured]:
    folder = tmp_path_factory.mktemp("reader")
    (folder / "papers").mkdir()
    shutil.copy(EXAMPLES / "files" / "people.html", folder / "papers")
    shutil.copy(EXAMPLES / "files" / "annual-report-2023.pdf", folder / "report.pdf")
    shutil.copy(EXAMPLES / "files" / "inspection-letter-scan.pdf", folder / "scan.pdf")
    ours = {name: value for name, value in os.environ.items() if not name.startswith("TRIVIUM_")}
    settings = {"TRIVIUM_DATA_DIR": str(folder / "data"), "TRIVIUM_URL_ALLOW": "127.0.0.1"}
    ports = {"TRIVIUM_HTTP_PORT": "0", "TRIVIUM_GRPC_PORT": "0"}
    output = folder / "printed"
    with output.open("wb") as file:
        tour = subprocess.Popen(
            [EXAMPLES / "tour.sh"],
            env=ours | settings | ports | PATIENCE,
            stdout=file,
            stderr=file,
            start_new_session=True,
        )
    try:
        wait_until(
            lambda: tour.poll() is not None or END_OF_TOUR in output.read_text(),
            "the tour has asked its questions",
            limit_s=TOUR_S,
            told=output.read_text,
        )
        printed = output.read_text()
        url = re.search(r"^HTTP  (\S+)", printed, re.M)
        assert url, printed
        yield Toured(printed, url[1], Reader(folder, ours | settings | {"HOME": str(folder)}))
    finally:
        os.killpg(tour.pid, signal.SIGTERM)
        tour.wait(30)


def test_the_tour_prints_what_the_readme_shows(toured: Toured) -> None:
    shown = block("README.md", "Two commands", "HTTP")
    assert len([line for line in shown if line.startswith("$ trivium ask")]) == 2
    unread = toured.printed
    for line in shown:
        pattern = re.sub(r":(8080|9090)\b", r":\\d+", re.escape(line))
        pattern = re.sub(r"\d+\\\.\d+\\ s\\\.", r"[\\d.]+\\ s\\.", pattern)
        if line == "...":
            continue
        found = re.search(f"^{pattern}$", unread, re.M)
        assert found, f"{line!r} is not printed, or not there:\n{toured.printed}"
        unread = unread[found.end() :]


def test_the_commands_for_documents_of_ones_own(toured: Toured) -> None:
    page = html("<h1>Vellan Light</h1><p>Vellan Light was built in 1847.</p>")
    site = SitePeer({"/": page, "/robots.txt": b"User-agent: *\nDisallow: /private/"})
    with serving(site) as address:
        said = {line: toured.run(line.replace("https://example.org", address)) for line in OWN}
    assert len(said) > 18
    assert site.sent == ["/robots.txt", "/"]
    assert "Ilse Brandt" in said['trivium graph show "Ilse Brandt"']
    assert "report.pdf" in said["trivium documents"]
    assert "inspection" in said["trivium parse scan.pdf"].lower()
    assert "report.pdf" not in toured.run("trivium documents")
    silent = [line for line, output in said.items() if line.startswith("trivium") and not output.strip()]
    assert silent == []


def test_the_requests_over_http(toured: Toured) -> None:
    taken, *others = [line.replace("localhost:8080", toured.url) for line in HTTP]
    source = msgspec.json.decode(toured.run(taken))["id"]
    wait_until(lambda: '"ready"' in toured.run(f"curl {toured.url}/v1/sources/{source}"), "it is ready")
    said = [toured.run(re.sub(r"(highlight|unit)=3", r"\1=1", line).replace("ID", source)) for line in others]
    assert (toured.reader.folder / "page.png").read_bytes().startswith(b"\x89PNG")
    assert "<html" in said[1]
    assert msgspec.json.decode(said[2])["text"]
