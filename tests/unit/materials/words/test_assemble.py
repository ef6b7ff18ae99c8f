import numpy as np
import pytest

from publius.core.config import WordSettings
from publius.core.errors import ParameterError, UnknownNameError
from publius.core.guarantee import Unit
from publius.core.rng import seeded
from publius.core.space import neighbour_distance
from publius.materials.words.assemble import (
    WORD_MECHANISMS,
    embedding_for,
    plan,
    prepare,
    resolved,
    sanitizer,
    word_entry,
)


def test_names_with_and_without_version() -> None:
    assert word_entry("exponential.v1") is word_entry("exponential")
    assert word_entry("tangent_laplace.v2") is word_entry("tangent-laplace")
    with pytest.raises(ParameterError, match=r"tangent_laplace\.v2 replaced it"):
        word_entry("tangent_laplace.v1")
    with pytest.raises(UnknownNameError, match="did you mean 'laplace'"):
        word_entry("laplase")


@pytest.mark.parametrize("name", ["retel", "dpvae"])
def test_misspelt_mechanisms_of_other_materials_are_suggested(name: str) -> None:
    right = {"retel": "retell", "dpvae": "dp-vae"}[name]
    with pytest.raises(UnknownNameError, match=f"did you mean '{right}'"):
        word_entry(name)


@pytest.mark.parametrize("metric", ["hop", "euclidean", "angular"])
def test_a_level_becomes_epsilon_over_the_distance_of_the_neighbour(
    metric: str,
) -> None:
    asked = WordSettings(vocabulary=80, metric=metric, level=3.0, neighbours=5)
    found = resolved(asked)
    near = neighbour_distance(embedding_for("glove-50k", 80).space(metric), 5)
    assert found.epsilon == pytest.approx(3.0 / near)
    assert found.level is None


def test_a_level_needs_two_words() -> None:
    with pytest.raises(ParameterError, match="more than one distinct word"):
        resolved(WordSettings(vocabulary=1, level=2.0))


def test_laplace_is_euclidean() -> None:
    with pytest.raises(ParameterError, match="euclidean"):
        plan(resolved(WordSettings(vocabulary=60, mechanism="laplace", metric="hop")))


@pytest.mark.parametrize("name", ["exponential", "laplace"])
def test_first_mechanisms_are_in_the_table(name: str) -> None:
    assert name in WORD_MECHANISMS


@pytest.mark.parametrize(
    ("settings", "unit"),
    [
        (WordSettings(vocabulary=60), Unit.TOKEN),
        (WordSettings(vocabulary=60, form="bag"), Unit.TOKEN),
        (WordSettings(vocabulary=60, form="bag", length=3), Unit.DOCUMENT),
        (WordSettings(vocabulary=60, form="tf"), Unit.DOCUMENT),
    ],
)
def test_plans_guarantee_what_their_form_protects(
    settings: WordSettings, unit: Unit
) -> None:
    assert plan(resolved(settings)).guarantee.unit is unit


def test_preparing_changes_no_draw() -> None:
    settings = resolved(WordSettings(vocabulary=90))
    before = sanitizer(settings).release(["people world " * 50], seeded(1)).texts
    prepare(settings)
    assert (
        sanitizer(settings).release(["people world " * 50], seeded(1)).texts == before
    )


@pytest.mark.parametrize(
    ("word", "share"), [("john", 0.83), ("london", 0.83), ("47", 0.80), ("1994", 0.80)]
)
def test_a_member_of_a_class_mostly_becomes_one(word: str, share: float) -> None:
    """README.md and docs/mechanisms/folded.md tell these shares."""
    made = plan(resolved(WordSettings()))
    place = made.embedding.vocabulary.words.index(word)
    row = np.exp(made.channel.channel(np.array([place]))[0])
    assert row[np.isclose(row, row[place])].sum() == pytest.approx(share, abs=0.006)
