from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse as sp

from publius.core.arrays import FloatArray, IdArray
from publius.core.errors import DataError, ParameterError
from publius.information import Channel, Tries

HALF = [[0.5, 0.25, 0.25], [0.25, 0.5, 0.25], [0.25, 0.25, 0.5]]


@pytest.mark.parametrize(
    ("matrix", "message"),
    [
        ([[0.5, 0.5], [0.5, 0.4]], r"row 1 sums to 0\.9"),
        ([[0.5, 0.5], [1.2, -0.2]], "row 1, column 1"),
        ([[np.nan, 1.0], [0.5, 0.5]], "row 0, column 0"),
        ([[0.5, 0.5], [np.inf, 0.5]], "row 1 sums to inf"),
        (np.empty((0, 3)), "needs an input and an output"),
        (np.empty((3, 0)), "needs an input and an output"),
        ([0.5, 0.5], "must be a matrix"),
        ([["a", "b"]], "matrix of numbers"),
        (sp.csr_array([[0.5, 0.5], [0.0, 0.4]]), r"row 1 sums to 0\.4"),
        (sp.csr_array([[0.5, 0.5], [1.5, -0.5]]), "row 1, column 1"),
        (sp.csr_array([[0.5, 0.5], [np.nan, 0.5]]), "row 1, column 0"),
    ],
)
def test_rows_that_are_no_distributions_are_refused(
    matrix: FloatArray, message: str
) -> None:
    with pytest.raises(DataError, match=message):
        Channel(matrix)


def test_the_wrong_row_is_named_beyond_the_first_block() -> None:
    matrix = np.full((3000, 200), 1 / 200)
    matrix[2717, 3] += 1e-6
    with pytest.raises(DataError, match="row 2717 sums to"):
        Channel(matrix)


def test_nothing_is_renormalised_and_a_stated_tolerance_is_kept() -> None:
    rounded = np.array([[0.333, 0.333, 0.333]])
    with pytest.raises(DataError, match="within 1e-09"):
        Channel(rounded)
    assert Channel(rounded, tolerance=0.01).matrix.sum() == pytest.approx(0.999)


@pytest.mark.parametrize("tolerance", [-1.0, np.nan, np.inf])
def test_tolerance_must_be_finite_and_not_negative(tolerance: float) -> None:
    with pytest.raises(ParameterError, match="tolerance"):
        Channel(HALF, tolerance=tolerance)


def test_float64_is_not_copied_and_cannot_be_written_through_the_channel() -> None:
    matrix = np.array(HALF)
    channel = Channel(matrix)
    assert np.shares_memory(channel.matrix, matrix)
    with pytest.raises(ValueError, match="read-only"):
        channel.matrix[0, 0] = 1.0


@pytest.mark.parametrize(
    ("prior", "message"),
    [
        ([0.5, 0.5], "one probability for each of 3"),
        ([0.5, 0.6, -0.1], "entry 2"),
        ([0.5, 0.5, 0.1], r"sums to 1\.1"),
        ([np.nan, 0.5, 0.5], "entry 0"),
        ([[0.2, 0.3, 0.5]], "shape"),
    ],
)
def test_priors_that_do_not_fit_are_refused(prior: list[float], message: str) -> None:
    with pytest.raises(DataError, match=message):
        Channel(HALF).posterior_vulnerability(prior)


def test_names_must_be_complete_and_distinct() -> None:
    with pytest.raises(DataError, match="inputs must name all 3, got 2"):
        Channel(HALF, inputs=["a", "b"])
    with pytest.raises(DataError, match="outputs must be distinct"):
        Channel(HALF, outputs=["a", "b", "a"])


def test_vulnerability_and_leakage_by_hand() -> None:
    channel, prior = Channel(HALF), [0.5, 0.25, 0.25]
    assert channel.prior_vulnerability(prior) == 0.5
    # Columns of the joint: (.25,.0625,.0625), (.125,.125,.0625), (.125,.0625,.125).
    assert channel.posterior_vulnerability(prior) == 0.5
    assert channel.leakage(prior) == 1.0
    assert channel.leakage() == pytest.approx(1.5)
    assert channel.additive_leakage() == pytest.approx(0.5 - 1 / 3)
    assert channel.bayes_capacity() == 1.5
    assert channel.posterior_vulnerability(None, Tries(2)) == pytest.approx(0.75)


def test_multiplicative_leakage_of_a_worthless_gain_is_refused() -> None:
    with pytest.raises(ParameterError, match="additive_leakage"):
        Channel(HALF).leakage(None, [[-1.0, -1.0, -1.0]])
    assert Channel(HALF).additive_leakage(None, -np.eye(3)) == pytest.approx(1 / 12)


