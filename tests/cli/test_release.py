"""publius release from input to report, in every format and form."""

import gzip
import hashlib
import json
import sys
from collections.abc import Callable
from io import BytesIO, TextIOWrapper
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyarrow import csv, parquet

from publius.embeddings.catalogue import load_embedding
from publius.tables.columns import Columns
from publius.tables.read import open_source

ROWS = ["The people said: vote!", "the Government of the world", "", "qwertz 👍 people"]
SMALL = ("--vocabulary", 100, "--seed", 7)
WORDS = set(load_embedding("glove-50k", 100).vocabulary.words)


def table() -> pa.Table:
    return pa.table(
        {"id": [1, 2, 3, 4], "body": ROWS, "user": ["u1", "u2", "u1", "u1"]}
    )


def write(folder: Path, kind: str) -> Path:
    path = folder / f"in.{kind}"
    if kind == "parquet":
        parquet.write_table(table(), path)
    elif kind in ("csv", "tsv"):
        options = csv.WriteOptions(delimiter="," if kind == "csv" else "\t")
        csv.write_csv(table(), path, options)
    elif kind == "jsonl":
        path.write_text("".join(json.dumps(r) + "\n" for r in table().to_pylist()))
    elif kind == "txt":
        path.write_text("".join(row + "\n" for row in ROWS))
    else:
        path.mkdir()
        for number, row in enumerate(ROWS):
            (path / f"{number}.txt").write_text(row)
    return path


def read(path: Path) -> list[Any]:
    """Return the first column of a released table."""
    if path.suffix == ".parquet":
        return parquet.read_table(path).column(0).to_pylist()
    if path.suffix == ".jsonl":
        return [
            next(iter(json.loads(line).values()))
            for line in path.read_text().split("\n")[:-1]
        ]
    if path.suffix == ".txt":
        return path.read_text().removesuffix("\n").split("\n")
    delimiter = "," if path.suffix == ".csv" else "\t"
    parsed = csv.read_csv(
        path,
        parse_options=csv.ParseOptions(delimiter=delimiter, newlines_in_values=True),
        convert_options=csv.ConvertOptions(strings_can_be_null=False),
        read_options=csv.ReadOptions(),
    )
    return parsed.column(0).to_pylist()


def data(folder: Path) -> Path:
    """Return the released table of a folder; lines stay lines where none is asked."""
    (path,) = folder.glob("data.*")
    return path


KINDS = ["csv", "tsv", "jsonl", "parquet", "txt", "folder"]


@pytest.mark.parametrize("kind", KINDS)
def test_every_input_as_text_in_its_own_format(
    publius: Callable[..., Any], tmp_path: Path, kind: str
) -> None:
    done = publius(
        "release", write(tmp_path, kind), "-o", "out", "--format", "same", *SMALL
    )
    assert done.code == 0, done.err
    suffix = "parquet" if kind == "folder" else kind
    released = read(tmp_path / "out" / f"data.{suffix}")
    assert len(released) == 4
    assert released[0].startswith("The ")
    assert released[0].endswith("!")
    assert not released[2]
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == [
        f"data.{suffix}",
        "manifest.json",
        "report.html",
    ]


@pytest.mark.parametrize("kind", KINDS)
def test_all_inputs_give_the_same_texts(
    publius: Callable[..., Any], tmp_path: Path, kind: str
) -> None:
    # The name of the column belongs to what the noise is derived from.
    unnamed = {"txt": "folder", "folder": "txt"}
    publius("release", write(tmp_path, kind), "-o", "one", *SMALL)
    publius(
        "release",
        write(tmp_path, unnamed.get(kind, "csv" if kind != "csv" else "tsv")),
        "-o",
        "two",
        *SMALL,
    )
    assert read(data(tmp_path / "one")) == read(data(tmp_path / "two"))


