"""Reproductions of Feyisetan, Diethe and Drake 2019: names and figures."""

import re

import pytest

from publius.papers.directional import Reproduction
from publius.papers.directional.result import curve
from publius.papers.experiment import Experiment
from publius.papers.hyperbolic import EXPERIMENTS
from publius.papers.hyperbolic.statistics import _expected_over_epsilon


@pytest.mark.parametrize("one", EXPERIMENTS.values(), ids=EXPERIMENTS.keys())
def test_titles_name_the_paper(one: Experiment) -> None:
    assert one.title.startswith("Feyisetan, Diethe and Drake 2019: ")


def test_table_four_has_a_curve_for_each_space() -> None:
    rows = [
        ("exponential", 2.0, 9.0, 8, 5.0, 4, None, 3, 2.0, 1),
        ("exponential", 4.0, 90.0, 80, 50.0, 40, 30.0, 30, 20.0, 10),
    ]
    curves = _expected_over_epsilon(rows)
    assert [(one.panel, one.label, one.x) for one in curves] == [
        ("exponential", "hyperbolic", (2.0, 4.0)),
        ("exponential", "GloVe 100 d", (4.0,)),
        ("exponential", "word2vec 300 d", (2.0, 4.0)),
    ]


def test_a_table_without_curves_has_no_empty_figure() -> None:
    assert Reproduction("x", "x", ("a",), ((1,),)).picture() == ""


def test_few_abscissae_over_two_decades_are_named_as_they_are() -> None:
    found = (0.125, 0.5, 1, 2, 8)
    drawn = curve("N_w", "ours", found, (1, 10, 100, 500, 1000))
    picture = Reproduction("x", "x", ("a",), ((1,),), (drawn,)).picture()
    ticks = re.findall(r">\s*([0-9.]+)\s*</text>", picture)
    assert ticks[:5] == ["0.125", "0.5", "1", "2", "8"]
    # 10 and its power are written apart; a small tick would begin with 2 ×.
    assert "×" not in picture
