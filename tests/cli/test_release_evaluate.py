"""publius release --evaluate: measured on its own texts, and kept private."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from publius.pipeline import compared
from publius.reporting.measured import Measured

SMALL = ("--vocabulary", 300, "--seed", 7, "--epsilon", 8)
VOICES = {
    "ann": ("people of the world vote for their government and city", "politics"),
    "bob": ("the team won the second game of the season at home", "sport"),
}


def write(path: Path, copies: int = 12) -> Path:
    lines = [
        json.dumps({"body": f"{voice} {turn}", "user": name, "topic": topic})
        for turn in range(copies)
        for name, (voice, topic) in VOICES.items()
    ]
    path.write_text("\n".join(lines) + "\n")
    return path


@pytest.mark.slow
def test_the_report_shows_attack_and_use_and_says_it_is_private(
    publius: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(compared, "MOST_COMPARED", 20)
    table = write(tmp_path / "in.jsonl")
    asked = ("--text", "body", "--author", "user", "--label", "topic", "--evaluate")
    done = publius("release", table, "-o", "out", *asked, *SMALL)
    assert done.code == 0, done.err
    private = tmp_path / "out" / "report-private.html"
    page, published = private.read_text(), (tmp_path / "out/report.html").read_text()
    assert private.stat().st_mode & 0o077 == 0
    assert "PRIVATE" in done.err
    assert "recognised" not in published
    assert "Do not publish the report" not in published
    for part in (
        "20 documents",
        "author recognised, static SVM",
        "author recognised, adaptive SVM",
        "class predicted, adaptive SVM",
        "METEOR",
        ">--evaluate</span> was given",
    ):
        assert part in page, part
    assert "measured on these texts: --as " in done.err.splitlines()[1]
    assert "drawn in another form, for this measurement only" in page
    verdict = "of 100 texts can still be attributed to their author"
    assert verdict in done.err.splitlines()[0]
    assert page.index(verdict) < page.index("In numbers")
    assert verdict not in published + done.out
    # What was measured on secrets stays out of what is published.
    manifest = (tmp_path / "out" / "manifest.json").read_text()
    assert "recognised" not in manifest
    assert "attributed" not in manifest
    assert "topic" not in manifest
    assert sorted(p.name for p in (tmp_path / "out").iterdir()) == [
        "data.parquet", "manifest.json", "report-private.html", "report.html",
    ]  # fmt: skip


def test_rows_before_and_after_belong_together(
    publius: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only stop words and numbers: a released row equals its own original."""
    seen: list[compared.Compared] = []

    def keep(rows: compared.Compared, *_: object, **__: object) -> Measured:
        seen.append(rows)
        return Measured(0, ())

    monkeypatch.setattr("publius.assessment.comparison.measure.measure_release", keep)
    monkeypatch.setattr(compared, "MOST_COMPARED", 500)
    table = tmp_path / "in.jsonl"
    rows = [
        json.dumps({"t": f"of the {'and ' * (i % 7)}", "u": i % 7}) for i in range(9000)
    ]
    table.write_text("\n".join(rows) + "\n")
    asked = ("--text", "t", "--author", "u", "--evaluate", "--vocabulary", 100)
    assert publius("release", table, "-o", "out", *asked).code == 0
    (rows_seen,) = seen
    assert len(rows_seen.originals) == 500
    assert rows_seen.originals == rows_seen.released
    assert rows_seen.authors is not None
    counts = [str(text).count("and") for text in rows_seen.originals]
    assert counts == rows_seen.authors.to_pylist()
    assert len(set(counts)) == 7
    assert "and" not in repr(rows_seen)


def test_what_cannot_be_measured_is_said_in_the_report(
    publius: Callable[..., Any], tmp_path: Path
) -> None:
    table = tmp_path / "in.csv"
    table.write_text("body,user\n" + "".join(f"people vote,u{i}\n" for i in range(5)))
    asked = ("--text", "body", "--author", "user", "--evaluate")
    done = publius("release", table, "-o", "out", *asked, *SMALL)
    assert done.code == 0
    page = (tmp_path / "out" / "report-private.html").read_text()
    assert "0 usable classes" in page
    assert "was not measured. The author column: 0 usable classes" in done.err


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--evaluate",), "--evaluate needs --author"),
        (("--label", "user"), "--label is for --evaluate"),
        (("--evaluate", "--author", "user", "--as", "tf"), "reads released texts"),
    ],
)
def test_what_has_no_meaning_is_refused_before_anything_is_drawn(
    publius: Callable[..., Any], tmp_path: Path, options: tuple[str, ...], said: str
) -> None:
    table = write(tmp_path / "in.jsonl", 2)
    done = publius(
        "release", table, "-o", "out", "--text", "body", *options, "--vocabulary", 100
    )
    assert done.code == 1
    assert said in done.err
    assert not (tmp_path / "out").exists()