@pytest.mark.parametrize("kind", KINDS)
def test_bags_hold_exactly_the_asked_words(
    publius: Callable[..., Any], tmp_path: Path, kind: str
) -> None:
    form = ("--as", "bag", "--length", 9)
    done = publius("release", write(tmp_path, kind), "-o", "out", *form, *SMALL)
    assert done.code == 0, done.err
    for bag in read(data(tmp_path / "out")):
        assert len(bag.split(" ")) == 9
        assert set(bag.split(" ")) <= WORDS


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("file_format", ["parquet", "jsonl"])
def test_vectors_have_exactly_n_terms(
    publius: Callable[..., Any], tmp_path: Path, kind: str, file_format: str
) -> None:
    form = ("--as", "tf", "--length", 11, "--format", file_format)
    done = publius("release", write(tmp_path, kind), "-o", "out", *form, *SMALL)
    assert done.code == 0, done.err
    path = tmp_path / "out" / f"data.{file_format}"
    if file_format == "parquet":
        rows = parquet.read_table(path).to_pylist()
    else:
        rows = [json.loads(line) for line in path.read_text().split("\n")[:-1]]
    words = (tmp_path / "out/vocabulary.txt").read_text().splitlines()
    assert set(words) == WORDS
    for row in rows:
        terms, counts = row.values()
        assert sum(counts) == 11
        assert len(terms) == len(counts) == len(set(terms))
        assert all(0 <= term < len(words) for term in terms)


def test_a_bag_of_the_texts_own_size(
    publius: Callable[..., Any], tmp_path: Path
) -> None:
    publius("release", write(tmp_path, "csv"), "-o", "out", "--as", "bag", *SMALL)
    sizes = [len(bag.split()) for bag in read(tmp_path / "out/data.parquet")]
    assert sizes == [3, 2, 0, 3]


@pytest.mark.parametrize("kind", ["txt", "csv", "tsv", "jsonl"])
def test_standard_input(
    publius: Callable[..., Any],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    kind: str,
) -> None:
    given = BytesIO(write(tmp_path, kind).read_bytes())
    monkeypatch.setattr(sys, "stdin", TextIOWrapper(given))
    done = publius("release", "-", "--input-format", kind, "-o", "out", *SMALL)
    assert done.code == 0, done.err
    assert len(read(tmp_path / "out/data.parquet")) == 4


def test_standard_input_of_a_process(shell: Callable[..., Any], tmp_path: Path) -> None:
    done = shell("release", "-", "-o", "out", *SMALL, stdin="\n".join(ROWS).encode())
    assert done.returncode == 0, done.stderr
    assert len(read(tmp_path / "out/data.parquet")) == 4


def test_compressed_input(publius: Callable[..., Any], tmp_path: Path) -> None:
    path = tmp_path / "in.csv.gz"
    path.write_bytes(gzip.compress(write(tmp_path, "csv").read_bytes()))
    assert publius("release", path, "-o", "out", *SMALL).code == 0


def test_empty_inputs(publius: Callable[..., Any], tmp_path: Path) -> None:
    (tmp_path / "in.csv").write_text("body\n")
    assert publius("release", "in.csv", "-o", "out", *SMALL).code == 0
    assert parquet.read_table(tmp_path / "out/data.parquet").num_rows == 0


def test_missing_cells_stay_missing(
    publius: Callable[..., Any], tmp_path: Path
) -> None:
    parquet.write_table(pa.table({"body": ["people", None]}), tmp_path / "in.parquet")
    for form in ("text", "bag", "tf"):
        assert (
            publius("release", "in.parquet", "-o", form, "--as", form, *SMALL).code == 0
        )
        released = parquet.read_table(tmp_path / form / "data.parquet")
        assert [c.null_count for c in released.columns] == [1] * released.num_columns


def test_kept_columns_pass_and_are_named(
    publius: Callable[..., Any], tmp_path: Path
) -> None:
    keep = ("--keep", "id,user,id")
    done = publius("release", write(tmp_path, "parquet"), "-o", "out", *keep, *SMALL)
    assert done.code == 0, done.err
    released = parquet.read_table(tmp_path / "out/data.parquet")
    assert released.column_names == ["body", "id", "user"]
    assert released.column("id").to_pylist() == [1, 2, 3, 4]
    manifest = json.loads((tmp_path / "out/manifest.json").read_text())
    assert any("id, user" in line for line in manifest["guarantee"]["uncovered"])
    assert "id, user" in (tmp_path / "out/report.html").read_text()


