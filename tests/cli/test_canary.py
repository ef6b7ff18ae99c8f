"""Canaries in every material and format: none leaves, and one that does is found."""

import runpy
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyarrow import parquet

from publius.cli.frame import run

SCRIPT = Path(__file__).parents[2] / "scripts" / "canary_run.py"
CANARY: dict[str, Any] = runpy.run_path(str(SCRIPT))
CASES = {case.name: case for case in CANARY["CASES"]}
ROWS = 40


@pytest.mark.slow
@pytest.mark.parametrize("name", CASES)
def test_no_canary_leaves(
    name: str,
    tmp_path: Path,
    capfd: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PUBLIUS_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("TMPDIR", str(tmp_path))

    def in_this_process(arguments: list[str], _: Path) -> tuple[int, bytes]:
        capfd.readouterr()
        code = run(arguments)
        said = capfd.readouterr()
        return code, (said.out + said.err).encode()

    found = CANARY["run_case"](CASES[name], ROWS, tmp_path, in_this_process)
    assert found["code"] == 0, found
    assert found["leaks"] == []
    assert (tmp_path / "out" / "manifest.json").is_file()


def test_a_canary_that_leaves_is_found(tmp_path: Path) -> None:
    for kind in ("parquet", "csv", "tsv", "jsonl", "csv.gz", "txt"):
        CANARY["write_input"](tmp_path, kind, CANARY["make_rows"]("text", 3))
    for kind in ("geojson", "parquet"):
        CANARY["write_input"](tmp_path, kind, CANARY["make_rows"]("places", 3))
    plain = tmp_path / "plain.parquet"
    noted = pa.table({"x": [1]}).replace_schema_metadata({"a": "zyxq"})
    parquet.write_table(noted, plain)
    (tmp_path / "date.html").write_text("1977-03-31")
    found = CANARY["leaks"](tmp_path, b"", ())
    assert {path.name for path in tmp_path.iterdir()} <= set(found)
    assert CANARY["leaks"](tmp_path, b"Zyxqinska", (tmp_path,)) == ["printed"]


def test_what_holds_no_canary_is_cleared(tmp_path: Path) -> None:
    parquet.write_table(pa.table({"x": ["people"]}), tmp_path / "x.parquet")
    assert CANARY["leaks"](tmp_path, b"3 rows", ()) == []
