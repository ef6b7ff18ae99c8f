"""Terms, what they guarantee, and what a guarantee refuses."""

import json
import math
from typing import Any

import numpy as np
import pytest

from publius.core.errors import DataError, GuaranteeMismatchError, ParameterError
from publius.core.guarantee import (
    Chordal,
    Flat,
    Gaussian,
    Guarantee,
    Landmarks,
    Linear,
    Scope,
    Term,
    Unit,
)
from publius.core.loss import ORDERS, Loss

TERMS: list[Term] = [Linear(2.0, 5.0), Chordal(2.0), Flat(1.5), Gaussian(3.0)]


def guarantee(*terms: Term, metric: str = "euclidean@1f", **kw: Any) -> Guarantee:
    return Guarantee(metric, Unit.TOKEN, terms, **kw)


@pytest.mark.parametrize("term", TERMS)
def test_nothing_is_lost_between_equal_secrets(term: Term) -> None:
    assert term.at(0.0) == Loss()


@pytest.mark.parametrize("bad", [-1.0, math.nan])
@pytest.mark.parametrize("term", [Linear, Chordal, Flat, Gaussian])
def test_bad_parameters_are_refused(term: Any, bad: float) -> None:
    with pytest.raises(ParameterError):
        term(bad)


def test_bad_limit_is_refused() -> None:
    with pytest.raises(ParameterError, match="limit"):
        Linear(1.0, math.nan)


def test_linear_term_grows_up_to_its_limit() -> None:
    term = Linear(2.0, 5.0)
    assert [term.at(d).pure for d in (1.0, 2.5, 9.0, math.inf)] == [2.0, 5.0, 5.0, 5.0]


def test_linear_term_without_epsilon_loses_nothing_at_infinity() -> None:
    assert Linear(0.0).at(math.inf) == Loss()


def test_chordal_term_is_the_chord() -> None:
    term = Chordal(2.0)
    assert term.at(math.pi / 3).pure == pytest.approx(2.0)  # chord of 60° is 1
    assert term.at(math.pi).pure == term.at(9.0).pure == pytest.approx(4.0)


def test_flat_term_ignores_distance() -> None:
    assert Flat(1.5).at(1e-9) == Flat(1.5).at(1e9) == Loss.from_pure(1.5)
    assert Flat(math.inf).at(1.0) == Loss.unbounded()


def test_gaussian_term_is_quadratic_and_not_pure() -> None:
    # D_a(N(0, s²) || N(d, s²)) = a d² / (2 s²)
    loss = Gaussian(3.0).at(6.0)
    assert loss.pure == math.inf
    assert loss.renyi == pytest.approx([order * 2.0 for order in ORDERS])


@pytest.mark.parametrize("distance", [-1.0, math.nan])
def test_bad_distance_is_refused(distance: float) -> None:
    with pytest.raises(ParameterError, match="distance"):
        guarantee(Linear(1.0)).at(distance)


@pytest.mark.parametrize("changed", [-1, 1.5, math.nan])
def test_bad_number_of_changed_units_is_refused(changed: Any) -> None:
    with pytest.raises(ParameterError, match="changed"):
        guarantee(Linear(1.0)).at(1.0, changed=changed)


def test_changed_units_add_up() -> None:
    assert guarantee(Linear(2.0)).at(0.5, changed=3).pure == pytest.approx(3.0)
    assert guarantee(Linear(2.0)).at(0.5, changed=0) == Loss()


@pytest.mark.parametrize(
    "other",
    [
        guarantee(Linear(1.0), metric="angular@9f"),
        Guarantee("euclidean@1f", Unit.AUTHOR, ()),
    ],
)
def test_unlike_guarantees_are_not_added(other: Guarantee) -> None:
    with pytest.raises(
        GuaranteeMismatchError, match="cannot add a guarantee per token"
    ):
        guarantee(Linear(1.0)).then(other)


def test_composition_keeps_every_sentence_once() -> None:
    a = guarantee(Linear(1.0), scope=Scope(("x",), ("y",), ("z",)))
    b = guarantee(Flat(1.0), scope=Scope(("x", "w"), ("y",), ()))
    assert a.then(b).scope == Scope(("x", "w"), ("y",), ("z",))
    assert a.covering(Scope(uncovered=("layout",))).scope.uncovered == ("y", "layout")


