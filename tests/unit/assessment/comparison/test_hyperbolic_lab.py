"""The hyperbolic reproductions on a few frequent nouns and made-up reference data."""

import gzip
import importlib
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from publius.core.errors import DataError
from publius.core.rng import seeded
from publius.embeddings.catalogue import load_embedding
from publius.embeddings.relations import Relation
from publius.papers.directional.result import Reproduction, Setting
from publius.papers.hyperbolic import (
    EXPERIMENTS,
    NEEDS,
    REPRODUCTIONS,
    sources,
    statistics,
    utility,
)
from publius.papers.hyperbolic.density import density, normaliser
from publius.papers.hyperbolic.generalisation import shares
from publius.papers.hyperbolic.phrases import Transitions, phrase_words
from publius.papers.hyperbolic.replacing import WAYS, Uniform, passing, releasing
from publius.papers.hyperbolic.sources import exponential, nouns, spread_out
from publius.storage.archive import pack_arrays

pytestmark = pytest.mark.slow

SIZE = 40


@pytest.fixture(scope="module")
def setting(tmp_path_factory: pytest.TempPathFactory) -> Setting:
    """Return a folder laid out like the reference data, about 40 nouns."""
    folder: Path = tmp_path_factory.mktemp("reference")
    for name in ("vectors", "utility", "authorship", "wordnet"):
        (folder / name).mkdir()
    words = list(load_embedding("wordnet-poincare").vocabulary.words[:SIZE])
    rng = np.random.default_rng(0)
    for file, dim in (("glove6b_100d_top50k", 8), ("word2vec_gnews_26k_300d", 9)):
        save(folder / f"vectors/{file}.npz", words, rng.normal(size=(SIZE, dim)))
    for name in ("snips", *utility.PUBLISHED):
        splits = (("train", 60), ("test", 30))
        rows = [
            made_row(name, split, i, words)
            for split, count in (splits if name != "sts14" else splits[1:])
            for i in range(count)
        ]
        write(folder / f"utility/{name}.jsonl.gz", rows)
    mails = [
        {"author": f"a{i % 3}", "in_candidate_set": i % 10 != 9, "split": split,
         "text": " ".join(words[(i % 3) * 9 + j] for j in range(9))}
        for split, count in (("train", 60), ("test", 30))
        for i in range(count)
    ]  # fmt: skip
    write(folder / "authorship/pan11_enron_small.jsonl.gz", mails)
    novels = [
        {"author": f"a{i % 3}", "split": split,
         "text": " ".join(words[(i % 3) * 9 + j] for j in range(9)) * 5}
        for split in ("train", "test")
        for i in range(6)
    ]  # fmt: skip
    write(folder / "authorship/british_fiction.jsonl.gz", novels)
    pairs = "".join(f"kind{i}.n.01,group{i % 3}.n.01\n" for i in range(30))
    pairs += "".join(f"kind{i}.n.01,mammal.n.01\n" for i in range(30))
    pairs += "".join(f"group{i}.n.01,mammal.n.01\n" for i in range(3))
    closure = gzip.compress(f"id1,id2\n{pairs}".encode())
    (folder / "wordnet/mammal_closure.csv.gz").write_bytes(closure)
    return Setting(folder, effort=0.05)


def made_row(name: str, split: str, i: int, words: list[str]) -> dict[str, Any]:
    """Return a query or a pair whose words give its class away."""
    row = {"split": split, "text": f"{words[i % 3 * 3]} {words[20 + i % 3]}"}
    if name in ("sick", "mrpc", "sts14"):
        row["text2"] = row["text"] if i % 2 else f"{words[5]} {words[31]}"
    return {**row, "score": i % 2, "label": i % 2 if "text2" in row else i % 3}


def write(path: Path, rows: list[dict[str, Any]]) -> None:
    text = "\n".join(json.dumps(row) for row in rows)
    path.write_bytes(gzip.compress(text.encode()))


def save(path: Path, words: list[str], vectors: Any) -> None:
    blob = np.frombuffer("\n".join(words).encode(), np.uint8)
    path.write_bytes(pack_arrays({"vectors": vectors, "words_utf8": blob}))


@pytest.fixture(scope="module")
def made(setting: Setting) -> dict[str, Reproduction]:
    with pytest.MonkeyPatch.context() as patch:
        # Calibrations take most of the time: few words and values of ε suffice here.
        patch.setattr(sources, "QUICK_VOCABULARY", SIZE)
        for module, grid in (("generalisation", (0.5, 8.0)), ("intents", (8.0,))):
            found = importlib.import_module(f"publius.papers.hyperbolic.{module}")
            patch.setattr(found, "EPSILONS", grid)
        patch.setattr(utility, "has_encoder", lambda: False)
        published = {key: statistics.PUBLISHED[key] for key in (0.5, 8.0)}
        patch.setattr(statistics, "PUBLISHED", published)
        return {name: reproduce(setting) for name, reproduce in REPRODUCTIONS.items()}


@pytest.mark.slow
@pytest.mark.parametrize("name", REPRODUCTIONS)
def test_every_reproduction_gives_a_table(
    name: str, made: dict[str, Reproduction]
) -> None:
    found = made[name]
    assert found.name == name
    assert found.rows
    assert any("infinite" in remark for remark in found.remarks)
    assert EXPERIMENTS[name].needs == NEEDS[name]


