"""What is said of a release beforehand is what its release says afterwards."""

import csv
import json
import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

from publius.core.arrays import Rng
from publius.core.config import WordSettings
from publius.core.errors import ParameterError
from publius.pipeline import (
    PlaceSettings,
    ReleaseRequest,
    TimeSettings,
    check,
    release,
)
from publius.pipeline.release import AnySettings
from publius.retelling import assemble
from publius.retelling.settings import RetellSettings
from publius.services.plan import CLUSTERS, REST, Plan, plan
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
    assert (made.rows, made.words, made.guarantees) == (ROWS, seen.words, seen.busiest)
    losses = checked.summary.to_json()["losses"]
    assert isinstance(losses, dict)
    assert made.loss == losses["busiest_author"]
    assert not (table.parent / "out").exists()


def test_without_subjects_the_longest_text_is_most_exposed(table: Path) -> None:
    made = plan(asked(table, columns=Columns(("body",))))
    assert made.guarantees == check(asked(table)).exposure.longest


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
    assert made.guarantees == pytest.approx(rows / 2, rel=0.02)
    assert made.to_json()["is_counted"] is False
    assert plan(asked(path), engine="spark", whole=True).rows == rows


def sample_room() -> object:
    return __import__("publius.pipeline.sample", fromlist=["sample"])


def made_of(table: Path, **others: object) -> Plan:
    """Return a plan whose sample is scaled to a million rows, of known seconds."""
    made = plan(asked(table), engine="ray")
    known = {"seconds": 1.0, "later": 1 / 1500, "writing": 0.5, "keeping": 0.25}
    drawn = replace(made.sample.drawn, rows=900, words=1500, **known)
    taken = replace(
        made.sample,
        total=90_000, reading=0.1, start=2.0, part=9_000, drawn=drawn, reporting=0.0,
    )  # fmt: skip
    return replace(made, sample=taken, **others)  # type: ignore[arg-type]


def test_time_falls_with_workers_until_every_part_has_one(table: Path) -> None:
    seconds = [made_of(table, workers=n).seconds for n in (1, 3, 5, 10, 11, 100)]
    assert seconds == sorted(seconds, reverse=True)
    assert seconds[-1] == seconds[-2] == seconds[-3]
    one = made_of(table, workers=1)
    cluster = CLUSTERS["ray"][1]
    assert one.seconds == pytest.approx(2.0 + REST + cluster + one.work)
    # Ten parts on three workers: one of them has four.
    three, read = made_of(table, workers=3), 0.1 * 100
    rest = three.work - 2 * read
    whole = cluster + read + (read + rest) * 0.4
    assert three.seconds == pytest.approx(2.0 + REST + whole)


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


def test_what_is_met_for_the_first_time_is_not_met_again(table: Path) -> None:
    made = made_of(table)
    usual = made.sample.drawn
    seldom = replace(usual, seconds=2.0, later=1 / 1500)
    less = replace(made, sample=replace(made.sample, drawn=seldom))
    # Twice as long for the first words, as long as before for all others.
    assert less.work == pytest.approx(made.work + 1.0)
    assert less.spans["cpu_seconds"][1] > 1.9 * made.work


def test_processes_start_and_the_report_is_written(table: Path) -> None:
    made = made_of(table, workers=4, booting=0.5)
    slow = replace(made, sample=replace(made.sample, reporting=3.0))
    # Four workers and the driver start, and prepare, on a processor each.
    cluster = CLUSTERS["ray"][0]
    assert made.cpu_seconds == pytest.approx(made.work + 5 * 2.5 + REST + cluster)
    assert slow.cpu_seconds == pytest.approx(made.cpu_seconds + 3.0)
    assert slow.seconds == pytest.approx(made.seconds + 3.0)


def test_a_cluster_takes_what_was_measured_and_others_are_unknown(table: Path) -> None:
    path = Path(__file__).parents[3] / "docs" / "measurements" / "plan.json"
    measured = json.loads(path.read_text("utf-8"))["clusters"]
    for name, taken in CLUSTERS.items():
        assert taken == (measured[name]["cpu_s"], measured[name]["wall_s"])
    made = made_of(table, workers=2)
    here, theirs = (replace(made, engine=name) for name in ("local", "theirs"))
    assert made.cpu_seconds - here.cpu_seconds == pytest.approx(CLUSTERS["ray"][0])
    assert made.seconds - here.seconds == pytest.approx(CLUSTERS["ray"][1])
    assert theirs.to_json()["cluster_seconds"] is None


def test_what_was_counted_has_no_interval(table: Path) -> None:
    made = plan(asked(table))
    spans = made.spans
    assert spans["rows"] == (made.rows, made.rows)
    assert spans["protected_words"] == (made.words, made.words)
    assert spans["guarantees"] == (made.guarantees, made.guarantees)
    assert spans["cpu_seconds"][0] < made.cpu_seconds < spans["cpu_seconds"][1]


