"""The scan of a channel finds the likeliest inputs."""

import numpy as np
import pytest

from publius.core import space
from publius.numerics.inverse import pull_rows, scan_likeliest


@pytest.mark.parametrize("block_bytes", [64 << 20, 800])
def test_scan_equals_the_whole_posterior(
    block_bytes: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(space, "BLOCK_BYTES", block_bytes)
    rng = np.random.default_rng(0)
    channel = np.log(rng.dirichlet(np.ones(40), 40))
    log_prior = np.log(rng.dirichlet(np.ones(40)))
    z = np.array([3, 17, 39])
    ids, weights = scan_likeliest(lambda x: channel[x], z, log_prior, 5)
    posterior = (channel + log_prior[:, None])[:, z].T
    expected = np.sort(posterior, axis=1)[:, -5:]
    assert np.sort(weights, axis=1) == pytest.approx(expected)
    assert np.take_along_axis(posterior, ids, axis=1) == pytest.approx(weights)


def test_sums_over_inputs_are_those_of_the_whole_matrix() -> None:
    rng = np.random.default_rng(4)
    matrix = rng.dirichlet(np.ones(30), size=30)
    values = rng.standard_normal((30, 3))
    found = pull_rows(lambda ids: np.log(matrix[ids]), values)
    np.testing.assert_allclose(found, matrix.T @ values)
