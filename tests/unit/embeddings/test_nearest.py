import subprocess
import sys

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from publius.core.errors import DataError, ParameterError, UnknownNameError
from publius.core.metric import Capped, Euclidean
from publius.embeddings import NEAREST, nearest
from publius.embeddings.nearest import MetricNearest, Nearest, searcher

BACKENDS = sorted(NEAREST)


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize(("size", "dim"), [(1, 1), (2, 3), (500, 20), (9000, 7)])
def test_agrees_with_float64_distances(backend: str, size: int, dim: int) -> None:
    rng = np.random.default_rng([size, dim])
    vectors = rng.standard_normal((size, dim)).astype(np.float32)
    points = rng.standard_normal((1500, dim)) * 3
    expected = cdist(points, vectors.astype(np.float64)).argmin(axis=1)
    assert (Nearest(vectors, backend)(points) == expected).all()


@pytest.mark.parametrize("backend", BACKENDS)
def test_near_ties_are_settled_in_float64(backend: str) -> None:
    rng = np.random.default_rng(0)
    left = rng.standard_normal((200, 50))
    vectors = np.concatenate([left, left + 1e-9 * rng.standard_normal(left.shape)])
    points = vectors + 1e-11 * rng.standard_normal(vectors.shape)
    # The two copies are equal in float32, so that only the second look can tell.
    assert (
        vectors[:200].astype(np.float32) == vectors[200:].astype(np.float32)
    ).mean() > 0.9
    assert (Nearest(vectors, backend)(points) == np.arange(400)).all()


@pytest.mark.parametrize("backend", BACKENDS)
def test_float32_alone_would_be_wrong(backend: str) -> None:
    rng = np.random.default_rng(1)
    vectors = np.concatenate(
        [rng.standard_normal((9, 30)), 1 + 1e-4 * rng.standard_normal((600, 30))]
    )
    points = vectors + 3e-5 * rng.standard_normal(vectors.shape)
    exact = cdist(points, vectors).argmin(axis=1)
    rounded = vectors.astype(np.float32)
    scores = points.astype(np.float32) @ rounded.T - (rounded**2).sum(axis=1) / 2
    assert (scores.argmax(axis=1) != exact).any()
    assert (Nearest(vectors, backend)(points) == exact).all()


@pytest.mark.parametrize("scale", [1e-300, 1e-30, 1.0, 1e30, 1e300])
def test_scale_does_not_matter(scale: float) -> None:
    rng = np.random.default_rng(2)
    vectors, points = rng.standard_normal((50, 4)), rng.standard_normal((80, 4))
    expected = Nearest(vectors)(points)
    assert (Nearest(vectors * scale)(points * scale) == expected).all()


@pytest.mark.parametrize("far", [1e17, 1e100, 1e300])
def test_far_points_find_the_word_in_their_direction(far: float) -> None:
    vectors = np.array([[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0], [0.0, -1.0]])
    assert Nearest(vectors)(vectors * far).tolist() == [0, 1, 2, 3]


def test_strided_and_read_only_input() -> None:
    rng = np.random.default_rng(3)
    vectors = np.asfortranarray(rng.standard_normal((300, 6)))
    points = rng.standard_normal((100, 12))[::-1, ::2]
    vectors.flags.writeable = False
    points.flags.writeable = False
    expected = cdist(points, vectors).argmin(axis=1)
    assert (Nearest(vectors)(points) == expected).all()


@pytest.mark.parametrize(("size", "k"), [(2, 1), (40, 39), (3000, 5), (700, 10)])
def test_neighbours_agree_with_sorted_distances(size: int, k: int) -> None:
    rng = np.random.default_rng([size, k])
    vectors = rng.integers(-3, 4, (size, 8)).astype(np.float32)
    distance = cdist(vectors, vectors, "sqeuclidean")
    np.fill_diagonal(distance, np.inf)
    expected = np.argsort(distance, axis=1, kind="stable")[:, :k]
    assert (Nearest(vectors).neighbours(k) == expected).all()


def test_blocks_do_not_change_the_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(4)
    vectors = rng.integers(-2, 3, (400, 5)).astype(np.float64)
    points = rng.integers(-2, 3, (300, 5)) / 2
    expected = cdist(points, vectors, "sqeuclidean").argmin(axis=1)
    for rows, columns, pairs in [(7, 11, 13), (1, 400, 1), (300, 1, 100)]:
        monkeypatch.setattr(nearest, "ROWS", rows)
        monkeypatch.setattr(nearest, "COLUMNS", columns)
        monkeypatch.setattr(nearest, "PAIRS", pairs)
        assert (Nearest(vectors)(points) == expected).all()


def test_other_metrics_are_searched_in_full() -> None:
    capped = Capped(Euclidean(), 1.0)
    search = searcher(capped, np.array([[0.0], [5.0]]))
    assert isinstance(search, MetricNearest)
    assert search(np.array([[4.5], [0.1], [99.0]])).tolist() == [1, 0, 0]


def test_bad_arguments_are_refused() -> None:
    with pytest.raises(UnknownNameError, match="known: faiss, numpy, torch"):
        Nearest(np.zeros((2, 2)), "annoy")
    with pytest.raises(DataError, match="row 1"):
        Nearest(np.array([[0.0], [np.nan]]))
    with pytest.raises(ParameterError, match=r"k must be in \[1, 1\]"):
        Nearest(np.zeros((2, 2))).neighbours(2)


def test_missing_backend_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "faiss", None)
    monkeypatch.delitem(sys.modules, "publius.embeddings.nearest_faiss", raising=False)
    with pytest.raises(ParameterError, match=r"install publius\[faiss\]"):
        Nearest(np.zeros((2, 2)), "faiss")


def test_import_is_light() -> None:
    code = (
        "import sys, publius.embeddings; print({'torch', 'faiss'} & set(sys.modules))"
    )
    run = subprocess.run(  # noqa: S603 (our own interpreter)
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert run.stdout.strip() == "set()"


def test_torch_keeps_the_callers_precision() -> None:
    torch = pytest.importorskip("torch")
    before = torch.get_float32_matmul_precision()
    torch.set_float32_matmul_precision("medium")
    try:
        assert Nearest(np.eye(3), "torch")(np.eye(3)).tolist() == [0, 1, 2]
        assert torch.get_float32_matmul_precision() == "medium"
    finally:
        torch.set_float32_matmul_precision(before)


def test_parts_of_a_table_are_joined() -> None:
    torch = pytest.importorskip("torch")
    from publius.embeddings.nearest_torch import merged  # noqa: PLC0415

    rng = np.random.default_rng(5)
    products = torch.from_numpy(rng.normal(size=(3, 40, 50)))  # part, query, row
    highs = products + torch.from_numpy(rng.random((3, 40, 50)))
    tops, places = products.max(dim=2)
    chosen = places[:, :, None]
    above = highs.gather(2, chosen)[:, :, 0]
    rivals = highs.scatter(2, chosen, -np.inf).amax(dim=2)
    ids = places + 50 * torch.arange(3)[:, None]
    winner, low, rival = merged(ids, tops, above, rivals)

    whole = products.transpose(0, 1).reshape(40, 150)
    bounds = highs.transpose(0, 1).reshape(40, 150)
    wanted = whole.argmax(dim=1, keepdim=True)
    assert torch.equal(winner, wanted[:, 0])
    assert torch.equal(low, (2 * whole - bounds).gather(1, wanted)[:, 0])
    assert torch.equal(rival, bounds.scatter(1, wanted, -np.inf).amax(dim=1))
