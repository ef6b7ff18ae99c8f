"""Releases without the command line: in memory or in a folder, of every material."""

import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import publius as pb
from publius.core.errors import CancelledError, DataError, ParameterError
from publius.core.watch import Watch
from publius.engines.local import Local
from publius.engines.named import ENGINES

TEXTS = ["The people of the world.", "A city by the river.", None]
SMALL = {"vocabulary": 300, "seed": 1}


@pytest.mark.parametrize(
    "given",
    [
        TEXTS,
        np.array(TEXTS, dtype=object),
        pa.array(TEXTS),
        pd.Series(TEXTS, name="body"),
        pl.Series("body", TEXTS),
        pd.DataFrame({"body": TEXTS}),
        pl.DataFrame({"body": TEXTS}),
        pa.table({"body": TEXTS}),
        pa.RecordBatch.from_pydict({"body": TEXTS}),
    ],
    ids=lambda given: type(given).__module__ + "." + type(given).__name__,
)
def test_what_is_given_in_memory_comes_back_as_its_kind(given: object) -> None:
    done = pb.release(given, **SMALL)
    assert isinstance(done.data, type(given) | pa.ChunkedArray)
    assert len(done.data) == 3  # type: ignore[arg-type]
    assert done.out is None
    assert "river" not in repr(done)


PLACES = [(40.7, -74.0), (40.71, -74.01)]
TIMES = ["06:30", "07:15"]


@pytest.mark.parametrize("given", [PLACES, np.array(PLACES)], ids=["list", "array"])
def test_a_list_of_places_comes_back_as_one(given: object) -> None:
    moved = pb.release_places(given, 1, "200m", seed=1).data
    assert type(moved) is type(given)
    assert np.shape(moved) == (2, 2)  # type: ignore[arg-type]
    assert np.abs(np.array(moved) - PLACES).max() < 0.1
    with pytest.raises(DataError, match="rows of 2 values"):
        pb.release_places([1.0, 2.0], 1, "200m", seed=1)


@pytest.mark.parametrize(
    "given",
    [TIMES, np.array(TIMES), pd.Series(TIMES), np.array(TIMES, "U5").astype(object),
     np.array(["2020-01-01T06:30", "2020-01-01T07:15"], "M8[ns]")],
    ids=["list", "array", "series", "objects", "dates"],
)  # fmt: skip
def test_a_list_of_times_comes_back_as_one(given: object) -> None:
    moved = pb.release_times(given, "wake", 1, "30min", seed=1, is_local=True).data
    assert type(moved) is type(given)
    assert len(moved) == 2  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("given", "kind"), [(TEXTS, list), (pd.Series(TEXTS), pd.DataFrame),
                        (pa.array(TEXTS), pa.Table)]
)  # fmt: skip
def test_vectors_leave_with_their_counts(given: object, kind: type) -> None:
    vectors = pb.release(given, form="tf", length=5, **SMALL).data
    assert isinstance(vectors, kind)
    counts = vectors[1][1] if kind is list else vectors["text_counts"][1]  # type: ignore[index]
    total = sum(counts.as_py() if kind is pa.Table else counts)
    assert total == 5


def test_memory_and_file_draw_alike_under_one_seed(tmp_path: Path) -> None:
    file = tmp_path / "in.csv"
    pd.DataFrame({"body": TEXTS[:2]}).to_csv(file, index=False)
    first = pb.release(file, text="body", out=tmp_path / "out", **SMALL)
    kept = pd.read_parquet(tmp_path / "out" / "data.parquet")["body"].tolist()
    # Names of columns are part of what noise is derived from.
    held = pb.release(pd.Series(TEXTS[:2], name="body"), **SMALL)
    assert held.data.tolist() == kept  # type: ignore[attr-defined]
    manifest = json.loads((tmp_path / "out" / "manifest.json").read_text())
    assert json.loads(json.dumps(first.to_json())) == manifest


def test_files_leave_in_the_format_that_the_command_would_choose(
    tmp_path: Path,
) -> None:
    (tmp_path / "in.txt").write_text("A city by the river.\n")
    (tmp_path / "in.csv").write_text("wake\n06:30\n")
    pb.release(tmp_path / "in.txt", out=tmp_path / "lines", **SMALL)
    assert (tmp_path / "lines" / "data.txt").is_file()
    times = {"column": "wake", "level": 1.0, "radius": "30min", "seed": 1}
    pb.release_times(tmp_path / "in.csv", out=tmp_path / "times", **times)
    assert (tmp_path / "times" / "data.csv").is_file()
    pb.release_times(
        tmp_path / "in.csv", out=tmp_path / "asked", format="parquet", **times
    )
    assert (tmp_path / "asked" / "data.parquet").is_file()


