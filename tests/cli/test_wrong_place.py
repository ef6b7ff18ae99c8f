"""A file or folder that is not what a command needs: what is wrong, and what to do."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyarrow import parquet

SMALL = ("--vocabulary", 300, "--epsilon", 3, "--seed", 1, "--workers", 1)
ROWS = [(f"the old house by the river {i}", f"u{i % 2}") for i in range(8)]


@pytest.fixture
def places(publius: Callable[..., Any]) -> None:
    """Make a folder of every kind, and files that are no tables."""
    lines = "\n".join(",".join(row) for row in ROWS)
    Path("in.csv").write_text(f"body,user\n{lines}\n")
    where = "\n".join(f"{i}.5,2.5,u{i % 2},mon" for i in range(8))
    Path("where.csv").write_text(f"lat,lon,user,day\n{where}\n")
    Path("many").mkdir()
    for name, part in (("a", ROWS[:5]), ("b", ROWS[5:])):
        lines = "\n".join(",".join(row) for row in part)
        Path(f"many/{name}.csv").write_text(f"body,user\n{lines}\n")
    common = ("--seed", 1, "--workers", 1)
    assert publius("release", "in.csv", *SMALL, "-o", "out").code == 0
    assert publius("release", "many", *SMALL, "-o", "parts").code == 0
    moved = ("places", "where.csv", "--radius", "1km", *common, "-o", "moved")
    assert publius(*moved).code == 0
    for name in ("empty", "begun/.partial", "two"):
        Path(name).mkdir(parents=True)
    for suffix in ("csv", "jsonl"):
        Path(f"two/data.{suffix}").write_text("x")
    Path("blob.bin").write_bytes(b"x")


@pytest.mark.usefixtures("places")
def test_what_holds_no_released_texts_is_told(publius: Callable[..., Any]) -> None:
    for released, said in (
        ("missing", "neither a file or folder here nor a column of the table"),
        ("missing/", "'missing/' does not exist"),
        ("deep/missing", "'deep/missing' does not exist"),
        ("empty", "holds no release: neither data.* nor parts/"),
        ("begun", "unfinished release; finish it with --resume"),
        ("two", "several tables: data.csv, data.jsonl; name one"),
        ("moved", "a release of places, not of texts; look at it with publius linkage"),
        ("moved/data.csv", "a release of places, not of texts"),
        ("blob.bin", "'blob.bin' is no table of released rows"),
        ("out/manifest.json", "'manifest.json' is no table of released rows"),
        ("where.csv", "the released table has no column 'body'"),
        ("body", "the column of the originals"),
    ):
        for words in (
            ("attack", "in.csv", "--text", "body", "--author", "user"),
            ("evaluate", "in.csv", "--text", "body", "--label", "user"),
        ):
            done = publius(*words, "--released", released)
            assert (done.code, done.err.count("\n")) == (1, 1), released
            assert said in done.err, released


@pytest.mark.usefixtures("places")
def test_the_originals_are_no_release(publius: Callable[..., Any]) -> None:
    done = publius("attack", "in.csv", "--author", "user", "--released", "body")
    assert (done.code, done.err.count("\n")) == (1, 1)
    assert "--released names the column of the originals" in done.err


@pytest.mark.usefixtures("places")
def test_what_holds_no_released_places_is_told(publius: Callable[..., Any]) -> None:
    for released, said in (
        ("missing", "neither a file or folder here nor two columns"),
        ("empty", "holds no release"),
        ("out", "a release of texts, not of places; look at it with publius attack"),
        ("blob.bin", "no table of released rows"),
    ):
        done = publius("linkage", "where.csv", "--user", "user", "--released", released)
        assert (done.code, done.err.count("\n")) == (1, 1), released
        assert said in done.err, released


@pytest.mark.usefixtures("places")
def test_a_release_in_parts_is_attacked(publius: Callable[..., Any]) -> None:
    how = ("--text", "body", "--author", "user", "--attack", "delta", "--static")
    for table in ("in.csv", "many"):
        for released in ("parts", "parts/parts"):
            done = publius("attack", table, *how, "--released", released, "--seed", 0)
            assert done.code == 0, done.err


@pytest.mark.usefixtures("places")
@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("release", "out", "-o", "o"), "2 of 3 files of the folder have no known"),
        (("audit", "--channel", "out", "--epsilon", 1), "'out' is a folder"),
        (("embeddings", "like", "e.vec", "--stop-words", "missing", "-o", "o"),
         "there is no list of words 'missing'"),
        (("embeddings", "train-poincare", "missing", "-o", "o.publius"),
         "cannot read missing: No such file or directory"),
        (("leakage", "missing"), "there is no file 'missing'"),
        (("compare", "missing", "--author", "a", "-o", "o"), "'missing' does not"),
        (("compare", "out", "--author", "a", "-o", "o"), "'out' is a folder"),
        (("run", "missing"), "'missing' does not exist"),
        (("run", "empty"), "no publius.toml in the folder 'empty'"),
        (("reproduce", "data-traits", "-o", "o", "--data", "missing"),
         "there is no folder 'missing'"),
        (("reproduce", "data-traits", "-o", "o", "--data", "empty"),
         "the folder 'empty' lacks it"),
        (("ledger", "show", "in.csv"), "'in.csv' is not a ledger"),
        (("ledger", "show", "out"), "'out' is a folder, not a ledger"),
        (("ledger", "show", "missing"), "there is no ledger 'missing'"),
        (("release", "in.csv", "-o", "o", "--ledger", "deep/a.db"),
         "the folder 'deep' does not exist"),
        (("release", "in.csv", "-o", "o", "--block", "missing"), "does not exist"),
        (("release", "in.csv", "-o", "o", "--block", "out"), "is a folder"),
    ],
)  # fmt: skip
def test_a_wrong_file_or_folder_is_named(
    publius: Callable[..., Any], words: tuple[Any, ...], said: str
) -> None:
    done = publius(*words)
    assert (done.code, done.err.count("\n")) == (1, 1)
    assert said in done.err
    assert not Path("o").exists()


def test_a_comparison_that_cannot_begin_leaves_no_folder(
    publius: Callable[..., Any],
) -> None:
    Path("in.csv").write_text("body,user\nthe old house,a\n")
    asked = ("compare", "in.csv", "--author", "user", "-o", "o")
    assert publius(*asked, "--text", "bdy").code == 1
    assert not Path("o").exists()


def test_a_file_without_a_suffix_is_read_as_it_is_told(
    publius: Callable[..., Any],
) -> None:
    Path("many").mkdir()
    for name in ("part-0", "part-1.parquet"):
        parquet.write_table(pa.table({"body": ["the old house"]}), f"many/{name}")
    assert publius("release", "many", *SMALL, "-o", "o").code == 1
    asked = ("--input-format", "parquet", *SMALL, "-o", "o")
    done = publius("release", "many", *asked)
    assert done.code == 0, done.err
    assert done.out.startswith("2 rows")