def test_authors_lose_the_sum_of_their_rows(
    publius: Callable[..., Any], tmp_path: Path
) -> None:
    author = ("--author", "user")
    publius("release", write(tmp_path, "csv"), "-o", "out", *author, *SMALL)
    manifest = json.loads((tmp_path / "out/manifest.json").read_text())
    assert manifest["counts"] == {"rows": 4, "words": 8, "longest": 3, "busiest": 6}
    losses = manifest["losses"]
    largest = max(losses["worst_pair"], losses["unknown_word"])
    assert losses["busiest_author"] == pytest.approx(6 * largest)
    assert losses["longest_document"] == pytest.approx(3 * largest)


def test_the_manifest_is_complete(publius: Callable[..., Any], tmp_path: Path) -> None:
    done = publius("release", write(tmp_path, "csv"), "-o", "out", "--json", *SMALL)
    manifest = json.loads((tmp_path / "out/manifest.json").read_text())
    assert json.loads(done.out) == manifest
    assert manifest["secure"] is False
    assert manifest["mechanism"] == "exponential.v1"
    assert manifest["settings"]["epsilon"] == 4.0
    digest = hashlib.sha256((tmp_path / "out/data.parquet").read_bytes()).hexdigest()
    assert manifest["files"] == {"data.parquet": digest}
    assert manifest["guarantee"]["near_level"] <= 4 * 4


@pytest.mark.parametrize("form", [("--as", "tf"), ("--as", "bag", "--length", 5)])
def test_lengths_are_not_told_where_they_are_protected(
    publius: Callable[..., Any], tmp_path: Path, form: tuple[object, ...]
) -> None:
    """Inputs that differ in lengths and words only give the same manifest figures."""
    told = []
    for name, row in (("a", "people"), ("b", "people said the world is new " * 9)):
        (tmp_path / f"{name}.csv").write_text(f"body\n{row}\npeople\n")
        publius("release", f"{name}.csv", "-o", name, *form, *SMALL)
        manifest = json.loads((tmp_path / name / "manifest.json").read_text())
        manifest.pop("files")
        told.append(manifest)
    assert told[0] == told[1]
    assert told[0]["counts"]["words"] is told[0]["counts"]["longest"] is None


def test_a_secure_release_says_so_and_never_repeats(
    publius: Callable[..., Any], tmp_path: Path
) -> None:
    path = tmp_path / "in.txt"
    path.write_text("people said world\n" * 40)
    for out in ("one", "two"):
        assert publius("release", path, "-o", out, "--vocabulary", 100).code == 0
    assert read(data(tmp_path / "one")) != read(data(tmp_path / "two"))
    assert json.loads((tmp_path / "one/manifest.json").read_text())["secure"] is True
    assert "INSECURE" not in (tmp_path / "one/report.html").read_text()


def test_a_seed_marks_everything(publius: Callable[..., Any], tmp_path: Path) -> None:
    done = publius("release", write(tmp_path, "csv"), "-o", "out", *SMALL)
    assert "INSECURE" in done.err
    assert "INSECURE" in (tmp_path / "out/report.html").read_text()


@pytest.mark.parametrize(
    ("form", "times"), [((), 1), (("--as", "bag", "--length", 9), 0)]
)
def test_a_text_release_says_what_hides_its_writers(
    publius: Callable[..., Any],
    tmp_path: Path,
    form: tuple[object, ...],
    times: int,
) -> None:
    done = publius("release", write(tmp_path, "csv"), "-o", "out", *form, *SMALL)
    assert " ".join(done.out.split()).count("--mechanism retell") == times