def test_times_and_places_are_released_by_the_same_pipeline() -> None:
    times = pa.table({"wake": ["06:30", "23:59"]})
    done = pb.release_times(times, "wake", 1.0, "30min", seed=1)
    assert done.data.column_names == ["wake"]  # type: ignore[attr-defined]
    places = pd.DataFrame({"lat": [52.5], "lon": [13.4], "who": ["a"]})
    moved = pb.release_places(places, 1.0, "500m", keep=("who",), seed=1)
    assert list(moved.data.columns) == ["lat", "lon", "who"]  # type: ignore[attr-defined]


def test_a_folder_of_tables_is_released_into_memory(tmp_path: Path) -> None:
    for name in "ab":
        pd.DataFrame({"body": TEXTS}).to_parquet(tmp_path / f"{name}.parquet")
    done = pb.release(tmp_path, text="body", **SMALL)
    assert done.data.num_rows == 6  # type: ignore[attr-defined]


def test_an_engine_that_was_named_is_closed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    closed: list[object] = []

    @dataclass(frozen=True)
    class Noting(Local):
        def close(self) -> None:
            closed.append(self)

    monkeypatch.setitem(ENGINES, "spark", lambda **_: Noting())
    (tmp_path / "in.txt").write_text("A city by the river.\n")
    settings = {**SMALL, "out": tmp_path / "out"}
    pb.release(tmp_path / "in.txt", engine="spark", **settings)
    assert closed == [Noting()]


def test_what_makes_no_sense_without_a_folder_is_refused() -> None:
    with pytest.raises(ParameterError, match="out="):
        pb.release(TEXTS, format="csv")
    with pytest.raises(ParameterError, match="--evaluate"):
        pb.release(TEXTS, label="topic")
    with pytest.raises(ParameterError, match="out="):
        pb.release(TEXTS, show_examples=True)
    with pytest.raises(DataError, match="path"):
        pb.release(3)
    with pytest.raises(DataError, match="one value"):
        pb.release([{"text": "The people."}])


def test_what_the_command_can_be_asked_for_can_be_asked_here(tmp_path: Path) -> None:
    file, out = tmp_path / "in.csv", tmp_path / "out"
    file.write_text("body|who\nThe people.|=1+2\nA city.|ann\nA river.|bob\n")
    given = {"delimiter": "|", "keep": ("who",), "format": "csv", "out": out, **SMALL}
    pb.release(file, "body", limit=2, escapes=True, show_examples=True, **given)
    assert pd.read_csv(out / "data.csv")["who"].tolist() == ["'=1+2", "ann"]
    assert (out / "report-private.html").is_file()
    pb.release(file, "body", replaces=True, **given)
    assert len(pd.read_csv(out / "data.csv")) == 3


def test_a_generator_serves_in_place_of_a_seed() -> None:
    first, same, other = (
        pb.release(TEXTS, vocabulary=300, rng=pb.seeded(seed)) for seed in (1, 1, 2)
    )
    assert first.data == same.data != other.data
    assert not first.summary.is_secure
    for rng in (None, pb.secure()):
        assert pb.try_text("The people.", vocabulary=300, rng=rng).is_secure
    with pytest.raises(ParameterError, match="not both"):
        pb.release(TEXTS, rng=pb.seeded(1), seed=1)
    with pytest.raises(ParameterError, match="rng must be"):
        pb.release(TEXTS, rng=1)


def test_a_cancelled_release_leaves_what_ctrl_c_leaves(tmp_path: Path) -> None:
    stages: list[str] = []
    watch = Watch(stages.append, is_cancelled=lambda: "releasing" in stages)
    with pytest.raises(CancelledError):
        pb.release(TEXTS, out=tmp_path / "out", watch=watch, **SMALL)
    assert not (tmp_path / "out" / "manifest.json").exists()


def test_an_empty_name_is_not_the_current_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "in.csv").write_text("body\nthe river\n")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ParameterError, match="the name of the input is empty"):
        pb.release("", "body", out="out", **SMALL)
    assert not (tmp_path / "out").exists()
