"""Word ids to word ids on a device: the law, the words and the streams of the host."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import beta, chi2_contingency, gamma, geom, kstest

torch = pytest.importorskip("torch")

from publius.core.arrays import UNKNOWN  # noqa: E402
from publius.core.config import WordSettings  # noqa: E402
from publius.core.errors import ParameterError  # noqa: E402
from publius.core.rng import seeded  # noqa: E402
from publius.embeddings.nearest import Nearest  # noqa: E402
from publius.embeddings.nearest_torch import DeviceNearest  # noqa: E402
from publius.engines.engine import needs_gpu  # noqa: E402
from publius.materials.words.assemble import word_mechanism  # noqa: E402
from publius.materials.words.treatment import WordTreatment  # noqa: E402
from publius.mechanisms import grid, grid_torch, laplace_torch  # noqa: E402
from publius.mechanisms.chacha_torch import DeviceStream  # noqa: E402
from publius.mechanisms.grid_torch import (  # noqa: E402
    Pairs,
    Rest,
    _formed,
    drawn_pairs,
    geometric,
    laplace_steps,
    snapped,
)
from publius.mechanisms.laplace_torch import DeviceWords, device_words  # noqa: E402
from publius.mechanisms.nearest_word import NearestWord  # noqa: E402
from publius.mechanisms.words.settings import LaplaceSettings  # noqa: E402
from publius.pipeline import ReleaseRequest, release  # noqa: E402
from publius.tables.columns import Columns  # noqa: E402
from publius.tables.read import open_source  # noqa: E402

ALPHA = 1e-9
KEY = bytes(range(32))
ROWS, EPSILON = 200_000, 2.0
HERE = WordSettings(mechanism="laplace", epsilon=60, vocabulary=40)
THERE = replace(HERE, own=(LaplaceSettings(device="cpu"),))


def stream() -> DeviceStream:
    return DeviceStream(KEY, "cpu")


@pytest.mark.statistical
@pytest.mark.parametrize("dim", [1, 2, 7, 50])
def test_noise_has_the_law_of_laplace(dim: int) -> None:
    rows = ROWS // dim
    noise = laplace_steps(rows, dim, 1 / EPSILON, stream()).numpy()
    radius = np.linalg.norm(noise, axis=1)
    assert kstest(radius, gamma(dim, scale=1 / EPSILON).cdf).pvalue > ALPHA
    # A tail that is 15 % off is seen in a few thousand rows of 50 dimensions.
    assert kstest(radius, gamma(dim, scale=1.15 / EPSILON).cdf).pvalue < ALPHA
    if dim == 7:  # a coordinate of a uniform direction
        for place in range(dim):
            share = (noise[:, place] / radius) ** 2
            assert kstest(share, beta(0.5, (dim - 1) / 2).cdf).pvalue > ALPHA
            assert kstest(share, beta(0.5, dim / 2).cdf).pvalue < ALPHA


@pytest.mark.statistical
def test_coins_and_exponentials_have_their_laws() -> None:
    coins = geometric(ROWS, stream()).numpy()
    seen = np.bincount(np.minimum(coins, 8).astype(np.int64), minlength=9)

    def fits(share: float) -> float:
        wanted = geom(share, loc=-1).pmf(np.arange(8))
        both = np.array([seen, np.append(wanted, 1 - wanted.sum()) * 10**9])
        return float(chi2_contingency(both.astype(np.int64)).pvalue)

    assert fits(0.5) > ALPHA
    assert fits(0.51) < ALPHA
    drawn = drawn_pairs(ROWS, 1, stream()).mixing.numpy().ravel()
    assert drawn.min() > 0
    assert kstest(drawn, "expon").pvalue > ALPHA
    assert kstest(drawn * 1.03, "expon").pvalue < ALPHA


@pytest.mark.statistical
def test_the_words_of_a_device_are_drawn_as_often_as_those_of_the_host() -> None:
    host, device = word_mechanism(HERE), word_mechanism(THERE)
    wrong = word_mechanism(replace(HERE, epsilon=54))
    ids = np.full(20_000, 3)
    drawn = [
        np.bincount(each.perturb(ids, seeded(9)), minlength=host.size)
        for each in (device, host, wrong)
    ]

    def alike(one: int, other: int) -> float:
        table = np.array([drawn[one], drawn[other]])
        often = table.sum(axis=0) >= 40
        rare = table[:, ~often].sum(axis=1, keepdims=True)
        table = np.hstack([table[:, often], rare])
        return float(chi2_contingency(table[:, table.sum(axis=0) > 0]).pvalue)

    assert alike(0, 1) > ALPHA
    assert alike(0, 2) < ALPHA


def test_the_device_finds_the_words_that_the_host_finds() -> None:
    rng = np.random.default_rng(3)
    table = rng.standard_normal((300, 20)).astype(np.float32)
    table[7] = table[3]  # of equal rows the first one wins
    points = rng.standard_normal((500, 20)) * rng.gamma(1.0, size=(500, 1))
    points[:300] = (table + table[::-1]) / 2  # ties, which only doubles can settle
    points[300] = table[7]
    found = DeviceNearest(table, "cpu")(torch.from_numpy(points))
    np.testing.assert_array_equal(found, Nearest(table)(points))
    assert found[300] == 3


def test_released_points_lie_on_the_grid_of_the_host() -> None:
    made = word_mechanism(THERE)
    assert isinstance(made, DeviceWords)
    noise = made.host.noise
    points = made.points(torch.tensor([0, 5, UNKNOWN]), stream()).numpy()
    steps = points / noise.spacing  # type: ignore[attr-defined]
    np.testing.assert_array_equal(steps, np.rint(steps))


def test_snapping_rounds_to_a_neighbour_and_adds_whole_steps() -> None:
    made = drawn_pairs(ROWS, 1, stream())
    at = torch.full((ROWS, 1), 0.25, dtype=torch.float64)
    found = snapped(at, made.shares[1], made.coins[1]).numpy()
    wanted = grid.snapped(np.full(ROWS, 0.25), seeded(1))
    assert abs(found.mean() - 0.25) < 0.03
    assert abs(found.std() - wanted.std()) < 0.03


@pytest.mark.statistical
def test_the_numbers_of_a_block_are_independent() -> None:
    made = drawn_pairs(ROWS, 1, stream())
    columns = [made.one, made.other, made.mixing, *made.shares, *made.coins]
    ranks = np.array([column.numpy().ravel().argsort().argsort() for column in columns])
    apart = np.abs(np.corrcoef(ranks) - np.eye(len(ranks)))
    assert apart.max() < 6 / np.sqrt(ROWS)
    planted = np.corrcoef(ranks[0], ranks[0] // 2 + ranks[1])[0, 1]
    assert planted > 6 / np.sqrt(ROWS)


def test_numbers_at_the_edge_get_more_bits(monkeypatch: pytest.MonkeyPatch) -> None:
    counter = torch.arange(3, dtype=torch.int32)
    fixed = torch.zeros(11, dtype=torch.int32)
    zero, ones = torch.zeros_like(counter), torch.full_like(counter, -1)
    words = {"zero": [zero] * 16, "ones": [ones] * 16}
    for name, own in words.items():
        monkeypatch.setattr(grid_torch, "block_words", lambda *_, own=own: own)
        made = _formed(fixed, counter)
        assert made.is_open.all(), name
    # Words of zeros: every number needs more bits, and then all are finite.
    monkeypatch.setattr(grid_torch, "block_words", lambda *_: words["zero"])
    rest = Rest(torch.full((3, 2), 0.5).double(), torch.full((3, 4), 2.0).double())
    made = _formed(fixed, counter, rest)
    assert torch.isfinite(made.one).all()
    np.testing.assert_allclose(made.mixing, -np.log(2.0**-53 * 2.0**-53 * 0.5))
    assert (made.coins[0] == 0).all()


def test_blocks_that_need_more_bits_are_formed_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    plain = drawn_pairs(50, 4, stream())
    planted = torch.zeros_like(plain.is_open)
    planted[7, 1] = True

    def marked(*given: object) -> Pairs:
        made = _formed(*given)  # type: ignore[arg-type]
        return made._replace(is_open=planted) if len(given) == 2 else made

    monkeypatch.setattr(grid_torch, "_formed", marked)
    made = drawn_pairs(50, 4, stream())
    # Nothing of block (7, 1) lies at an edge: more bits change its last digits only.
    for one, other in zip(plain[:3], made[:3], strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-12)


def test_equal_streams_draw_equal_words_and_others_do_not() -> None:
    made = word_mechanism(THERE)
    ids = np.array([1, UNKNOWN, 7] * 100)
    one, again, other = (made.perturb(ids, seeded(s)) for s in (1, 1, 2))
    np.testing.assert_array_equal(one, again)
    assert (one != other).any()
    assert one.min() >= 0
    assert one.max() < made.size
    # Tokens beyond a run are drawn under a key of their own.
    many = made.perturb(np.zeros(3000, dtype=np.int64), seeded(1))
    assert (many[:1024] != many[1024:2048]).any()


def test_the_guarantee_is_that_of_the_host_under_another_name() -> None:
    host, device = word_mechanism(HERE), word_mechanism(THERE)
    assert (host.name, device.name) == ("laplace.v2", "laplace-device.v1")
    assert device.guarantee().terms == host.guarantee().terms
    assert device.guarantee().metric == host.guarantee().metric
    assert device.guarantee().landmarks == host.guarantee().landmarks
    assert "as its maker states" in device.guarantee().scope.assumptions[-1]


@pytest.mark.parametrize("device", ["tpu", "cuda:x", "CPU", "meta"])
def test_other_devices_are_refused(device: str) -> None:
    with pytest.raises(ParameterError, match="device must be cuda"):
        LaplaceSettings(device=device)


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a GPU")
def test_a_gpu_that_is_not_there_is_refused() -> None:
    with pytest.raises(ParameterError, match="there is no 'cuda' here"):
        word_mechanism(replace(HERE, own=(LaplaceSettings(device="cuda"),)))


def test_other_noise_has_no_device() -> None:
    host = word_mechanism(WordSettings(mechanism="mahalanobis", vocabulary=40))
    assert isinstance(host, NearestWord)
    with pytest.raises(ParameterError, match="only Euclidean Laplace"):
        device_words(host, "cpu")


@pytest.mark.slow
def test_a_release_on_a_device_is_one_draw_whatever_is_tried_again(
    tmp_path: Path,
) -> None:
    (tmp_path / "in.txt").write_text("people of the world\n" * 50)
    asked: ReleaseRequest[WordSettings] = ReleaseRequest(
        str(tmp_path / "in.txt"), tmp_path / "one", Columns(()), THERE, seed=1
    )
    made = [release(asked), release(replace(asked, out=tmp_path / "two"))]
    manifest = made[0].to_json()
    assert "laplace-device.v1" in json.dumps(manifest)
    assert made[0].files == made[1].files
    on_host = replace(asked, out=tmp_path / "host", settings=HERE)
    assert release(on_host).files != made[0].files


@pytest.mark.parametrize(("device", "is_on_gpu"), [("cuda", True), ("cpu", False)])
def test_engines_hear_of_a_gpu(
    device: str,
    is_on_gpu: bool,  # noqa: FBT001
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    monkeypatch.setattr(laplace_torch, "device_words", lambda host, _: host)
    settings = replace(HERE, own=(LaplaceSettings(device=device),))
    (tmp_path / "in.txt").write_text("people\n")
    source = open_source(tmp_path / "in.txt", columns=Columns(()))
    prepared = WordTreatment.of(settings).prepare(source, lambda _: None)
    assert needs_gpu(prepared) is is_on_gpu
