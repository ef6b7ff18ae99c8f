"""Composition laws of what is spent over many releases."""

import math
import tempfile
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import ndtr

from publius.accounting.gaussian import epsilon_of
from publius.accounting.ledger import Ledger
from publius.accounting.spending import Charge, Cost, Spending
from publius.core.guarantee import Flat, Guarantee, Unit

DELTAS = st.sampled_from([1e-9, 1e-6, 1e-3])
AMOUNTS = st.floats(0, 50, allow_nan=False)
NOISE = st.sampled_from([0.0, 1e-4, 0.01, 0.3, 4.0])


@st.composite
def costs(draw: st.DrawFn) -> Cost:
    near, more = draw(AMOUNTS), draw(AMOUNTS | st.just(math.inf))
    return Cost(near + more, near, draw(NOISE), draw(st.sampled_from([0.0, 1e-10])))


SPENT = st.lists(st.tuples(costs(), st.integers(0, 9)), max_size=4).map(Spending.of)


@given(SPENT, SPENT, SPENT)
def test_order_and_grouping_do_not_matter(
    a: Spending, b: Spending, c: Spending
) -> None:
    assert a + b == b + a
    assert (a + b) + c == a + (b + c)
    assert a + Spending() == a


@given(SPENT, st.integers(0, 12), DELTAS)
def test_repeating_n_times_is_listing_n_times(
    spent: Spending, n: int, delta: float
) -> None:
    listed = sum([spent] * n, Spending())
    assert listed == n * spent
    assert listed.epsilon(delta) == (spent * n).epsilon(delta)
    assert listed.count == n * spent.count


@given(SPENT, SPENT, DELTAS)
def test_more_releases_never_cost_less(a: Spending, b: Spending, delta: float) -> None:
    assert (a + b).epsilon(delta) >= max(a.epsilon(delta), b.epsilon(delta)) * (
        1 - 1e-9
    )
    assert (a + b).near_epsilon(delta) <= (a + b).epsilon(delta)


@given(st.floats(0.01, 6), st.floats(0.05, 3), st.integers(1, 5), DELTAS)
def test_a_mix_of_pure_and_normal_noise_is_a_true_bound(
    pure: float, mu: float, count: int, delta: float
) -> None:
    """Against the exact δ of randomized response beside normal noise."""
    spent = Spending.of([(Cost(pure, pure), 1), (Cost(0, 0, mu * mu), count)])
    claimed = spent.epsilon(delta)
    share = 1 / (1 + math.exp(-pure))
    ratio = mu * math.sqrt(count)

    def normal(epsilon: float) -> float:
        above = ndtr(ratio / 2 - epsilon / ratio)
        below = ndtr(-ratio / 2 - epsilon / ratio)
        return float(above - math.exp(epsilon) * below)

    def exact(epsilon: float) -> float:
        return share * normal(epsilon - pure) + (1 - share) * normal(epsilon + pure)

    rounding = 1e-13 * math.exp(claimed + pure)
    assert exact(claimed) <= delta * (1 + 1e-6) + rounding
    # Leaving the pure part out would not be a bound.
    lower = epsilon_of(ratio, delta)
    if pure > 1 and delta > 1e-4 and exact(lower) > rounding:
        assert exact(lower) > delta


@given(st.lists(st.floats(0.01, 2), min_size=1, max_size=6), DELTAS)
def test_normal_noise_composes_exactly(ratios: list[float], delta: float) -> None:
    spent = Spending.of((Cost(0, 0, mu * mu), 1) for mu in ratios)
    together = math.sqrt(math.fsum(mu * mu for mu in ratios))
    assert math.isclose(spent.epsilon(delta), epsilon_of(together, delta), rel_tol=1e-9)


@settings(max_examples=15)
@given(st.lists(st.tuples(costs(), st.integers(1, 9)), max_size=3), st.integers(1, 4))
def test_a_ledger_charges_n_times_what_it_charges_once(
    releases: list[tuple[Cost, int]], n: int
) -> None:
    guarantee = Guarantee("m", Unit.TOKEN, (Flat(1.0),))
    with (
        tempfile.TemporaryDirectory() as folder,
        Ledger.open(Path(folder) / "ledger") as ledger,
    ):
        for k, (cost, count) in enumerate(releases):
            charge = Charge("m.v1", guarantee, cost)
            ledger.charge(f"once {k}", charge, {"once": count})
            for repeat in range(n):
                ledger.charge(f"{repeat} {k}", charge, {"often": count})
        assert ledger.lost("once") == Spending.of(releases)
        assert ledger.lost("often") == n * ledger.lost("once")
