"""Composition, groups and bags, against brute force on every output."""

import json
import math
from collections.abc import Iterator
from functools import reduce
from itertools import combinations_with_replacement, product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linear_sum_assignment

from publius.core.errors import GuaranteeMismatchError
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
from publius.core.loss import Loss
from publius.core.metric import Euclidean

POSITIVE = st.floats(1e-3, 1e3)
TERMS: st.SearchStrategy[Term] = st.one_of(
    st.builds(Linear, st.floats(0, 1e3), st.one_of(st.just(math.inf), POSITIVE)),
    st.builds(Chordal, st.floats(0, 1e3)),
    st.builds(Flat, st.one_of(st.just(math.inf), POSITIVE)),
    st.builds(Gaussian, POSITIVE),
)
SENTENCES = st.lists(st.sampled_from(["a.", "b.", "c."]), unique=True).map(tuple)
GUARANTEES = st.builds(
    Guarantee,
    metric=st.just("euclidean@77ab"),
    unit=st.just(Unit.TOKEN),
    terms=st.lists(TERMS, max_size=4).map(tuple),
    scope=st.builds(Scope, SENTENCES, SENTENCES, SENTENCES),
    landmarks=st.builds(Landmarks, POSITIVE, POSITIVE, st.floats(0, math.inf)),
)


def numbers(loss: Loss) -> tuple[float, ...]:
    return (loss.pure, *loss.renyi, loss.slack)


@given(GUARANTEES, GUARANTEES, st.floats(0, 10))
def test_then_adds_losses(a: Guarantee, b: Guarantee, distance: float) -> None:
    wanted = a.at(distance) + b.at(distance)
    assert numbers(a.then(b).at(distance)) == pytest.approx(numbers(wanted))


@given(GUARANTEES, st.integers(1, 6), st.floats(0, 10))
def test_repeating_equals_listing(a: Guarantee, count: int, distance: float) -> None:
    listed = reduce(Guarantee.then, [a] * count)
    assert numbers(listed.at(distance)) == pytest.approx(
        numbers(a.at(distance) * count)
    )
    assert listed.scope == a.scope


@given(GUARANTEES, st.integers(0, 9), st.floats(0, 10))
def test_a_group_costs_the_sum_of_its_members(
    a: Guarantee, changed: int, distance: float
) -> None:
    listed = sum([a.at(distance)] * changed, Loss())
    assert numbers(a.at(distance, changed=changed)) == pytest.approx(numbers(listed))


@given(GUARANTEES, st.sampled_from(["angular@1", "euclidean@77ac"]))
def test_another_metric_is_refused(a: Guarantee, metric: str) -> None:
    other = Guarantee(metric, a.unit, a.terms)
    with pytest.raises(GuaranteeMismatchError):
        a.then(other)


@given(GUARANTEES, st.sampled_from([unit for unit in Unit if unit is not Unit.TOKEN]))
def test_another_unit_is_refused(a: Guarantee, unit: Unit) -> None:
    with pytest.raises(GuaranteeMismatchError):
        a.then(Guarantee(a.metric, unit, a.terms))


@given(GUARANTEES)
def test_json_round_trip(a: Guarantee) -> None:
    text = json.dumps(a.to_json(), allow_nan=False)
    assert Guarantee.from_json(json.loads(text)) == a


@given(TERMS, st.floats(0, 3), st.floats(0, 3))
def test_loss_grows_with_distance(term: Term, a: float, b: float) -> None:
    near, far = sorted((a, b))
    pairs = zip(numbers(term.at(near)), numbers(term.at(far)), strict=True)
    assert all(low <= high * (1 + 1e-12) for low, high in pairs)


@given(TERMS, st.lists(st.floats(0, 3), min_size=1, max_size=6))
def test_lift_bounds_every_way_to_share_a_distance(
    term: Term, moved: list[float]
) -> None:
    # A bag's Earth Mover's distance is the mean distance of the best matching.
    total = sum((term.at(distance) for distance in moved), Loss())
    lifted = term.lift(len(moved)).at(math.fsum(moved) / len(moved))
    pairs = zip(numbers(total), numbers(lifted), strict=True)
    assert all(spent <= allowed * (1 + 1e-9) + 1e-300 for spent, allowed in pairs)


# --- brute force on small bags -------------------------------------------------------

POINTS = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 2.0]])
BETA = 0.7


def channel() -> Any:
    weights = np.exp(-BETA * Euclidean().pairwise(POINTS, POINTS))
    return weights / weights.sum(axis=1, keepdims=True)


def bag_law(bag: tuple[int, ...]) -> dict[tuple[int, ...], float]:
    """Return the probability of every output bag, by listing all output sequences."""
    law: dict[tuple[int, ...], float] = {}
    table = channel()
    for drawn in product(range(len(POINTS)), repeat=len(bag)):
        key = tuple(sorted(drawn))
        law[key] = law.get(key, 0.0) + float(np.prod(table[list(bag), list(drawn)]))
    return law


def word_guarantee() -> Guarantee:
    """Certify the channel by brute force."""
    table = np.log(channel())
    loss = np.abs(table[:, None] - table[None]).max(axis=2)
    distance = Euclidean().pairwise(POINTS, POINTS)
    apart = distance > 0
    epsilon = float((loss[apart] / distance[apart]).max())
    return Guarantee("euclidean", Unit.TOKEN, (Linear(epsilon, float(loss.max())),))


def bag_pairs(size: int) -> Iterator[tuple[float, float]]:
    """Yield Earth Mover's distance and exact loss of every pair of bags."""
    bags = list(combinations_with_replacement(range(len(POINTS)), size))
    laws = {bag: bag_law(bag) for bag in bags}
    for a, b in combinations_with_replacement(bags, 2):
        cost = Euclidean().pairwise(POINTS[list(a)], POINTS[list(b)])
        moved = float(cost[linear_sum_assignment(cost)].mean())
        yield moved, max(abs(math.log(laws[a][z] / laws[b][z])) for z in laws[a])


@pytest.mark.parametrize("size", [1, 2, 3, 4])
def test_bags_are_private_under_the_earth_movers_metric(size: int) -> None:
    guarantee = word_guarantee().for_bag(size)
    for moved, loss in bag_pairs(size):
        assert loss <= guarantee.at(moved).pure + 1e-12


@pytest.mark.parametrize("size", [2, 3, 4])
def test_the_factor_of_the_bag_size_is_needed(size: int) -> None:
    # Without the factor N (Fernandes et al. 2018) the claim is false.
    word = word_guarantee()
    assert any(loss > word.at(moved).pure + 1e-6 for moved, loss in bag_pairs(size))


@pytest.mark.parametrize("size", [2, 3])
def test_sequences_lose_the_sum_over_changed_positions(size: int) -> None:
    table = np.log(channel())
    distance = Euclidean().pairwise(POINTS, POINTS)
    word = word_guarantee()
    outputs = np.array(list(product(range(3), repeat=size)))
    for a, b in product(product(range(3), repeat=size), repeat=2):
        gap = sum(table[x][outputs[:, i]] - table[y][outputs[:, i]]
                  for i, (x, y) in enumerate(zip(a, b, strict=True)))  # fmt: skip
        changed = sum(x != y for x, y in zip(a, b, strict=True))
        farthest = max(distance[x, y] for x, y in zip(a, b, strict=True))
        allowed = word.at(farthest, changed=changed).pure
        assert np.abs(gap).max() <= allowed + 1e-12
