"""What is said of a release beforehand is what its release says afterwards."""

import csv
import math
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pytest
from pyarrow import parquet

from publius.core.config import WordSettings
from publius.core.errors import ParameterError
from publius.pipeline import ReleaseRequest, check
from publius.pipeline.release import AnySettings
from publius.services.plan import Plan, plan
from publius.tables.columns import Columns

SMALL = WordSettings(vocabulary=60)
TEXTS = [("ann", "people of the world"), ("bob", "people"), ("ann", "world")]
ROWS = 900


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "in.csv"
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["user", "body"])
        writer.writerows(TEXTS * (ROWS // 3))
    return path


def asked(path: Path, **others: object) -> ReleaseRequest[AnySettings]:
    request: ReleaseRequest[AnySettings] = ReleaseRequest(
        str(path), path.parent / "out", Columns(("body",), "user"), SMALL
    )
    return replace(request, **others)  # type: ignore[arg-type]


def test_a_small_input_is_counted_as_a_dry_run_counts_it(table: Path) -> None:
    made, checked = plan(asked(table)), check(asked(table))
    seen = checked.exposure
    assert made.sample.is_whole
    assert (made.rows, made.words, made.promises) == (ROWS, seen.words, seen.busiest)
    losses = checked.summary.to_json()["losses"]
    assert isinstance(losses, dict)
    assert made.loss == losses["busiest_author"]
    assert not (table.parent / "out").exists()


def test_without_subjects_the_longest_text_is_most_exposed(table: Path) -> None:
    made = plan(asked(table, columns=Columns(("body",))))
    assert made.promises == check(asked(table)).exposure.longest


def test_a_large_input_is_scaled_from_its_beginning(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows, path = 120_000, tmp_path / "in.parquet"
    whole = pa.table({"user": ["ann", "bob"] * (rows // 2), "body": ["world"] * rows})
    parquet.write_table(whole, path, row_group_size=4096)
    monkeypatch.setattr(sample_room(), "COUNTED_BYTES", path.stat().st_size // 2)
    made = plan(asked(path), engine="spark")
    seen = made.sample.exposure
    assert seen.rows < rows // 2
    assert made.rows == pytest.approx(rows, rel=0.02)
    assert made.words == pytest.approx(rows, rel=0.02)
    assert made.promises == pytest.approx(rows / 2, rel=0.02)
    assert made.to_json()["is_counted"] is False
    assert plan(asked(path), engine="spark", whole=True).rows == rows


def sample_room() -> object:
    return __import__("publius.pipeline.sample", fromlist=["sample"])


def made_of(table: Path, **others: object) -> Plan:
    """Return a plan whose sample is scaled to a million rows, of known seconds."""
    made = plan(asked(table), engine="ray")
    drawn = replace(made.sample.drawn, rows=900, words=1500, seconds=1.0, writing=0.5)
    taken = replace(
        made.sample, total=90_000, reading=0.1, start=2.0, part=9_000, drawn=drawn
    )
    return replace(made, sample=taken, **others)  # type: ignore[arg-type]


def test_time_falls_with_workers_until_every_part_has_one(table: Path) -> None:
    seconds = [made_of(table, workers=n).seconds for n in (1, 3, 5, 10, 11, 100)]
    assert seconds == sorted(seconds, reverse=True)
    assert seconds[-1] == seconds[-2] == seconds[-3]
    one = made_of(table, workers=1)
    assert one.seconds == pytest.approx(2.0 + one.work)
    # Ten parts on three workers: one of them has four.
    three, read = made_of(table, workers=3), 0.1 * 100
    rest = three.work - 2 * read
    assert three.seconds == pytest.approx(2.0 + read + (read + rest) * 0.4)


def test_one_table_is_not_read_faster_than_one_process_reads(table: Path) -> None:
    many = made_of(table, workers=10_000, is_in_parts=False)
    assert many.seconds > 2.0 + 0.1 * 100


def test_a_slow_mechanism_is_measured_on_fewer_rows(
    table: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sample_room(), "_DRAWING_S", 0.0)
    made = plan(asked(table))
    assert made.sample.drawn.rows == 64
    assert made.rows == ROWS


def test_an_empty_table_has_a_plan(tmp_path: Path) -> None:
    (tmp_path / "in.csv").write_text("user,body\n")
    made = plan(asked(tmp_path / "in.csv"))
    assert (made.rows, made.words, made.promises, made.loss) == (0, 0, 0, 0.0)
    assert made.words_per_second is None
    assert math.isfinite(made.seconds)


def test_standard_input_is_refused(table: Path) -> None:
    with pytest.raises(ParameterError, match="standard input"):
        plan(replace(asked(table), path="-"))
