import numpy as np
import pytest
import scipy.sparse as sp

from publius.core.errors import DataError, ParameterError
from publius.information import Channel, Classes, MatrixGain, Tries, distance_gain
from publius.information.gain import as_gain

RNG = np.random.default_rng(11)
MATRIX = RNG.dirichlet(np.ones(7), size=300)
PRIOR = RNG.dirichlet(np.ones(300))
JOINT = PRIOR[:, None] * MATRIX


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("k", [1, 3, 300, 400])
def test_tries_sum_the_largest_entries(form: type, k: int) -> None:
    expected = np.sort(JOINT, axis=0)[-k:].sum()
    found = Channel(form(MATRIX)).posterior_vulnerability(PRIOR, Tries(k))
    assert found == pytest.approx(expected)


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_classes_are_the_matrix_of_their_members(form: type) -> None:
    labels = RNG.integers(0, 12, size=300)
    member = (np.arange(12)[:, None] == labels[None]).astype(float)
    channel = Channel(form(MATRIX))
    by_class = channel.posterior_vulnerability(PRIOR, Classes(labels))
    assert by_class == pytest.approx(channel.posterior_vulnerability(PRIOR, member))
    assert by_class == pytest.approx((member @ JOINT).max(axis=0).sum())


def test_the_exact_gains_agree_with_the_floating_ones() -> None:
    exact = Channel.exact([["1/4", "3/4"], ["1/2", "1/2"], ["7/8", "1/8"]])
    rough = Channel(exact.matrix.astype(float))
    for gain in (
        Tries(2),
        Classes("aba"),
        MatrixGain([[1, 0, 2], [0, 0.5, 0.25]]),
        None,
    ):
        value = exact.posterior_vulnerability(None, gain)
        assert float(value) == pytest.approx(rough.posterior_vulnerability(None, gain))
        before = exact.prior_vulnerability(None, gain)
        assert float(before) == pytest.approx(rough.prior_vulnerability(None, gain))


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_products_in_blocks_equal_the_whole(
    form: type, monkeypatch: pytest.MonkeyPatch
) -> None:
    gain = RNG.normal(size=(50, 300))
    monkeypatch.setattr("publius.information.gain.PRODUCT_BYTES", 8 * 7 * 3)
    found = Channel(form(MATRIX)).posterior_vulnerability(PRIOR, form(gain))
    assert found == pytest.approx((gain @ JOINT).max(axis=0).sum())


def test_distance_gain_falls_to_zero_at_its_radius() -> None:
    distance = np.array([[0.0, 1.0, 4.0]])
    assert distance_gain(distance).values.tolist() == [[1.0, 0.75, 0.0]]
    assert distance_gain(distance, radius=2.0).values.tolist() == [[1.0, 0.5, 0.0]]


@pytest.mark.parametrize("distance", [[[0.0, -1.0]], [0.0, 1.0], [[0.0, np.nan]]])
def test_distance_gain_needs_distances(distance: list[object]) -> None:
    with pytest.raises(DataError, match="matrix of numbers >= 0"):
        distance_gain(distance)  # type: ignore[arg-type]


def test_distance_gain_needs_a_positive_radius() -> None:
    with pytest.raises(ParameterError, match="radius"):
        distance_gain([[0.0, 0.0]])


@pytest.mark.parametrize(
    ("gain", "message"),
    [
        ([[1.0, np.nan]], "entry 0, 1 is not"),
        ([1.0, 2.0], "actions, secrets"),
        (np.empty((0, 2)), "actions, secrets"),
    ],
)
def test_gains_that_are_none_are_refused(gain: list[object], message: str) -> None:
    with pytest.raises(DataError, match=message):
        MatrixGain(gain)  # type: ignore[arg-type]


def test_gains_must_fit_the_secrets() -> None:
    with pytest.raises(ParameterError, match="speaks of 2 secrets, the channel of 3"):
        as_gain(np.eye(2), 3)
    with pytest.raises(ParameterError, match="speaks of 2 secrets"):
        as_gain(Classes([0, 1]), 3)
    with pytest.raises(ParameterError, match="k must be"):
        Tries(0)
    with pytest.raises(DataError, match="at least one secret"):
        Classes([])
