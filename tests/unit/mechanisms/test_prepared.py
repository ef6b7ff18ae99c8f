"""Calibrations on disk: exact, and refused when damaged."""

from pathlib import Path

import numpy as np
import pytest

from publius.core.errors import DataError
from publius.core.metric import Euclidean
from publius.core.space import PointSpace
from publius.mechanisms.balance import Calibrator, calibrate
from publius.mechanisms.prepared import (
    Calibration,
    file_name,
    known_epsilons,
    pack,
    unpack,
)
from publius.storage.archive import open_arrays, pack_arrays

touch = Path.touch
SPACE = PointSpace(np.random.default_rng(0).normal(size=(15, 3)), Euclidean())
FOUND = calibrate(Calibrator.of(SPACE), 1.0)
NAME = file_name(SPACE.id, 1.0, balanced=True)


def same(a: Calibration | None, b: Calibration) -> bool:
    assert a is not None
    return (
        a[1] == b[1]
        and a[0].beta == b[0].beta
        and a[0].weights.tolist() == b[0].weights.tolist()
    )


def test_round_trip_is_exact() -> None:
    assert same(unpack(NAME, pack(FOUND), 15), FOUND)


def test_names_are_files_on_every_system() -> None:
    name = file_name("hop:k=10:cap=4@ab/../c", 2.5, balanced=False)
    assert name == "exponential.v1_hop-k=10-cap=4@ab-..-c_plain_2.5.npz"
    assert file_name("x@1", 4.0, balanced=True) == "exponential.v1_x@1_balanced_4.npz"


@pytest.mark.parametrize("other", [1.0000001, 1.0 - 1e-9])
def test_every_epsilon_has_its_own_file(other: float) -> None:
    # A shared file would serve a decay that was certified for a larger epsilon.
    assert file_name("x@1", other, balanced=True) != file_name(
        "x@1", 1.0, balanced=True
    )


def test_a_calibration_of_another_size_is_refused() -> None:
    with pytest.raises(DataError, match="of 16 words"):
        unpack(NAME, pack(FOUND), 16)


@pytest.mark.parametrize("content", [b"", b"text", b"\x93NUMPY", b"PK\x05\x06"])
def test_other_files_are_refused(content: bytes) -> None:
    with pytest.raises(DataError, match="is not a calibration"):
        unpack(NAME, content, 15)


@pytest.mark.parametrize(
    "weights", [np.full(15, 0.5), np.zeros(15, np.uint32), np.full(15, np.nan)]
)
def test_weights_that_are_none_are_refused(weights: np.ndarray) -> None:
    with open_arrays(Path(NAME), pack(FOUND)) as arrays:
        meta = np.asarray(arrays["certificate"])
    changed = pack_arrays({"weights": weights, "certificate": meta})
    with pytest.raises(DataError, match="is not a calibration"):
        unpack(NAME, changed, 15)


def test_every_flipped_bit_is_refused_or_reads_the_same() -> None:
    whole = pack(FOUND)
    for bit in range(8 * len(whole)):
        raw = bytearray(whole)
        raw[bit // 8] ^= 1 << bit % 8
        try:
            read = unpack(NAME, bytes(raw), 15)
        except DataError:
            continue
        assert same(read, FOUND)  # the archive has bytes that mean nothing


def test_every_epsilon_at_hand_is_listed(tmp_path: Path) -> None:
    for epsilon in (2.0, 0.25, 1e-5):
        touch(tmp_path / file_name(SPACE.id, epsilon, balanced=True))
    touch(tmp_path / file_name(SPACE.id, 7.0, balanced=False))
    touch(tmp_path / file_name("euclidean@other", 8.0, balanced=True))
    (tmp_path / file_name(SPACE.id, 1.0, balanced=True).replace("_1.", "_x.")).touch()
    found = known_epsilons(SPACE.id, (tmp_path / "missing", tmp_path))
    assert found == [1e-5, 0.25, 2.0]