def partly(
    users: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> tuple[Plan, int]:
    """Return a plan of which about half was counted, and the truth about rows."""
    rng = np.random.default_rng(1)
    bodies = ["world " * int(rng.integers(1, 9)) for _ in users]
    path = tmp_path / "in.parquet"
    whole = pa.table({"user": users, "body": bodies})
    parquet.write_table(whole, path, row_group_size=4096)
    monkeypatch.setattr(sample_room(), "COUNTED_BYTES", path.stat().st_size // 2)
    return plan(asked(path)), sum(map(len, map(str.split, bodies)))


def test_intervals_hold_what_lies_in_no_order(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(2)
    users = ["ann" if rng.random() < 0.1 else f"u{rng.random()}" for _ in range(99_999)]
    made, words = partly(users, tmp_path, monkeypatch)
    spans = made.spans
    assert not made.sample.is_whole
    assert spans["rows"][0] <= len(users) <= spans["rows"][1]
    assert spans["protected_words"][0] <= words <= spans["protected_words"][1]
    own = plan(asked(tmp_path / "in.parquet"), whole=True).guarantees
    assert spans["guarantees"][0] <= own <= spans["guarantees"][1]
    assert spans["guarantees"][1] < 1.3 * own


def test_rows_that_lie_together_make_the_interval_wide(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    users = ["ann"] * 20_000 + [f"u{n}" for n in range(80_000)]
    made, _ = partly(users, tmp_path, monkeypatch)
    least, most = made.spans["guarantees"]
    own = plan(asked(tmp_path / "in.parquet"), whole=True).guarantees
    # All of her rows were seen; scaled, there would be twice as many.
    assert least == own < made.guarantees
    assert most > 2 * own


@pytest.mark.parametrize(
    ("settings", "columns"),
    [
        (TimeSettings(level=2.0, radius=1800), ("wake",)),
        (PlaceSettings(level=2.0, radius=200.0), ("lat", "lon")),
    ],
)
def test_times_and_places_have_a_plan(
    tmp_path: Path, settings: AnySettings, columns: tuple[str, ...]
) -> None:
    path = tmp_path / "in.parquet"
    rows = {"wake": ["07:00"] * 90, "lat": [52.5] * 90, "lon": [13.4] * 90}
    parquet.write_table(pa.table({**rows, "user": ["ann", "bob", "ann"] * 30}), path)
    asked_for = asked(path, settings=settings, columns=Columns(columns, "user"))
    made = plan(asked_for)
    assert (made.rows, made.words, made.guarantees) == (90, 90, 60)
    assert not made.is_of_words
    assert made.near_loss == pytest.approx(120.0)
    assert made.loss > made.near_loss
    done = release(asked_for)
    assert done.exposure.busiest == made.guarantees
    assert json.loads(json.dumps(made.to_json()))["most_exposed"]["near_loss"] == 120.0


def test_an_empty_table_has_a_plan(tmp_path: Path) -> None:
    (tmp_path / "in.csv").write_text("user,body\n")
    made = plan(asked(tmp_path / "in.csv"))
    assert (made.rows, made.words, made.guarantees, made.loss) == (0, 0, 0, 0.0)
    assert made.words_per_second is None
    assert math.isfinite(made.seconds)


def test_standard_input_is_refused(table: Path) -> None:
    with pytest.raises(ParameterError, match="standard input"):
        plan(replace(asked(table), path="-"))


class Slow:
    """Writes the released words, and counts the passages."""

    name = "slow"

    def __init__(self) -> None:
        self.passages = 0

    def write(self, passages: Sequence[Sequence[str]], rng: Rng) -> list[str]:
        rng.random()
        self.passages += len(passages)
        return [" ".join(words) for words in passages]


@pytest.fixture
def writer(monkeypatch: pytest.MonkeyPatch) -> Slow:
    made = Slow()
    monkeypatch.setattr(assemble, "writer_of", lambda _: made)
    return made


@pytest.mark.slow
@pytest.mark.parametrize(("words", "unit"), [(None, "words"), (5, "texts")])
def test_a_retelling_is_planned_as_it_is_released(
    table: Path, writer: Slow, words: int | None, unit: str
) -> None:
    asked_for = asked(table, settings=RetellSettings(words=words))
    made = plan(asked_for)
    assert 64 <= writer.passages <= 64 + 4  # of texts of one passage or none
    assert made.unit == unit
    done = release(asked_for)
    told = done.to_json()["losses"]
    assert isinstance(told, dict)
    assert made.rows == ROWS
    assert made.guarantees == done.exposure.busiest
    assert made.loss == told["busiest_author"]
    assert made.sample.drawn.rows == 64


@pytest.mark.slow
def test_a_slow_writer_writes_a_few_rows(
    table: Path, writer: Slow, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sample_room(), "_DRAWING_S", 0.0)
    made = plan(asked(table, settings=RetellSettings()))
    assert made.sample.drawn.rows == 4
    assert writer.passages <= 8


@pytest.mark.slow
def test_rows_add_nothing_to_the_memory_of_a_writer(
    table: Path, writer: Slow, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The model's share was multiplied by the rows: 16 GB instead of 0.8."""
    peaks = iter([500, 800, 800, 800])
    monkeypatch.setattr(sample_room(), "_peak", lambda: next(peaks))
    assert plan(asked(table, settings=RetellSettings())).sample.memory == 800
    assert writer.passages


def test_one_writer_uses_the_processors_that_are_there(table: Path) -> None:
    one = made_of(table, workers=1, engine="local", is_in_parts=False)
    two = replace(one, sample=replace(one.sample, threads=2))
    assert two.cpu_seconds == one.cpu_seconds
    assert two.seconds < one.seconds
    assert replace(two, workers=3).seconds == replace(one, workers=3).seconds


def test_a_server_is_not_measured(table: Path) -> None:
    settings = RetellSettings(server="http://localhost:1")
    with pytest.raises(ParameterError, match="another program writes"):
        plan(asked(table, settings=settings))
