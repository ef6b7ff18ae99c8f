"""A like space for vectors of another language: built, certified, released."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from publius.core.errors import DataError
from publius.embeddings.catalogue import load_embedding
from publius.embeddings.like import like_table
from publius.materials.words.assemble import sanitizer
from publius.mechanisms.words.given import word_settings

GROUPS = (
    "Haus Wohnung Garten Küche Straße Brücke Turm Kirche Schule Rathaus Schloß Hütte",
    "Hund Katze Pferd Vogel Fisch Maus Löwe Bär Wolf Fuchs Ente Gans",
    "gehen laufen rennen springen fahren fliegen schwimmen reiten wandern eilen",
    "schön häßlich groß klein alt jung neu gut schlecht warm kalt süß",
    "Brot Butter Käse Wurst Milch Ei Apfel Birne Kuchen Suppe Salz Zucker",
    "Montag Dienstag Mittwoch Donnerstag Freitag Samstag Sonntag",
    "und der die das ein eine in mit nicht kein war hat am an",
    "Anna Peter Hans Maria Karl Eva Otto Ida Max Lena 1994 12",
)
STOP_WORDS = "und der die das ein eine in mit war hat am an"
Run = Callable[..., Any]


def write_vectors(path: Path) -> None:
    """Write made-up vectors of some German words, word2vec text."""
    rng, lines = np.random.default_rng(0), []
    for group in GROUPS:
        middle = rng.normal(size=8)
        for word in group.split():
            row = middle + rng.normal(size=8) / 2
            lines.append(" ".join([word, *(f"{value:.4f}" for value in row)]))
    path.write_text(f"{len(lines)} 8\n" + "\n".join(lines) + "\n", "utf-8")


@pytest.fixture
def german(tmp_path: Path, publius: Run) -> Path:
    write_vectors(tmp_path / "de.vec")
    lists = {"stop": STOP_WORDS, "names": GROUPS[7], "no": "nicht kein", "bad": "Maus"}
    for name, words in lists.items():
        (tmp_path / f"{name}.txt").write_text("\n".join(words.split()), "utf-8")
    done = publius(
        "embeddings", "like", tmp_path / "de.vec", "--stop-words",
        tmp_path / "stop.txt", "--class", f"given-name={tmp_path / 'names.txt'}",
        "--class", f"negation={tmp_path / 'no.txt'}", "--never", tmp_path / "bad.txt",
        "-o", tmp_path / "german.publius", "--symbols", 60,
    )  # fmt: skip
    assert done.code == 0, done.err
    return tmp_path / "german.publius"


def test_it_is_certified_and_is_the_default(german: Path, publius: Run) -> None:
    done = publius("certify", "--embedding", german, "--json")
    found = json.loads(done.out)
    assert found["mechanism"] == "folded-exponential.v1"
    assert found["metric"].startswith("like:cap=4@")
    assert found["epsilon"] <= 2.75
    assert found["worst_loss"] <= 11


def test_texts_are_released_in_their_language(
    german: Path, tmp_path: Path, publius: Run
) -> None:
    text = "Die Katze und der Hund; Anna hat 1987 nicht ein Haus. Was will man also?"
    (tmp_path / "in.txt").write_text(f"{text}\n" * 200, "utf-8")
    done = publius(
        "release", tmp_path / "in.txt", "--embedding", german, "--format", "txt",
        "--seed", 1, "-o", tmp_path / "out",
    )  # fmt: skip
    assert done.code == 0, done.err
    lines = (tmp_path / "out" / "data.txt").read_text("utf-8").splitlines()
    words = [line.replace(";", "").replace(".", "").split() for line in lines]
    # Stop words of the language pass; those of English are protected like any other.
    assert {(row[0], row[2], row[3]) for row in words} == {("Die", "und", "der")}
    assert len({tuple(row[10:]) for row in words}) > 100
    known = {word.lower() for group in GROUPS for word in group.split()}
    written = {row[5].lower() for row in words} | {row[1].lower() for row in words}
    assert {word for word in written if not word.isdigit()} <= known - {"maus"}
    names = sum(row[5] in GROUPS[7].split() for row in words)
    assert names > 100  # a name becomes a name
    assert 1 <= sum(row[5] == "Anna" for row in words) < 60  # and seldom the same


def test_words_are_folded_as_texts_are(german: Path) -> None:
    embedding = load_embedding(str(german))
    assert "straße" in embedding.vocabulary.words
    assert not any(word.isdigit() for word in embedding.vocabulary.words)
    assert embedding.language.stop_words == frozenset(STOP_WORDS.split())
    table = like_table(embedding)
    assert set(table.classes) >= {"given-name", "negation", "4-digit-number"}
    cleaner = sanitizer(word_settings({"embedding": str(german)}))
    ids = cleaner.embedding.vocabulary.encode(["1987", "nicht", "kein", "don't"])
    symbols = cleaner.mechanism.space.fold[ids[:3]]  # type: ignore[attr-defined]
    assert symbols[1] == symbols[2] != symbols[0]
    assert ids[3] == -1  # English contractions mean nothing here


def test_a_changed_file_is_noticed(german: Path) -> None:
    listed = german / "stop-words.txt"
    listed.write_text(listed.read_text("utf-8") + "\nanna", "utf-8")
    with pytest.raises(DataError, match="damaged"):
        load_embedding(str(german))


@pytest.mark.parametrize(
    "given",
    [
        ("--class", "names"),
        ("--class", "a=stop.txt", "--class", "b=stop.txt"),
        ("--symbols", "12"),
        ("--stop-words", "none.txt"),
    ],
)
def test_bad_lists_are_refused(
    tmp_path: Path, publius: Run, monkeypatch: pytest.MonkeyPatch, given: tuple[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    write_vectors(tmp_path / "de.vec")
    (tmp_path / "stop.txt").write_text("und")
    done = publius(
        "embeddings", "like", "de.vec", "--stop-words", "stop.txt", *given, "-o", "out"
    )
    assert done.code == 1
    assert not (tmp_path / "out").exists()
