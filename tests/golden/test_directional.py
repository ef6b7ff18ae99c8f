"""Constants of the directional laws to 1e-11, and their exact seeded draws.

``directional.json`` holds values of 25 digits with their formulas;
``directional_range.json`` spans n = 2 … 10,000 and kappa = 1e-6 … 1e6 and is recomputed
by ``make_directional.py``.
"""

import json
import math
from decimal import Decimal, localcontext
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from publius.core.rng import seeded
from publius.mechanisms.cap_uniform import CapUniform
from publius.mechanisms.clipped_laplace import ClippedLaplace
from publius.mechanisms.discrete_circular_laplace import DiscreteCircularLaplace
from publius.mechanisms.polar_laplace import PolarLaplace
from publius.mechanisms.purkayastha import Purkayastha, log_angular_integral
from publius.mechanisms.von_mises_fisher import VonMisesFisher
from publius.mechanisms.wrapped_laplace import WrappedLaplace

HERE = Path(__file__).parent
FILE = json.loads((HERE / "directional.json").read_text())
RANGE = json.loads((HERE / "directional_range.json").read_text())


def _number(entry: Any, key: str) -> Any:
    return float(entry[key])


def _purkayastha(entry: Any) -> Any:
    return Purkayastha(_number(entry, "kappa"), entry["n"])


def _vmf(entry: Any) -> Any:
    return VonMisesFisher(_number(entry, "kappa"), entry["n"])


def _wrapped(entry: Any) -> Any:
    return WrappedLaplace(_number(entry, "kappa"))


def _polar(entry: Any) -> Any:
    return PolarLaplace(_number(entry, "kappa"))


def _vector(angle: float) -> Any:
    return np.array([[math.cos(angle), math.sin(angle)]])


def _angle_of_cosine(text: str) -> Any:
    """Return arccos of a decimal near 1 without losing the digits of 1 - cos."""
    with localcontext(prec=40):
        half = ((1 - Decimal(text)) / 2).sqrt()
    return 2 * math.asin(half)


def _offset_log_pmf(entry: Any) -> Any:
    law = DiscreteCircularLaplace(_number(entry, "eps_per_step"), entry["N"])
    return law.log_prob([entry["offset"]], [0])[0]


def _wrapped_density(entry: Any) -> Any:
    angle = _number(entry, "theta")
    return 2 * math.exp(_wrapped(entry).log_prob(_vector(angle), _vector(0.0))[0])


def _polar_density(entry: Any) -> Any:
    angle = _number(entry, "theta")
    z = np.column_stack((_vector(angle), [0.0]))
    log_prob = _polar(entry).log_prob(z, np.array([[1.0, 0.0, 0.0]]))[0]
    return math.exp(log_prob) * 2 * math.pi * math.sin(angle)


COMPUTE = {
    "purkayastha.log_angular_integral": lambda e: log_angular_integral(
        _number(e, "kappa"), e["n"]
    ),
    "purkayastha.log_density_constant": lambda e: _purkayastha(e).log_constant(),
    "purkayastha.mean_angle": lambda e: _purkayastha(e).mean_angle(),
    "purkayastha.var_angle": lambda e: _purkayastha(e).var_angle(),
    "purkayastha.mean_cos": lambda e: _purkayastha(e).mean_cos(),
    "purkayastha.angular_cdf": lambda e: _purkayastha(e).angle_cdf(_number(e, "theta")),
    "vmf.log_density_constant": lambda e: _vmf(e).log_constant(),
    "vmf.mean_cos": lambda e: _vmf(e).mean_cos(),
    "vmf.mean_euclidean_distance": lambda e: _vmf(e).mean_chord(),
    "vmf.mean_angle": lambda e: _vmf(e).mean_angle(),
    "vmf.mixture_cdf": lambda e: _vmf(e).angle_law.sf(_angle_of_cosine(e["T"])),
    "wrapped_laplace.mean_angle": lambda e: _wrapped(e).mean_angle(),
    "wrapped_laplace.mean_cos": lambda e: _wrapped(e).mean_cos(),
    "wrapped_laplace.pure_epsilon_all_pairs": lambda e: (
        _wrapped(e).guarantee().worst_loss
    ),
    "wrapped_laplace.metric_epsilon": lambda e: (
        _wrapped(e).guarantee().terms[0].epsilon
    ),
    "wrapped_laplace.angular_density": _wrapped_density,
    "polar_laplace.mean_angle": lambda e: _polar(e).mean_angle(),
    "polar_laplace.mean_cos": lambda e: _polar(e).mean_cos(),
    "polar_laplace.angular_density": _polar_density,
    "discrete_circular_laplace.log_pmf": _offset_log_pmf,
}


@pytest.mark.parametrize("quantity", sorted(FILE["formulas"]))
def test_value_agrees_with_25_digits(quantity: str) -> None:
    for entry in FILE["entries"]:
        if entry["quantity"] == quantity:
            found = COMPUTE[quantity](entry)
            assert found == pytest.approx(float(entry["value"]), rel=1e-11, abs=0), (
                entry
            )


@pytest.mark.parametrize("entry", RANGE, ids=lambda e: f"{e['quantity']}:{e['n']}")
def test_value_holds_over_the_whole_range(entry: Any) -> None:
    found = COMPUTE[entry["quantity"]](entry)
    assert found == pytest.approx(float(entry["value"]), rel=1e-11, abs=0)


def test_digamma_and_series_agree_where_both_work() -> None:
    """Equation (7.26) against quadrature: two methods, one value."""
    law = Purkayastha(3.0, 57)
    assert law.mean_angle() == pytest.approx(
        law.angle_law.expect(lambda a: a), rel=1e-13
    )


POINTS = {
    2: [[1.0, 0.0], [0.6, -0.8]],
    3: [[0.0, 0.0, 1.0], [0.48, 0.6, 0.64]],
    5: [[0.2, 0.4, 0.4, 0.4, 0.6928203230275509]] * 2,
}
DRAWS = json.loads((HERE / "directional_draws.json").read_text())
MEMBERS = {
    "vmf.v1:2": VonMisesFisher(3.0, 2),
    "vmf.v1:3": VonMisesFisher(3.0, 3),
    "vmf.v1:5": VonMisesFisher(3.0, 5),
    "purkayastha.v1:2": Purkayastha(3.0, 2),
    "purkayastha.v1:3": Purkayastha(3.0, 3),
    "purkayastha.v1:5": Purkayastha(0.5, 5),
    "cap-uniform.v1:3": CapUniform.from_pure(epsilon=2.0, dim=3),
    "wrapped-laplace.v1:2": WrappedLaplace(2.0),
    "clipped-laplace.v1:2": ClippedLaplace(2.0),
    "polar-laplace.v1:3": PolarLaplace(2.0),
}


@pytest.mark.parametrize("label", sorted(MEMBERS))
def test_seed_gives_the_same_draws(label: str) -> None:
    dim = int(label.rpartition(":")[2])
    z = MEMBERS[label].perturb(POINTS[dim], seeded(11))
    assert z.tolist() == DRAWS[label]


def test_seed_gives_the_same_residues() -> None:
    law = DiscreteCircularLaplace(0.05, 1440)
    assert law.perturb(np.arange(6), seeded(11)).tolist() == DRAWS[law.name]
