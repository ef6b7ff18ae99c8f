"""Calibrations on disk: exact, atomic, and refused when damaged."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from publius.core.errors import DataError
from publius.core.metric import Euclidean
from publius.core.space import PointSpace
from publius.mechanisms.balance import Workshop, calibrate
from publius.mechanisms.prepared import (
    Calibration,
    file_name,
    find,
    known_epsilons,
    load,
    save,
)

SPACE = PointSpace(np.random.default_rng(0).normal(size=(15, 3)), Euclidean())
FOUND = calibrate(Workshop.of(SPACE), 1.0)
NAME = file_name(SPACE.id, 1.0, balanced=True)


def same(a: Calibration | None, b: Calibration) -> bool:
    assert a is not None
    return (
        a[1] == b[1]
        and a[0].beta == b[0].beta
        and a[0].weights.tolist() == b[0].weights.tolist()
    )


def test_round_trip_is_exact(tmp_path: Path) -> None:
    save(tmp_path / "new" / "folder", NAME, FOUND)
    assert same(load(tmp_path / "new" / "folder" / NAME), FOUND)
    assert [path.name for path in (tmp_path / "new" / "folder").iterdir()] == [NAME]


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


def test_the_first_readable_file_is_found(tmp_path: Path) -> None:
    empty, damaged, good = (tmp_path / name for name in ("a", "b", "c"))
    save(damaged, NAME, FOUND)
    (damaged / NAME).write_bytes(b"PK\x03\x04 no archive")
    save(good, NAME, FOUND)
    assert find(NAME, 15, (empty, damaged)) is None
    assert same(find(NAME, 15, (empty, damaged, good)), FOUND)


def test_a_calibration_of_another_size_is_not_found(tmp_path: Path) -> None:
    save(tmp_path, NAME, FOUND)
    assert find(NAME, 16, (tmp_path,)) is None


@pytest.mark.parametrize("content", [b"", b"text", b"\x93NUMPY", b"PK\x05\x06"])
def test_other_files_are_refused(tmp_path: Path, content: bytes) -> None:
    (tmp_path / NAME).write_bytes(content)
    with pytest.raises(DataError, match="is not a calibration"):
        load(tmp_path / NAME)


def test_a_plain_array_is_refused(tmp_path: Path) -> None:
    with (tmp_path / NAME).open("wb") as file:
        np.save(file, np.arange(3))
    with pytest.raises(DataError, match="is not a calibration"):
        load(tmp_path / NAME)


@pytest.mark.parametrize("weights", [np.array([0.5]), np.array([0], np.uint32)])
def test_weights_that_are_none_are_refused(tmp_path: Path, weights: np.ndarray) -> None:
    save(tmp_path, NAME, FOUND)
    with np.load(tmp_path / NAME) as arrays:
        meta = arrays["certificate"]
    with (tmp_path / NAME).open("wb") as file:
        np.savez(file, weights=weights, certificate=meta)
    with pytest.raises(DataError, match="is not a calibration"):
        load(tmp_path / NAME)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=150)
@given(st.data())
def test_changed_bytes_are_refused_or_read_whole(
    tmp_path: Path, data: st.DataObject
) -> None:
    save(tmp_path, NAME, FOUND)
    content = bytearray((tmp_path / NAME).read_bytes())
    at = data.draw(st.integers(0, len(content) - 1))
    content[at] ^= data.draw(st.integers(1, 255))
    (tmp_path / NAME).write_bytes(content)
    try:
        read = load(tmp_path / NAME)
    except DataError:
        return
    assert same(read, FOUND)  # the archive has bytes that mean nothing


def test_a_failed_write_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(np, "savez_compressed", full)
    with pytest.raises(OSError, match="No space left"):
        save(tmp_path, NAME, FOUND)
    assert list(tmp_path.iterdir()) == []


def test_every_epsilon_at_hand_is_listed(tmp_path: Path) -> None:
    for epsilon in (2.0, 0.25, 1e-5):
        save(tmp_path, file_name(SPACE.id, epsilon, balanced=True), FOUND)
    save(tmp_path, file_name(SPACE.id, 7.0, balanced=False), FOUND)
    save(tmp_path, file_name("euclidean@other", 8.0, balanced=True), FOUND)
    (tmp_path / file_name(SPACE.id, 1.0, balanced=True).replace("_1.", "_x.")).touch()
    found = known_epsilons(SPACE.id, (tmp_path / "missing", tmp_path))
    assert found == [1e-5, 0.25, 2.0]
