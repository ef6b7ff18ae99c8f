"""Torch gives the screens and certificates of NumPy; the same code runs on a GPU."""

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from publius.core.metric import Angular, Capped, Euclidean, Metric  # noqa: E402
from publius.core.rng import seeded  # noqa: E402
from publius.core.space import PointSpace  # noqa: E402
from publius.mechanisms import point_torch  # noqa: E402
from publius.mechanisms.exponential import Exponential  # noqa: E402
from publius.mechanisms.law import Decay  # noqa: E402
from publius.mechanisms.point_law import PointLaw  # noqa: E402

METRICS = [Euclidean(), Angular(), Capped(Euclidean(), 2.0), Capped(Angular(), 1.0)]
every_metric = pytest.mark.parametrize("metric", METRICS, ids=lambda m: m.id)


def pair(metric: Metric, size: int = 300) -> tuple[PointLaw, PointLaw]:
    rng = np.random.default_rng(1)
    points = rng.normal(size=(size, 5)).astype(np.float32)
    points[20] = points[10]
    points[30] = points[10] * np.float32(1 + 1e-6)
    space = PointSpace(points, metric)
    decay = Decay(2.0, rng.integers(1, 1 << 20, size).astype(np.uint32))
    return PointLaw(space, decay), PointLaw(space, decay, "cpu")


@every_metric
def test_bounds_agree(metric: Metric) -> None:
    here, there = pair(metric)
    ids = np.arange(100)
    found = there._screen(is_close=False).sums(ids)
    np.testing.assert_allclose(
        found, here._screen(is_close=False).sums(ids), rtol=3e-6, atol=1e-30
    )


@every_metric
def test_certificates_agree_within_the_rounding_that_is_paid(
    metric: Metric, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(point_torch, "BLOCK_BYTES", 1 << 20)  # several blocks
    here, there = (law.certify() for law in pair(metric))
    assert there.worst_pair == here.worst_pair
    assert there.farthest_pair == here.farthest_pair
    assert there.epsilon == pytest.approx(here.epsilon, abs=here.slack)
    for name in ("worst_loss", "unknown_loss", "diameter", "largest_total", "near"):
        wanted = getattr(here, name)
        assert getattr(there, name) == pytest.approx(wanted, rel=1e-10)


def test_a_mechanism_is_built_and_drawn_from_on_a_device() -> None:
    space = pair(Euclidean())[0].space
    plain = Exponential.with_beta(space, 1.5)
    made = Exponential.with_beta(space, 1.5, device="cpu")
    assert made.name == plain.name == "exponential.v2"
    ids = np.arange(300)
    same = made.perturb(ids, seeded(0)) == plain.perturb(ids, seeded(0))
    assert same.mean() > 0.99
    calibrated = Exponential.calibrated(space, 3.0, balanced=False, device="cpu")
    assert calibrated.certificate.epsilon <= 3.0


def test_the_precision_of_products_is_put_back() -> None:
    before = torch.get_float32_matmul_precision()
    torch.set_float32_matmul_precision("medium")
    try:
        pair(Euclidean())[1]._screen(is_close=False).sums(np.arange(3))
        assert torch.get_float32_matmul_precision() == "medium"
    finally:
        torch.set_float32_matmul_precision(before)
