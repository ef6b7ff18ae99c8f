"""Every word mechanism by name: built, released with, remapped, and honest."""

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from publius.core.config import WordSettings
from publius.core.errors import DataError, ParameterError, UnknownNameError
from publius.core.mechanism import Finite
from publius.core.rng import seeded
from publius.materials.words.assemble import (
    resolved,
    sanitizer,
    word_embedding,
    word_mechanism,
    word_space,
)
from publius.mechanisms.graded import Graded
from publius.mechanisms.words.block import blocked_words
from publius.mechanisms.words.given import read_setting, with_settings
from publius.mechanisms.words.sensitivity import sensitive_words, word_epsilons
from publius.mechanisms.words.settings import GradedSettings

SMALL = WordSettings(vocabulary=120, epsilon=6.0)
NAMES = (
    "custext",
    "graded",
    "mahalanobis",
    "projection",
    "santext",
    "santext_plus",
    "syntf",
)


@pytest.mark.parametrize("name", NAMES)
def test_texts_are_released_with_every_mechanism(name: str) -> None:
    cleaner = sanitizer(replace(SMALL, mechanism=name))
    assert cleaner.embedding.size == cleaner.mechanism.size  # type: ignore[attr-defined]
    released = cleaner.release(["The people of the world."] * 3, seeded(1))
    words = set(cleaner.embedding.vocabulary.words)
    for text in released.texts:
        people, world = text.removeprefix("The ").removesuffix(".").split(" of the ")
        assert {people, world} <= words
    assert released.guarantee.scope.covered


@pytest.mark.slow
def test_syntf_replaces_words_of_its_own_vocabulary() -> None:
    cleaner = sanitizer(replace(SMALL, mechanism="syntf", vocabulary=None))
    assert cleaner.embedding.size == 10_000
    released = cleaner.release(["zygote meteorology the"], seeded(0))
    assert released.perturbed.tolist() == [2]


@pytest.mark.parametrize("name", ["santext-plus", "custext"])
def test_a_guarantee_that_does_not_cover_says_no_bound(name: str) -> None:
    guarantee = sanitizer(replace(SMALL, mechanism=name)).guarantee()
    assert math.isinf(guarantee.worst_loss)
    assert guarantee.to_json()["worst_loss"] is None


@pytest.mark.parametrize(
    ("name", "own"), [("mahalanobis", "mahalanobis"), ("projection", "projected")]
)
def test_two_metrics_of_one_noise(name: str, own: str) -> None:
    for metric in (own, "euclidean"):
        settings = resolved(
            replace(SMALL, mechanism=name, metric=metric, level=5.0, epsilon=4.0)
        )
        guarantee = word_mechanism(settings).guarantee()
        assert guarantee.metric.startswith(metric)
        assert guarantee.near_level == pytest.approx(5.0, rel=1e-5)
        assert word_space(settings).id == guarantee.metric
    with pytest.raises(ParameterError, match=own):
        word_space(replace(SMALL, mechanism=name, metric="angular"))


@pytest.mark.parametrize("remap", ["bayes", "rank"])
@pytest.mark.parametrize("name", ["exponential", "santext", "custext", "syntf"])
def test_remap_keeps_the_guarantee_of_every_finite_mechanism(
    name: str, remap: str
) -> None:
    settings = replace(SMALL, mechanism=name)
    plain = word_mechanism(settings).guarantee()
    mapped = word_mechanism(replace(settings, remap=remap))
    assert mapped.guarantee().terms == plain.terms
    assert mapped.guarantee().landmarks == plain.landmarks
    assert mapped.name.endswith(f"+{remap}-remap.v1")
    assert isinstance(mapped, Finite)
    # The second time the table comes from the cache and is the same.
    again = word_mechanism(replace(settings, remap=remap))
    ids = np.arange(50)
    np.testing.assert_array_equal(
        mapped.perturb(ids, seeded(3)), again.perturb(ids, seeded(3))
    )


def test_remap_of_a_continuous_mechanism_is_refused() -> None:
    with pytest.raises(ParameterError, match="finite"):
        word_mechanism(replace(SMALL, mechanism="laplace", remap="rank"))


