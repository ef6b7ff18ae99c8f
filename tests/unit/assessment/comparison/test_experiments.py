"""The table of experiments, and each text experiment on a small folder made here."""

import gzip
import json
from pathlib import Path

import numpy as np
import pytest

from publius.core.errors import DataError, UnknownNameError
from publius.mechanisms.words.given import with_settings
from publius.papers import Request, experiment, experiments, newsgroups, syntf
from publius.papers.newsgroup_posts import without_footer

pytestmark = pytest.mark.slow

NAMES = (
    "data-traits", "fernandes-table1", "fernandes-table3", "newsgroups-trade-off",
    "qif-fig2", "qif-fig3", "syntf-fig53", "syntf-fig54", "syntf-fig55",
    "syntf-table53", "thesis-7.4", "thesis-7.15", "feyisetan-table1",
)  # fmt: skip
SUBJECTS = {
    "alt.atheism": "belief doubt reason argument proof church faith logic claim",
    "rec.sport.baseball": "pitcher inning catcher league bat home run glove season",
    "sci.med": "doctor patient disease treatment dose clinic symptom pain study",
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write made-up posts and vectors laid out like the reference data."""
    root = tmp_path_factory.mktemp("data")
    rng = np.random.default_rng(0)
    posts = []
    for i in range(480):
        topic = list(SUBJECTS)[i % 3]
        who = i // 3 % 12
        author = f"a{who:02}"
        habit = ["abcdefghijkl"[who] * 6] * 30 + ["however", "the", "and"]
        words = list(rng.choice(SUBJECTS[topic].split(), 60)) + habit
        rng.shuffle(words)
        text = " ".join(words)
        posts.append(
            {"id": str(i), "author": author, "topic": topic, "text_clean": text,
             "text": f"{text}\n\n--\n{author}", "problem": "problem00001",
             "split": "train" if (i // 36) % 2 == 0 else "test"}
        )  # fmt: skip
    for name in (
        "topic/20ng_12groups", "authorship/c50_shared", "authorship/blog_shared",
        "authorship/pan18_fanfic_en", "authorship/imdb62_shared",
    ):  # fmt: skip
        path = root / f"{name}.jsonl.gz"
        path.parent.mkdir(exist_ok=True)
        with gzip.open(path, "wt", encoding="utf-8") as out:
            out.writelines(json.dumps(post) + "\n" for post in posts)
    words = sorted(
        {w for s in SUBJECTS.values() for w in s.split()} | {"heard", "felt"}
    )
    vectors = rng.normal(size=(len(words), 20)).astype(np.float32)
    (root / "vectors").mkdir()
    np.savez(
        root / "vectors" / "word2vec_gnews_26k_300d.npz",
        words_utf8=np.frombuffer("\n".join(words).encode(), dtype=np.uint8),
        vectors=vectors / np.linalg.norm(vectors, axis=1, keepdims=True),
    )
    return root


def test_every_guaranteed_name_is_there() -> None:
    assert set(NAMES) <= set(experiments())


def test_unknown_names_are_suggested() -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'qif-fig2'"):
        experiment("qif-fig22")


def test_missing_data_is_named(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="vectors/word2vec"):
        experiment("fernandes-table1").run(Request(tmp_path))


def test_fernandes_loses_authors_with_noise(folder: Path) -> None:
    found = experiment("fernandes-table1").run(Request(folder, quick=True))
    rows = {(r["set"], r["epsilon"]): r for r in found.rows}
    assert float(rows["20 authors", "none"]["DRauth"] or 0) > 0.9
    assert rows["2 topics", "none"]["DRtopic"] == 1.0
    assert rows["20 authors", "none"]["published_DRauth"] == 15 / 20
    assert found.figure.startswith("<svg")


def test_fernandes_examples_stand_beside_the_paper(folder: Path) -> None:
    found = experiment("fernandes-table3").run(Request(folder))
    assert [row["epsilon"] for row in found.rows] == ["none", 30.0, 20.0, 10.0]


@pytest.mark.parametrize("name", ["qif-fig2", "qif-fig3"])
def test_bags_of_words_have_a_row_per_bag_and_scale(name: str, folder: Path) -> None:
    found = experiment(name).run(Request(folder, quick=True))
    sets = {row["set"] for row in found.rows}
    assert len(found.rows) == 20 * len(sets)
    plain = [row for row in found.rows if row["scale"] == 0]
    assert float(plain[0]["accuracy"] or 0) > 0.9


def test_syntf_table_has_intervals_and_published_numbers(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    small = with_settings(syntf.OPTIMAL, {"vocabulary": 3000, "morphology": "lower"})
    monkeypatch.setattr(syntf, "OPTIMAL", small)
    found = experiment("syntf-table53").run(Request(folder, quick=True))
    rows = {row["method"]: row for row in found.rows}
    assert rows["SynTF"]["published_attack"] == 0.42
    for row in found.rows:
        low, value, high = (
            float(row[f"utility{e}"] or 0) for e in ("_low", "", "_high")
        )
        assert low <= value <= high
    assert float(rows["none"]["utility"] or 0) > 0.9


def test_newsgroups_attack_and_use_the_same_release(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(newsgroups, "GRID", (("words", (None,)), ("random", (None,))))
    monkeypatch.setattr(newsgroups, "SEEDS", 2)
    found = newsgroups.run(Request(folder))
    words, random = found.rows
    assert (words["runs"], words["attack_sd"]) == (2, 0)
    assert words["utility"] == 1.0
    assert words["prototype_utility"] == 0.75
    assert float(random["utility"] or 0) < 0.7
    assert "480 posts of 12 authors" in found.notes[0]


def test_syntf_stages_say_the_loss_of_a_term(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    small = with_settings(syntf.OPTIMAL, {"vocabulary": 3000, "morphology": "lower"})
    monkeypatch.setattr(syntf, "OPTIMAL", small)
    rows = syntf.stages(Request(folder, quick=True)).rows
    losses = [float(row["loss_per_term"] or 0) for row in rows if "epsilon" in row]
    assert losses == sorted(losses)
    for row, loss in zip(rows[2:], losses, strict=True):
        assert 0 < loss <= float(row["epsilon"] or 0) + 1e-5
    gains = syntf.overlap(Request(folder, quick=True)).rows
    assert [row["s"] for row in gains] == [0.0, 0.3]
    assert all("gain_sd" not in row for row in gains)


@pytest.mark.slow
def test_scrubbing_stands_beside_syntf_in_every_scenario(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    small = with_settings(syntf.OPTIMAL, {"vocabulary": 1000, "morphology": "lower"})
    monkeypatch.setattr(syntf, "OPTIMAL", small)
    monkeypatch.setitem(__import__("sys").modules, "scrubadub", None)
    rows = syntf.scrubbing(Request(folder)).rows
    assert [row["runs"] for row in rows if row["method"] == "SynTF"] == [3] * 4
    assert all(row["relative_utility"] == 1 for row in rows if row["method"] == "none")


def test_footers_are_removed() -> None:
    assert without_footer("hello\nyou\n--\nA. Name") == "hello\nyou"
    assert without_footer("one line") == "one line"


def test_curves_are_read_between_their_levels() -> None:
    rows = [{"attack": 0.2, "utility": 0.4}, {"attack": 0.4, "utility": 0.8}]
    assert newsgroups.topic_at(rows, 0.3) == pytest.approx(0.6)
    assert newsgroups.topic_at(rows, 0.5) is None
    assert newsgroups.topic_at(rows[:1], 0.2) is None


def test_traits_of_data_are_measured(folder: Path) -> None:
    rows = experiment("data-traits").run(Request(folder, quick=True)).rows
    found = {(row["trait"], row["setting"]): row["accuracy"] for row in rows}
    assert found["signatures", "text"] == 1.0
    assert found["blog topic", "unseen bloggers"] == 1.0
    assert len(rows) == 6
