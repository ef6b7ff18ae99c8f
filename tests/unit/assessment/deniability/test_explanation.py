"""What explain says about a word, for every mechanism of the table."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from publius.assessment.deniability.explanation import explain
from publius.core.config import WordSettings
from publius.core.errors import DataError
from publius.core.mechanism import Finite
from publius.materials.words.assemble import (
    WORD_MECHANISMS,
    prepare,
    resolved,
    word_mechanism,
)

SMALL = WordSettings(vocabulary=150, epsilon=6.0)
FLAT = sorted(n for n, e in WORD_MECHANISMS.items() if e.metric != "hyperbolic")


@pytest.mark.parametrize("name", FLAT)
def test_probabilities_add_up_for_every_mechanism(name: str) -> None:
    found = explain("People", replace(SMALL, mechanism=name), best=8)
    assert found.word == "people"
    assert found.replacements.figures.sum() + found.others == pytest.approx(1.0)
    assert (np.diff(found.replacements.figures) <= 0).all()
    assert len(found.neighbours.words) == 8
    assert "people" not in found.neighbours.words
    assert (np.diff(found.neighbours.figures) >= 0).all()
    assert (found.deniable.figures >= 1e-3).all()
    assert "people" not in found.deniable.words


@pytest.mark.parametrize("name", ["exponential", "santext", "syntf"])
@pytest.mark.parametrize("words", [2, 3, 7])
def test_nothing_is_left_where_all_outputs_are_listed(name: str, words: int) -> None:
    small = replace(SMALL, mechanism=name, vocabulary=words)
    assert explain("the", small, best=words).others == 0.0


@pytest.mark.parametrize("name", ["exponential", "santext", "custext", "syntf"])
def test_the_deniability_set_of_a_small_vocabulary_is_complete(name: str) -> None:
    settings = resolved(replace(SMALL, mechanism=name))
    found = explain("people", settings)
    assert found.is_exact
    assert found.is_exhaustive
    built = word_mechanism(settings)
    assert isinstance(built, Finite)
    column = np.exp(built.channel(np.arange(150)))
    own = int(found.profile.ids[0])
    giving = np.delete(column[:, own], own)
    assert len(found.deniable.words) == (giving >= 1e-3).sum()
    assert found.deniable.figures.sum() == pytest.approx(giving[giving >= 1e-3].sum())


def test_equal_distances_are_ordered_by_vector() -> None:
    flat = explain("people", replace(SMALL, mechanism="syntf"))
    straight = explain("people", replace(SMALL, metric="euclidean"))
    assert flat.neighbours.words == straight.neighbours.words


@pytest.mark.slow
def test_of_a_large_vocabulary_candidates_are_asked() -> None:
    found = explain("people", replace(SMALL, mechanism="laplace", vocabulary=6000))
    assert not found.is_exact
    assert not found.is_exhaustive
    assert found.replacements.figures.sum() + found.others == pytest.approx(1.0)


def test_of_hops_all_inputs_are_found_whatever_the_size(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("publius.assessment.deniability.explanation.ROW_BUDGET", 1)
    assert not explain("people", replace(SMALL, mechanism="syntf")).is_exhaustive
    prepare(resolved(SMALL))
    found = explain("people", SMALL)
    assert found.is_exhaustive
    built = word_mechanism(found.settings)
    assert isinstance(built, Finite)
    own = int(found.profile.ids[0])
    giving = np.delete(np.exp(built.channel(np.arange(150)))[:, own], own)
    assert len(found.deniable.words) == (giving >= 1e-3).sum()


def test_a_remapped_word_is_explained_by_what_is_remapped_to_it() -> None:
    found = explain("people", replace(SMALL, remap="rank"))
    assert found.mechanism.endswith("+rank-remap.v1")
    assert found.deniable.words


def test_a_collocation_is_one_unit(tmp_path: Path) -> None:
    vectors = tmp_path / "phrases.txt"
    names = ("boston", "new_york", "hot_dog", "river")
    vectors.write_text("".join(f"{n} {i} {i % 3}\n" for i, n in enumerate(names)))
    settings = WordSettings(embedding=str(vectors), epsilon=1.0)
    found = explain("New York", settings)
    assert found.word == "new york"
    assert set(found.replacements.words) == {"boston", "new york", "hot dog", "river"}
    with pytest.raises(DataError, match="expected one word, got 2"):
        explain("new york", replace(settings, collocations=False))


@pytest.mark.parametrize(
    ("word", "said"), [("zyxq", "not in the vocabulary"), ("", "got 0")]
)
def test_what_cannot_be_explained_says_why(word: str, said: str) -> None:
    with pytest.raises(DataError, match=said):
        explain(word, SMALL)


@pytest.mark.slow
def test_a_like_space_names_what_a_word_is_taken_for() -> None:
    settings = WordSettings(metric="like")
    assert explain("damn", settings).stand_in == "awful"
    assert explain("awful", settings).stand_in == ""
    assert explain("london", settings).to_json()["class"] == "city"
