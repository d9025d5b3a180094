from pathlib import Path

import pytest
from click.testing import CliRunner

from trivium.cli.main import cli


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["--questions", "5"], "add --answers"),
        (["--json", "lines.jsonl"], "add --answers"),
        (["--answers", "--run-dir", "runs"], "leave out --answers"),
    ],
)
def test_an_option_of_the_other_measurement_is_refused_with_what_to_do(tmp_path: Path, options: list[str], told: str):
    done = CliRunner().invoke(cli, ["eval", str(tmp_path), *options])
    assert done.exit_code == 2
    assert told in done.output


def test_a_broken_line_is_named_before_anything_is_ingested(tmp_path: Path):
    (tmp_path / "corpus.jsonl").write_text('{"id": "a", "text": "first"}\n{"id": 1}\n')
    (tmp_path / "queries.jsonl").write_text('{"id": "q", "question": "?", "answer": "a"}\n')
    done = CliRunner().invoke(cli, ["eval", str(tmp_path), "--answers"])
    assert done.exit_code != 0
    assert "corpus.jsonl, line 2" in done.output + str(done.exception)