def test_shannon_and_min_entropy_in_bits() -> None:
    identity, nothing = Channel(np.eye(8)), Channel(np.full((8, 3), 1 / 3))
    assert identity.shannon_leakage() == pytest.approx(3.0)
    assert identity.min_entropy_leakage() == pytest.approx(3.0)
    assert nothing.shannon_leakage() == 0.0
    assert nothing.min_entropy_leakage() == pytest.approx(0.0, abs=1e-15)
    # A binary symmetric channel: 1 - h(1/4).
    noisy = Channel([[0.75, 0.25], [0.25, 0.75]])
    assert noisy.shannon_leakage() == pytest.approx(0.1887218755408671)
    skewed = noisy.shannon_leakage([1.0, 0.0])
    assert skewed == pytest.approx(0.0, abs=1e-15)


def test_exact_channels_stay_exact() -> None:
    channel = Channel.exact([["1/3", "2/3"], ["1/2", "1/2"]])
    prior = ["1/7", "6/7"]
    assert channel.posterior_vulnerability(prior) == Fraction(6, 7)
    assert channel.bayes_capacity() == Fraction(7, 6)
    assert channel.leakage(None, Tries(2)) == 1
    assert isinstance(channel.leakage(), Fraction)


def test_exact_channels_allow_no_rounding() -> None:
    with pytest.raises(DataError, match="within 0; row 0"):
        Channel.exact([[0.1, 0.9]])
    with pytest.raises(DataError, match=r"\(0, 1\) is not a finite fraction"):
        Channel.exact([["1/2", "nan"]])
    with pytest.raises(DataError, match="within 0"):
        Channel.exact([["1/2", "1/2"]] * 3).leakage([0.1, 0.1, 0.8])


def test_cascade_multiplies_and_checks_its_middle() -> None:
    first, second = Channel(HALF), Channel([[1.0, 0.0], [0.5, 0.5], [0.0, 1.0]])
    assert np.allclose(
        first.then(second).matrix, [[0.625, 0.375], [0.5, 0.5], [0.375, 0.625]]
    )
    with pytest.raises(DataError, match="2 outputs into a channel with 3"):
        second.then(first)


def test_exact_and_float_compose_in_floating_point() -> None:
    exact = Channel.exact([["1/2", "1/2"]] * 3)
    assert Channel(HALF).beside(exact).matrix.dtype == np.float64


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_side_by_side_shows_both_outputs(form: type) -> None:
    first = Channel(form([[0.5, 0.5], [1.0, 0.0]]), outputs=["a", "b"])
    second = Channel(form([[0.25, 0.75], [0.0, 1.0]]))
    both = first.beside(second)
    dense = both.matrix.toarray() if sp.issparse(both.matrix) else both.matrix
    assert np.allclose(dense, [[0.125, 0.375, 0.125, 0.375], [0.0, 1.0, 0.0, 0.0]])
    assert both.outputs == (("a", 0), ("a", 1), ("b", 0), ("b", 1))


def test_side_by_side_refuses_other_secrets_and_impossible_sizes() -> None:
    with pytest.raises(DataError, match="same secrets, got 3 and 2"):
        Channel(HALF).beside(Channel(np.eye(2)))
    wide = Channel(sp.csr_array(([1.0], ([0], [0])), shape=(1, 1 << 20)))
    with pytest.raises(DataError, match="more than"):
        wide.beside(wide)


@pytest.mark.parametrize(
    ("joint", "message"),
    [
        ([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], "must sum to 1"),
        ([[0.5, 0.5]], r"shape \(secrets, 3\)"),
        ([[0.5, 0.5, 0.0], [0.0, 0.0, 0.0]], "row 1 of joint never occurs"),
        ([[0.5, 0.6, -0.1]], "entry 0, 2"),
    ],
)
def test_joints_that_are_no_distributions_are_refused(
    joint: list[list[float]], message: str
) -> None:
    with pytest.raises(DataError, match=message):
        Channel(HALF).dalenius(joint)


class Wheel:
    """A finite mechanism on a circle, for the tests of ``Channel.of``."""

    name = "wheel.v1"

    def __init__(self, size: int, epsilon: float) -> None:
        self.size, self.epsilon = size, epsilon

    def guarantee(self) -> None: ...

    def perturb(self, x: IdArray, rng: np.random.Generator) -> IdArray:
        return (x + rng.integers(self.size, size=x.shape)) % self.size

    def channel(self, x: IdArray) -> FloatArray:
        step = np.abs(np.arange(self.size)[None, :] - np.asarray(x)[:, None])
        score = -self.epsilon * np.minimum(step, self.size - step)
        return score - np.log(np.exp(score).sum(axis=1, keepdims=True))


def test_a_finite_mechanism_gives_its_channel() -> None:
    channel = Channel.of(Wheel(5, 1.0))  # type: ignore[arg-type]
    assert channel.shape == (5, 5)
    assert channel.bayes_capacity() == pytest.approx(2.491988942322512621)
    some = Channel.of(Wheel(5, 1.0), np.array([3, 1]))  # type: ignore[arg-type]
    assert some.inputs == (3, 1)
    assert np.array_equal(some.matrix, channel.matrix[[3, 1]])


def test_a_mechanism_whose_probabilities_vanish_is_refused() -> None:
    with pytest.raises(DataError, match="e\\^-700"):
        Channel.of(Wheel(8, 200.0))  # type: ignore[arg-type]