def test_the_report_asks_for_nothing_outside(
    publius: Callable[..., Any], tmp_path: Path
) -> None:
    publius("release", write(tmp_path, "csv"), "-o", "out", *SMALL)
    page = (tmp_path / "out/report.html").read_text()
    assert "default-src 'none'" in page
    for sign in ("<script", "src=", "@import", "url(", "<link"):
        assert sign not in page.replace("xlink:href", "").replace(
            'clip-path="url(#', ""
        )


def test_examples_are_shown_on_request_only(
    publius: Callable[..., Any], tmp_path: Path
) -> None:
    path = write(tmp_path, "csv")
    publius("release", path, "-o", "quiet", *SMALL)
    publius("release", path, "-o", "open", "--show-examples", *SMALL)
    assert "qwertz" not in (tmp_path / "quiet/report.html").read_text()
    assert not (tmp_path / "quiet/report-private.html").exists()
    assert "qwertz" not in (tmp_path / "open/report.html").read_text()
    private = tmp_path / "open/report-private.html"
    assert private.stat().st_mode & 0o077 == 0
    page = private.read_text()
    assert "qwertz" in page
    assert "Do not publish the report" in page


def test_a_level_against_near_words(
    publius: Callable[..., Any], tmp_path: Path
) -> None:
    level = ("--level", 3, "--metric", "euclidean")
    done = publius("release", write(tmp_path, "csv"), "-o", "out", *level, *SMALL)
    assert done.code == 0, done.err
    manifest = json.loads((tmp_path / "out/manifest.json").read_text())
    assert 2.9 < manifest["losses"]["near_level"] <= 3.0


def test_settings_come_from_publius_toml(
    publius: Callable[..., Any], tmp_path: Path
) -> None:
    (tmp_path / "publius.toml").write_text("[words]\nvocabulary = 50\nepsilon = 2.0\n")
    publius("release", write(tmp_path, "csv"), "-o", "out", "--epsilon", 3, "--seed", 1)
    found = json.loads((tmp_path / "out/manifest.json").read_text())["settings"]
    assert (found["vocabulary"], found["epsilon"]) == (50, 3.0)


def test_a_mechanism_has_a_table_of_its_own(
    publius: Callable[..., Any], tmp_path: Path
) -> None:
    chosen = '[words]\nvocabulary = 50\nmechanism = "custext"\n'
    (tmp_path / "publius.toml").write_text(f"{chosen}[words.custext]\ngroup = 5\n")
    done = publius("release", write(tmp_path, "csv"), "-o", "out", "--seed", 1)
    assert done.code == 0, done.err
    manifest = json.loads((tmp_path / "out/manifest.json").read_text())
    assert manifest["settings"]["group"] == 5


@pytest.mark.parametrize("format_", ["csv", "tsv"])
def test_formulas_are_escaped_on_request(
    publius: Callable[..., Any], tmp_path: Path, format_: str
) -> None:
    table = tmp_path / "in.jsonl"
    cells = ["=1+1", "+1", "-1", "@a", "\tx", "\rx", "x=1", None]
    rows = [json.dumps({"body": "world", "note": cell}) for cell in cells]
    table.write_text("\n".join(rows) + "\n")
    asked = ("--text", "body", "--keep", "note", "--format", format_, *SMALL)
    for out, options in (("plain", ()), ("safe", ("--escape-formulas",))):
        done = publius("release", table, "-o", out, *asked, *options)
        assert done.code == 0, done.err
    notes = [
        [
            cell
            for batch in open_source(
                tmp_path / out / f"data.{format_}", columns=Columns(("note",))
            ).batches()
            for cell in batch.column(0).to_pylist()
        ]
        for out in ("plain", "safe")
    ]
    assert notes[0][:7] == cells[:7]
    assert notes[1][:7] == [*(f"'{cell}" for cell in cells[:6]), "x=1"]


def test_formulas_are_escaped_only_where_they_are_computed(
    publius: Callable[..., Any], tmp_path: Path
) -> None:
    path = write(tmp_path, "csv")
    done = publius("release", path, "-o", "out", "--escape-formulas", *SMALL)
    assert done.code == 1
    assert "--escape-formulas is for csv and tsv" in done.err
