"""What a guarantee costs, and what a budget allows."""

import math

import pytest

from publius.accounting.gaussian import guarantee_epsilon
from publius.accounting.spending import Budget, Charge, Cost, Spending
from publius.core.errors import ParameterError
from publius.core.guarantee import (
    Flat,
    Gaussian,
    Guarantee,
    Landmarks,
    Linear,
    Scope,
    Unit,
)
from publius.core.loss import Loss


def guarantee(*terms: object, diameter: float = 4.0) -> Guarantee:
    return Guarantee("m", Unit.TOKEN, terms, landmarks=Landmarks(1.0, diameter, 9.0))  # type: ignore[arg-type]


def test_a_linear_guarantee_costs_its_diameter() -> None:
    assert Cost.of(guarantee(Linear(2.0))) == Cost(8.0, 8.0)
    assert Cost.of(guarantee(Linear(2.0)), near=2.0, unknown=9.0) == Cost(9.0, 2.0)
    assert Cost.of(guarantee(Linear(2.0), Flat(1.0))) == Cost(9.0, 9.0)


def test_normal_noise_costs_its_squared_ratio() -> None:
    noisy = guarantee(Gaussian(2.0))
    assert Cost.of(noisy) == Cost(0.0, 0.0, 4.0)
    spent = Spending.of([(Cost.of(noisy), 3)])
    exact = guarantee_epsilon(noisy, 1e-6, changed=3)
    assert spent.epsilon(1e-6) == pytest.approx(exact, rel=1e-12)
    assert not spent.is_pure


def test_no_guarantee_is_no_bound() -> None:
    none = Spending.of([(Cost.of(guarantee(Flat(math.inf))), 1)])
    assert none.epsilon() == none.near_epsilon() == math.inf
    endless = guarantee(Gaussian(1.0), diameter=math.inf)
    assert Spending.of([(Cost.of(endless), 1)]).epsilon() == math.inf


class Failing:
    def at(self, distance: float) -> Loss:
        return Loss(pure=distance, slack=1e-7)


def test_probabilities_of_failure_add_and_come_out_of_delta() -> None:
    cost = Cost.of(guarantee(Failing()))
    assert cost == Cost(4.0, 4.0, slack=1e-7)
    assert Spending.of([(cost, 9)]).epsilon(1e-6) == 36.0
    assert Spending.of([(cost, 11)]).epsilon(1e-6) == math.inf
    exhausted = Spending.of([(Cost(1.0, 1.0, 1.0, 0.5), 1)])
    assert exhausted.epsilon(0.5) == math.inf


def test_nothing_costs_nothing() -> None:
    assert Spending().epsilon() == 0
    assert Spending().is_pure
    assert Spending.of([(Cost(1, 1), 0)]) == Spending()


@pytest.mark.parametrize(
    "values", [(-1, 0), (math.nan, 0), (1, 2), (1, 1, -1), (1, 1, math.nan)]
)
def test_impossible_costs_are_refused(values: tuple[float, ...]) -> None:
    with pytest.raises(ParameterError, match="cost"):
        Cost(*values)


def test_slack_is_a_probability() -> None:
    with pytest.raises(ParameterError, match="slack"):
        Cost(1, 1, 0, 1.5)


def test_spending_lists_every_cost_once() -> None:
    with pytest.raises(ParameterError, match="once"):
        Spending(((Cost(1, 1), 1), (Cost(1, 1), 2)))
    with pytest.raises(ParameterError, match="count"):
        Spending(((Cost(1, 1), 0),))


def test_a_budget_says_what_is_left() -> None:
    spent = Spending.of([(Cost(3.0, 1.0), 2)])
    budget = Budget(6.0, near=5.0)
    assert budget.allows(spent)
    assert budget.left(spent) == (0.0, 3.0)
    assert not budget.allows(spent + spent)
    assert budget.left(spent + spent) == (0.0, 1.0)
    assert not Budget(near=1.5).allows(spent)
    assert str(budget) == "ε = 6 and ε = 5 between near secrets"
    assert str(Budget(2e6, near=1234.5)).startswith("ε = 2,000,000 and ε = 1,234.5 ")


def test_without_a_limit_no_bound_is_too_much() -> None:
    endless = Spending.of([(Cost(math.inf, 1.0), 1)])
    assert Budget().allows(endless)
    assert Budget(near=2.0).allows(endless)
    assert not Budget(1e9).allows(endless)
    assert str(Budget()) == ""


@pytest.mark.parametrize("values", [(0,), (-1,), (math.nan,), (1, 0), (1, 1, 0)])
def test_impossible_budgets_are_refused(values: tuple[float, ...]) -> None:
    with pytest.raises(ParameterError):
        Budget(*values)


def test_a_bill_can_say_more() -> None:
    charge = Charge("m.v1", guarantee(Linear(1.0)), Cost(4.0, 4.0))
    assert charge.covering(Scope(("more",))).guarantee.scope.covered == ("more",)
