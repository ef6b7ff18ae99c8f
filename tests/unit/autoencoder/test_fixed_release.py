"""A release of texts with a fixed number of sentences: files, figures, refusals."""

import csv
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyarrow import parquet

from publius.accounting.gaussian import gaussian_epsilon
from publius.cli.frame import run
from publius.core.errors import OutputError, ParameterError, UnknownNameError
from publius.materials.sentences.treatment import SentenceForm, sentence_form
from publius.pipeline import ReleaseRequest, SentenceSettings, release
from publius.tables.columns import Columns

SIGMA = 8.0
ROWS: list[tuple[str, str | None]] = [
    ("ann", "the movie was good. my dog is bad! the film was long. it ended."),
    ("bob", ""),
    ("ann", None),
    ("ann", "this film was great."),
]


def losses(count: int) -> float:
    return gaussian_epsilon(1e-6, sensitivity=6, sigma=SIGMA, count=count)


def asked(path: Path, out: Path, stored: Path) -> list[str]:
    noise = ["--mechanism", "dp-vae", "--sigma", str(SIGMA), "--model", str(stored)]
    return ["release", str(path), "--text", "body", "-o", str(out), *noise]


@pytest.fixture
def lines(tmp_path: Path) -> Path:
    path = tmp_path / "in.jsonl"
    rows = [json.dumps({"user": user, "body": text}) for user, text in ROWS]
    path.write_text("\n".join(rows))
    return path


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "in.csv"
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([("user", "body"), *ROWS])
    return path