def test_statistics_move_with_epsilon(made: dict[str, Reproduction]) -> None:
    rows = made["feyisetan-fig5"].rows
    stays = [row[2] for row in rows if row[0] == "exponential"]
    outputs = [row[6] for row in rows if row[0] == "exponential"]
    assert stays == sorted(stays)  # type: ignore[type-var]
    assert outputs[-1] < 2  # type: ignore[operator]
    assert outputs[0] > 10  # type: ignore[operator]
    assert {row[0] for row in rows if row[1] == 16.0} >= {"Riemannian Laplace"}


def test_shares_are_probabilities(made: dict[str, Reproduction]) -> None:
    found = made["feyisetan-generalisation"]
    for row in found.rows:
        assert sum(row[3:]) == pytest.approx(1.0)  # type: ignore[arg-type]


def test_more_epsilon_keeps_more_words() -> None:
    source = nouns(
        Setting(effort=0.05), set(load_embedding("glove-50k").vocabulary.words[:300])
    )
    ids = np.arange(10)
    kept = [
        shares(source.relations, exponential(source.embedding, e), ids)[Relation.KEPT]
        for e in (0.5, 8.0)
    ]
    assert kept[0] < 0.2
    assert kept[1] > 0.8


def test_authors_are_found_in_originals_and_hidden_by_noise(
    made: dict[str, Reproduction],
) -> None:
    rows = made["feyisetan-table3"].rows
    accuracy = {row[:4]: row[6] for row in rows}
    for kind in ("PAN11 small", "novels"):
        assert accuracy[kind, "original", "", None] == 1.0
    for way in WAYS:
        mails = "PAN11 small", way
        assert accuracy[*mails, "static", 0.5] < 0.8  # type: ignore[operator]
        assert accuracy[*mails, "adaptive", 8.0] > 0.8  # type: ignore[operator]


def test_the_published_density_integrates_to_one() -> None:
    # Z = 2 2F1(1, ε; 2 + ε; -1) / (1 + ε); at ε = 1/2 it is π - 2.
    assert normaliser(0.5) == pytest.approx(1.141592653589793, rel=1e-12)
    at = np.linspace(-1, 1, 200_001)
    for epsilon in (0.5, 2.0):
        whole = np.trapezoid(density(at, epsilon), at)
        assert whole == pytest.approx(1.0, abs=1e-4)


def test_the_root_lies_in_the_middle(made: dict[str, Reproduction]) -> None:
    rows = made["feyisetan-fig4"].rows
    assert rows[0][0] == "mammal.n.01"
    assert rows[0][1] == 0
    assert all(float(row[4] or 0) < 1 for row in rows)


def test_rare_steps_make_phrases() -> None:
    often, rare = "please play the song", "please play the zebra"
    steps = Transitions.learnt([t.split() for t in [often] * 9 + [rare]])
    assert steps.phrases(rare.split())[-1] == (3, 4)
    embedding = load_embedding("wordnet-poincare", 50)
    word = embedding.vocabulary.words[3]
    texts = [f"play the song {i % 3}" for i in range(60)] + [f"play the {word}"]
    changed = phrase_words(embedding, Uniform(50))(texts, seeded(0))
    assert changed[:60] == texts[:60]
    assert changed[60].startswith("play the ")


def test_tasks_are_solved_on_originals_only(made: dict[str, Reproduction]) -> None:
    rows = made["feyisetan-table6"].rows
    scores = {(row[0], row[2], row[3]): row[4] for row in rows}
    assert {row[0] for row in rows} == set(utility.PUBLISHED)
    for task in utility.PUBLISHED:
        assert scores[task, "original", None] > 95  # type: ignore[operator]
        assert scores[task, "random, all content words", None] < 90  # type: ignore[operator]


def test_intents_survive_a_large_epsilon(made: dict[str, Reproduction]) -> None:
    rows = made["feyisetan-table1"].rows
    assert rows[0][4] == 1.0
    assert all(row[4] > 0.8 for row in rows if row[1] == "balanced")  # type: ignore[operator]
    assert any("[ohio]" in line for line in made["feyisetan-table1"].remarks)


def test_only_known_nouns_are_replaced_when_others_pass() -> None:
    embedding = load_embedding("wordnet-poincare", 50)
    word = embedding.vocabulary.words[3]
    text = f"He quickly saw the {word.upper()} ."
    replace = passing(embedding, Uniform(50))
    found = replace([text] * 40, seeded(0))
    assert all(t.startswith("He quickly saw the ") and t.endswith(" .") for t in found)
    assert len({t.split()[4] for t in found}) > 15
    changed = releasing(embedding, Uniform(50))([text] * 40, seeded(0))
    assert all("quickly" not in t for t in changed)


def test_places_are_spread_evenly() -> None:
    assert spread_out(10, 5) == [0, 2, 4, 6, 8]
    assert spread_out(3, 5) == [0, 1, 2]
    assert len(set(spread_out(1000, 300))) == 300


def test_missing_files_are_named(tmp_path: Path) -> None:
    for name in REPRODUCTIONS:
        if NEEDS[name]:
            with pytest.raises(DataError, match="lack"):
                REPRODUCTIONS[name](Setting(tmp_path, effort=0.05))
