"""Normal noise with a full covariance: Theorem 2.21."""

import numpy as np
import pytest

from publius.accounting.covariance import (
    covariance_epsilon,
    covariance_renyi,
    mahalanobis_norm,
)
from publius.accounting.gaussian import gaussian_epsilon
from publius.core.errors import DataError, ParameterError

CORRELATED = np.array([[2.0, 0.6], [0.6, 1.0]])


def test_equal_axes_are_the_usual_mechanism() -> None:
    step = np.array([3.0, 4.0])
    found = covariance_epsilon(1e-6, differences=step, covariance=4 * np.eye(2))
    usual = gaussian_epsilon(1e-6, sensitivity=5.0, sigma=2.0)
    assert found == pytest.approx(usual, rel=1e-12)
    at_two = covariance_renyi(2.0, differences=step, covariance=4 * np.eye(2))
    assert at_two == pytest.approx(25 / 4)


def test_the_norm_is_that_of_the_inverse() -> None:
    rows = np.array([[1.0, -2.0], [0.0, 0.0], [0.3, 0.1]])
    wanted = np.sqrt(np.einsum("ij,jk,ik->i", rows, np.linalg.inv(CORRELATED), rows))
    np.testing.assert_allclose(mahalanobis_norm(rows, CORRELATED), wanted, rtol=1e-12)


def test_a_change_of_coordinates_changes_nothing() -> None:
    turn = np.array([[1.0, 3.0], [0.5, -1.0]])
    rows = np.array([[1.0, -2.0]])
    turned = mahalanobis_norm(rows @ turn.T, turn @ CORRELATED @ turn.T)
    np.testing.assert_allclose(turned, mahalanobis_norm(rows, CORRELATED), rtol=1e-12)


@pytest.mark.parametrize(
    "matrix", [np.array([[1.0, 2.0], [2.0, 1.0]]), np.array([[1.0, 0.5], [0.0, 1.0]])]
)
def test_what_is_no_covariance_is_refused(matrix: np.ndarray) -> None:
    with pytest.raises(ParameterError, match="covariance"):
        mahalanobis_norm([1.0, 1.0], matrix)


def test_bad_rows_and_orders_are_refused() -> None:
    with pytest.raises(DataError, match="finite"):
        mahalanobis_norm([np.nan, 1.0], np.eye(2))
    with pytest.raises(DataError, match="3 x 3"):
        mahalanobis_norm([1.0, 1.0, 1.0], np.eye(2))
    with pytest.raises(ParameterError, match="order"):
        covariance_renyi(1.0, differences=[1.0], covariance=np.eye(1))