def test_the_command_fills_empty_texts_and_keeps_missing_ones(
    lines: Path, stored: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    more = ["--sentences", "3", "--author", "user", "--format", "jsonl"]
    assert run([*asked(lines, out, stored), *more]) == 0
    told = capsys.readouterr().out
    assert "differ in one text, of whatever number of sentences" in told
    assert "Everything of the author with most of it together loses" in told
    written = (out / "data.jsonl").read_text().splitlines()
    texts = [json.loads(line)["body"] for line in written]
    assert [text is None for text in texts] == [False, False, True, False]
    assert all(text for text in texts if text is not None)


def test_the_manifest_counts_texts_and_no_sentences(
    lines: Path, stored: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    more = ["--sentences", "3", "--author", "user", "--json"]
    assert run([*asked(lines, out, stored), *more]) == 0
    manifest = json.loads((out / "manifest.json").read_text())
    assert json.loads(capsys.readouterr().out) == manifest
    assert manifest["counts"] == {
        "rows": 4, "words": None, "longest": None, "busiest": 2,
    }  # fmt: skip
    for name, count in (
        ("sentence", 1),
        ("longest_document", 3),
        ("busiest_author", 6),
    ):
        assert manifest["losses"][name] == pytest.approx(losses(count), rel=1e-6)
    assert manifest["guarantee"]["unit"] == "document"
    assert manifest["settings"]["sentences"] == 3
    uncovered = " ".join(manifest["guarantee"]["uncovered"])
    assert "sentences" not in uncovered
    assert "which cells were missing" in uncovered


def test_empty_cells_of_csv_are_empty_texts(
    table: Path, stored: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    more = ["--sentences", "2", "--format", "csv"]
    assert run([*asked(table, out, stored), *more]) == 0
    rows = list(csv.DictReader((out / "data.csv").read_text().splitlines()))
    assert len(rows) == 4
    assert all(row["body"] for row in rows)


def test_the_report_says_what_is_covered(
    lines: Path, stored: Path, tmp_path: Path
) -> None:
    for name, more in (("fixed", ["--sentences", "3"]), ("own", [])):
        assert run([*asked(lines, tmp_path / name, stored), *more]) == 0
    fixed, own = ((tmp_path / n / "report.html").read_text() for n in ("fixed", "own"))
    assert "differ in one text, of whatever number of sentences" in fixed
    assert "(no sentence)" in fixed
    assert "with most sentences" not in fixed
    assert "with most sentences (4)" in own
    assert "(no sentence)" not in own
    for page in (fixed, own):
        # A loss above ε is more probable than δ; only all conclusions are bounded.
        assert "except with probability" not in page
        assert "times as probable as after the other, plus δ" in page
    head, _, tail = fixed.partition("What is not protected")
    assert "How many sentences a text has, even none" in head
    assert "How many sentences" not in tail


@pytest.mark.slow
def test_files_have_the_same_shape_whatever_the_texts_were(
    stored: Path, tmp_path: Path
) -> None:
    """All that differs is drawn, even if the longest text fills a shard alone."""
    shapes = []
    for name, text in (("long", "it was good. " * 330_000), ("void", "")):
        path = tmp_path / f"{name}.parquet"
        parquet.write_table(pa.table({"body": [text, *["it was."] * 40]}), path)
        out = tmp_path / name
        more = ["--sentences", "2", "--seed", "1"]
        assert run([*asked(path, out, stored), *more]) == 0
        manifest = json.loads((out / "manifest.json").read_text())
        digest = manifest["files"].pop("data.parquet")
        page = (out / "report.html").read_text().replace(digest, "")
        groups = parquet.ParquetFile(out / "data.parquet").metadata.num_row_groups
        shapes.append((manifest, page, groups))
    assert shapes[0] == shapes[1]


@pytest.fixture
def large(tmp_path: Path) -> ReleaseRequest[SentenceSettings]:
    path = tmp_path / "large.parquet"
    texts = [None if i % 7 == 0 else "it was. " * (i % 4) for i in range(4_500)]
    users = [f"user {i % 3}" for i in range(4_500)]
    parquet.write_table(pa.table({"body": texts, "user": users}), path)
    return ReleaseRequest(
        str(path), tmp_path / "whole", Columns(("body",), "user"),
        SentenceSettings(sigma=SIGMA, sentences=2), seed=4,
    )  # fmt: skip


@pytest.mark.slow
def test_resumed_and_parallel_runs_equal_a_plain_one(
    large: ReleaseRequest[SentenceSettings], stored: Path, tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    plain = replace(large, settings=replace(large.settings, model=str(stored)))
    told = release(plain)
    real, calls = SentenceForm.release, [0]

    def failing(self: SentenceForm, *rows: Any, **named: Any) -> object:
        calls[0] += 1
        if calls[0] == 2:
            raise KeyboardInterrupt
        return real(self, *rows, **named)

    again = replace(plain, out=tmp_path / "again")
    with monkeypatch.context() as patch:
        patch.setattr(SentenceForm, "release", failing)
        with pytest.raises(KeyboardInterrupt):
            release(again)
    other = replace(again, resume=True, settings=replace(again.settings, sentences=3))
    with pytest.raises(OutputError, match="settings changed since the run began"):
        release(other)
    resumed = release(replace(again, resume=True))
    assert resumed == told
    assert told.exposure.busiest == max(
        sum(i % 7 != 0 for i in range(start, 4_500, 3)) for start in range(3)
    )
    release(replace(plain, out=tmp_path / "two", workers=2))
    for name in ("data.parquet", "manifest.json", "report.html"):
        whole = (plain.out / name).read_bytes()
        assert (tmp_path / "again" / name).read_bytes() == whole
        assert (tmp_path / "two" / name).read_bytes() == whole


@pytest.mark.parametrize(("per", "count"), [("sentence", 1), ("text", 5)])
def test_epsilon_may_be_that_of_a_whole_text(
    stored: Path, per: str, count: int
) -> None:
    settings = SentenceSettings(epsilon=5.0, sentences=5, per=per, model=str(stored))
    sigma = sentence_form(settings).sigma
    spent = gaussian_epsilon(1e-6, sensitivity=6, sigma=sigma, count=count)
    assert spent == pytest.approx(5.0, rel=1e-5)
    # Room is left for what rounding adds to the noise alone.
    assert spent <= 5.0 * (1 - 1e-7)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"sentences": 0}, "sentences must be a whole number >= 1, got 0"),
        ({"sentences": 2.0}, "sentences must be a whole number"),
        ({"sentences": True}, "sentences must be a whole number"),
        ({"sentences": "3"}, "sentences must be a whole number"),
        ({"per": "text", "sentences": 2}, "--per text says whose --epsilon"),
        ({"per": "author"}, "unit of epsilon"),
        ({"sigma": "much"}, "sigma must be a number"),
        ({"model": 3}, "model must be a string"),
        ({"device": "tpu"}, "no device 'tpu'"),
        ({"sigma": 1e-300}, "sigma is too small to guarantee anything"),
    ],
)
def test_settings_without_meaning_are_refused(
    settings: dict[str, object], message: str
) -> None:
    chosen = {"sigma": 1.0, **settings}
    with pytest.raises((ParameterError, UnknownNameError), match=message):
        SentenceSettings(**chosen)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        ("--mechanism dp-vae --sigma 1 --sentences 0", "sentences must be a whole"),
        ("--sentences 3", "--sentences is for --mechanism dp-vae"),
        ("--mechanism laplace --sentences 3", "--sentences is for --mechanism dp-vae"),
        ("--epsilon 3 --per text", "--per is for --mechanism dp-vae"),
        ("--mechanism dp-vae --epsilon 3 --per text", "give --epsilon and --sentences"),
        ("--mechanism dp-vae --sigma 3 --per text --sentences 2", "give --epsilon"),
    ],
)
def test_the_command_refuses_what_has_no_meaning(
    table: Path, tmp_path: Path, flags: str, message: str,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    out = tmp_path / "out"
    told = ["release", str(table), "--text", "body", "-o", str(out), *flags.split()]
    assert run(told) == 1
    assert message in " ".join(capsys.readouterr().err.split())
    assert not out.exists()


@pytest.mark.parametrize(
    ("written", "flags", "expected"),
    [
        ("sigma = 4.0\nsentences = 3", "", (3, "sentence")),
        ("sigma = 4.0\nsentences = 3", "--sentences 2", (2, "sentence")),
        ('epsilon = 4.0\nsentences = 3\nper = "text"', "", (3, "text")),
        ('epsilon = 4.0\nsentences = 3\nper = "text"', "--epsilon 5", (3, "text")),
        ('epsilon = 4.0\nsentences = 3\nper = "text"', "--sigma 5", (3, "sentence")),
    ],
)
def test_the_settings_file_may_fix_the_number(  # noqa: PLR0917 - fixtures and cases
    table: Path, stored: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    written: str, flags: str, expected: tuple[int, str],
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    (tmp_path / "publius.toml").write_text(
        f'[words]\nmechanism = "dp-vae"\n[sentences]\n{written}\nmodel = "{stored}"\n'
    )
    told = ["release", str(table), "--text", "body", "-o", "out", *flags.split()]
    assert run(told) == 0
    settings = json.loads(Path("out/manifest.json").read_text())["settings"]
    assert (settings["sentences"], settings["per"]) == expected


def test_single_texts_may_have_a_fixed_number(
    stored: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    said = ["autoencoder", "rewrite", "it was. it ended.", "--model", str(stored)]
    fixed = [*said, "--sigma", str(SIGMA), "--sentences", "5"]
    assert run([*fixed, "--json"]) == 0
    out = json.loads(capsys.readouterr().out)
    assert out["longest"] == 5
    assert out["epsilon_sentence"] == pytest.approx(losses(1), rel=1e-6)
    assert out["epsilon_longest_text"] == pytest.approx(losses(5), rel=1e-6)
    assert run(fixed) == 0
    assert "every text (5) loses ε" in capsys.readouterr().err
    assert run([*said[:2], "caf\udce9", *fixed[3:]]) == 1
    assert "the text is not valid UTF-8" in capsys.readouterr().err
    assert run([*said, "--sigma", "1", "--sentences", "0"]) == 1
    assert "sentences must be a whole number" in capsys.readouterr().err
