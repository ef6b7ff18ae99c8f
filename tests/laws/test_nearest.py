"""Nearest-word search is exact: it agrees with arithmetic on whole numbers."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from publius.embeddings import NEAREST, Nearest

WHOLE = st.integers(-4, 4)


@st.composite
def tables(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray]:
    dim = draw(st.integers(1, 5))
    size = draw(st.integers(1, 40))
    count = draw(st.integers(0, 12))
    vectors = draw(hnp.arrays(np.int64, (size, dim), elements=WHOLE))
    return vectors, draw(hnp.arrays(np.int64, (count, dim), elements=WHOLE))


def oracle(vectors: np.ndarray, points: np.ndarray) -> np.ndarray:
    square = ((points[:, None, :] - vectors[None, :, :]) ** 2).sum(axis=2)
    return square.argmin(axis=1)


@pytest.mark.parametrize("backend", sorted(NEAREST))
@settings(deadline=None)
@given(tables(), st.integers(-40, 40), st.integers(-30, 30))
def test_ties_go_to_the_lowest_id_at_any_scale_and_place(
    backend: str, table: tuple[np.ndarray, np.ndarray], exponent: int, shift: int
) -> None:
    vectors, points = (np.ldexp(rows + float(shift), exponent) for rows in table)
    found = Nearest(vectors, backend)(points)
    assert found.dtype == np.int64
    assert found.tolist() == oracle(*table).tolist()


@settings(deadline=None)
@given(tables(), st.integers(1, 6))
def test_neighbours_are_the_k_nearest_others(
    table: tuple[np.ndarray, np.ndarray], k: int
) -> None:
    vectors = table[0]
    k = min(k, len(vectors) - 1)
    if k < 1:
        return
    square = ((vectors[:, None, :] - vectors[None, :, :]) ** 2).sum(axis=2)
    np.fill_diagonal(square, 1 << 40)
    expected = np.argsort(square, axis=1, kind="stable")[:, :k]
    found = Nearest(vectors.astype(np.float64)).neighbours(k)
    assert found.tolist() == expected.tolist()


@settings(deadline=None)
@given(
    hnp.arrays(np.float64, (7, 3), elements=st.floats(-1e6, 1e6)),
    hnp.arrays(np.float64, (5, 3), elements=st.floats(-1e300, 1e300)),
)
def test_all_backends_agree(vectors: np.ndarray, points: np.ndarray) -> None:
    answers = [Nearest(vectors, name)(points).tolist() for name in sorted(NEAREST)]
    assert all(answer == answers[0] for answer in answers)


@settings(deadline=None)
@given(hnp.arrays(np.float32, (9, 4), elements=st.floats(-1e3, 1e3, width=32)))
def test_a_word_is_nearest_to_itself_or_its_first_copy(vectors: np.ndarray) -> None:
    found = Nearest(vectors)(vectors)
    assert (vectors[found] == vectors).all()
    assert (found <= np.arange(len(vectors))).all()