def test_composition_adds_the_loss_of_unknown_words() -> None:
    a = guarantee(Linear(1.0), landmarks=Landmarks(0.5, 4.0, 3.0))
    assert a.then(a).landmarks == Landmarks(0.5, 4.0, 6.0)


@pytest.mark.parametrize("name", ["near", "diameter", "unknown_loss"])
def test_landmarks_are_not_negative(name: str) -> None:
    with pytest.raises(ParameterError, match=name):
        Landmarks(**{name: -1.0})


@pytest.mark.parametrize("name", ["diameter", "unknown_loss"])
def test_landmarks_are_numbers(name: str) -> None:
    with pytest.raises(ParameterError, match=name):
        Landmarks(**{name: math.nan})


def test_headline_numbers() -> None:
    found = guarantee(Linear(2.0, 5.0), landmarks=Landmarks(0.5, 4.0, 3.0))
    assert (found.near_level, found.worst_loss) == (1.0, 5.0)
    assert math.isnan(guarantee(Linear(2.0)).near_level)
    assert guarantee(Linear(2.0)).worst_loss == math.inf


@pytest.mark.parametrize("term", [*TERMS, Linear(1.0), Flat(math.inf)])
def test_json_round_trip_keeps_infinities(term: Term) -> None:
    scope = Scope(("covered",), ("not",), ("assumed",))
    before = guarantee(term, term, scope=scope, landmarks=Landmarks(0.5))
    text = json.dumps(before.to_json(), allow_nan=False)
    assert Guarantee.from_json(json.loads(text)) == before


def test_json_round_trip_keeps_missing_landmarks() -> None:
    after = Guarantee.from_json(guarantee(Flat(1.0)).to_json())
    assert math.isnan(after.landmarks.near)
    assert after.landmarks.diameter == math.inf


@pytest.mark.parametrize(
    "change",
    [
        {"metric": None, "terms": None},
        {"unit": "nobody"},
        {"terms": [{"kind": "cubic", "epsilon": 1.0}]},
        {"terms": [{"kind": "linear", "epsilon": -1.0}]},
        {"terms": [{"kind": "linear", "epsilon": None}]},
        {"terms": [{"kind": "linear", "speed": 1.0}]},
        {"terms": [{"epsilon": 1.0}]},
        {"terms": 3},
        {"landmarks": {"near": 1.0}},
        {"landmarks": {"near": "far", "diameter": 1.0, "unknown_loss": 1.0}},
        {"landmarks": 7},
        {"covered": 7},
    ],
)
def test_other_json_is_not_a_guarantee(change: dict[str, Any]) -> None:
    value = {**guarantee(Linear(1.0)).to_json(), **change}
    with pytest.raises(DataError, match="not a guarantee"):
        Guarantee.from_json(value)


def test_bag_needs_a_word() -> None:
    with pytest.raises(ParameterError, match="size"):
        guarantee(Linear(1.0)).for_bag(0)


def test_bag_names_metric_size_and_unit() -> None:
    bag = guarantee(Linear(2.0, 5.0), landmarks=Landmarks(0.5, 4.0, 3.0)).for_bag(7)
    assert (bag.metric, bag.unit) == ("emd(euclidean@1f):size=7", Unit.DOCUMENT)
    assert bag.terms == (Linear(14.0, 35.0),)
    assert bag.landmarks.unknown_loss == 21.0


@pytest.mark.parametrize(
    ("term", "lifted"),
    [
        (Chordal(2.0), Chordal(6.0)),
        (Flat(1.5), Flat(4.5)),
        (Gaussian(3.0), Gaussian(1.0)),
    ],
)
def test_lift_of_a_bag_of_three(term: Term, lifted: Term) -> None:
    assert term.lift(3) == lifted


def test_guarantee_is_plain_numbers() -> None:
    value = guarantee(Linear(np.float64(1.0))).to_json()
    assert json.loads(json.dumps(value)) == value


def test_what_is_unknown_in_both_is_alike() -> None:
    unknown = Landmarks(near=float("nan"))
    assert unknown == Landmarks(near=float("nan"))
    assert hash(unknown) == hash(Landmarks(near=float("nan")))
    assert unknown != Landmarks(near=1.0)
    assert unknown != 1.0