def test_sensitive_words_are_the_rarest_or_those_of_a_list(tmp_path: Path) -> None:
    embedding = word_embedding(SMALL)
    flags = sensitive_words(embedding, GradedSettings(sensitive=0.25))
    assert flags.sum() == 30
    assert flags[-30:].all()
    listed = tmp_path / "list.txt"
    listed.write_text("People\nnowhere\nworld\n")
    flags = sensitive_words(embedding, GradedSettings(sensitive_words=str(listed)))
    names = [embedding.vocabulary.words[i] for i in np.flatnonzero(flags)]
    assert sorted(names) == ["people", "world"]
    listed.write_text("nowhere")
    with pytest.raises(DataError, match="sensitive"):
        sensitive_words(embedding, GradedSettings(sensitive_words=str(listed)))
    with pytest.raises(DataError, match="does not exist"):
        sensitive_words(embedding, GradedSettings(sensitive_words="/nowhere/list"))


def test_words_may_have_an_epsilon_of_their_own(tmp_path: Path) -> None:
    listed = tmp_path / "list.txt"
    listed.write_text("People,1.5\nworld\nnowhere,1\n")
    own = GradedSettings(sensitive_words=str(listed), sensitive_epsilon=2.5)
    embedding = word_embedding(SMALL)
    epsilons = word_epsilons(embedding, SMALL.epsilon, own).tolist()
    by_word = dict(zip(embedding.vocabulary.words, epsilons, strict=True))
    told = [by_word[word] for word in ("people", "world", "government")]
    assert told == [1.5, 2.5, 6.0]
    built = word_mechanism(replace(SMALL, mechanism="graded", own=(own,)))
    assert isinstance(built, Graded)
    assert len(built.parts) == 3
    said = " ".join(built.guarantee().scope.covered)
    assert "Grade 3" in said
    for wrong, what in (("people,x", "line 1"), ("people,7", "at most epsilon")):
        listed.write_text(wrong)
        with pytest.raises((DataError, ParameterError), match=what):
            word_epsilons(embedding, SMALL.epsilon, own)
    names = embedding.vocabulary.words
    listed.write_text("".join(f"{names[i]},{0.1 * i + 1}\n" for i in range(9)))
    with pytest.raises(ParameterError, match="at most 8"):
        word_epsilons(embedding, SMALL.epsilon, own)


def test_grades_must_be_in_order() -> None:
    own = (GradedSettings(sensitive_epsilon=9.0),)
    with pytest.raises(ParameterError, match="sensitive-epsilon"):
        word_mechanism(replace(SMALL, mechanism="graded", own=own))


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("group=8", ("group", 8)),
        ("mix = 0.25", ("mix", 0.25)),
        ("synonyms=true", ("synonyms", True)),
        ("sensitive-words=list.txt", ("sensitive_words", "list.txt")),
        ('prior="zipf"', ("prior", "zipf")),
    ],
)
def test_settings_from_the_command_line(text: str, found: tuple[str, object]) -> None:
    assert read_setting(text) == found


def test_bad_settings_from_the_command_line_are_refused() -> None:
    with pytest.raises(ParameterError, match="NAME=VALUE"):
        read_setting("group")
    with pytest.raises(UnknownNameError, match="did you mean 'group'"):
        read_setting("grup=3")


@pytest.mark.parametrize(
    "changes",
    [
        {"mix": 1.5},
        {"sensitive": -0.1},
        {"replaced": math.nan},
        {"group": 1},
        {"projected": 0},
        {"spread": 0.0},
        {"remap": "best"},
        {"prior": "zip"},
        {"morphology": "stem"},
        {"weighting": "bm25"},
        {"sensitive_epsilon": -1.0},
    ],
)
def test_bad_settings_are_refused(changes: dict[str, object]) -> None:
    with pytest.raises(ParameterError):
        with_settings(SMALL, changes)


def test_a_list_may_begin_with_the_mark_of_an_editor(tmp_path: Path) -> None:
    embedding = word_embedding(SMALL)
    first, second = embedding.vocabulary.words[20:22]
    listed = tmp_path / "words.txt"
    listed.write_text(f"{first}\n{second}\n", "utf-8-sig")
    assert blocked_words(WordSettings(block=str(listed))) == {first, second}
    flags = sensitive_words(embedding, GradedSettings(sensitive_words=str(listed)))
    assert np.flatnonzero(flags).tolist() == [20, 21]
