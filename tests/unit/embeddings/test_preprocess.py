import numpy as np
import pytest

from publius.core.errors import DataError
from publius.embeddings.preprocess import all_but_the_top, is_word, unit


@pytest.mark.parametrize("token", ["of", "o'brien", "café", "straße", "ещё"])
def test_words(token: str) -> None:
    assert is_word(token)


@pytest.mark.parametrize(
    "token",
    [
        "",
        "a",
        "'s",
        "n't'",
        "u.s.",
        "1990",
        "b2b",
        "well-known",
        "_",
        "x_y",
        "The",
        "o'",
        "a b",
    ],
)
def test_other_tokens(token: str) -> None:
    assert not is_word(token)


def test_unit_refuses_zero_and_nan() -> None:
    for bad in (0.0, np.nan, np.inf):
        with pytest.raises(DataError, match="row 1"):
            unit(np.array([[1.0, 2.0], [bad, 0.0]]))


def test_strong_directions_are_removed() -> None:
    rng = np.random.default_rng(0)
    rows = rng.standard_normal((500, 6)) * [30, 10, 1, 1, 1, 1] + [5, 0, 0, 0, 0, 0]
    kept = all_but_the_top(rows, 2)
    assert np.linalg.norm(kept, axis=1) == pytest.approx(1)
    strength = np.linalg.svd(kept, compute_uv=False)
    assert strength[3] > 5
    assert strength[4] < 1


def test_all_components_cannot_be_removed() -> None:
    with pytest.raises(DataError, match="cannot remove 3 of 3"):
        all_but_the_top(np.eye(3), 3)
