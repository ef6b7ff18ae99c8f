"""One reader for all archives: whatever is wrong with one is a DataError."""

import io
import math
import zipfile
from pathlib import Path

import numpy as np
import pytest

from publius.assessment.auditing.files import read_channel
from publius.core.errors import DataError
from publius.embeddings.formats import read_vectors
from publius.storage.archive import (
    Expected,
    open_arrays,
    pack_array,
    pack_arrays,
    read_array,
)

ARRAYS = {"a": np.arange(6, dtype=np.uint16).reshape(2, 3), "b": np.array([0.5, 2.0])}


def compressed() -> bytes:
    out = io.BytesIO()
    np.savez_compressed(out, **ARRAYS)
    return out.getvalue()


def read_all(content: bytes) -> dict[str, np.ndarray]:
    with open_arrays(Path("x.npz"), content) as members:
        return {name: np.asarray(members[name]) for name in members.files}


def flips(whole: bytes) -> list[bytes]:
    found = []
    for bit in range(8 * len(whole)):
        raw = bytearray(whole)
        raw[bit // 8] ^= 1 << bit % 8
        found.append(bytes(raw))
    return found


@pytest.mark.parametrize("whole", [pack_arrays(ARRAYS), compressed()])
def test_every_flipped_bit_is_an_error_or_the_same_arrays(whole: bytes) -> None:
    refused = 0
    for raw in flips(whole):
        try:
            found = read_all(raw)
        except DataError:
            refused += 1
            continue
        for name in ARRAYS.keys() & found.keys():
            # A bit of a name or a date may change; no number may.
            np.testing.assert_array_equal(found[name], ARRAYS[name])
    assert refused > len(whole)


def test_every_cut_is_an_error() -> None:
    whole = pack_arrays(ARRAYS)
    for length in range(len(whole)):
        with pytest.raises(DataError):
            read_all(whole[:length])


def test_a_member_that_says_it_is_encrypted_is_an_error(tmp_path: Path) -> None:
    whole = bytearray(pack_arrays({"channel": np.eye(2), "distance": np.eye(2)}))
    for mark, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        at = whole.find(mark)
        while at >= 0:
            whole[at + offset] |= 1
            at = whole.find(mark, at + 1)
    path = tmp_path / "x.npz"
    path.write_bytes(whole)
    with zipfile.ZipFile(path) as archive, pytest.raises(RuntimeError):
        archive.read("channel.npy")
    for read in (read_channel, read_vectors):
        with pytest.raises(DataError):
            read(path)


def test_flipped_bits_of_one_array_never_escape() -> None:
    for raw in flips(pack_array(np.arange(3.0))):
        try:
            read_array("x.npy", raw)
        except DataError:
            continue


@pytest.mark.parametrize(
    "array",
    [
        np.array([1.0, math.nan]),
        np.array([1.0, -1.0]),
        np.array([1.0, 9.0]),
        np.array([1.0]),
        np.array([[1.0, 2.0]]),
        np.array([1, 2]),
        np.array(["a", "b"]),
    ],
)
def test_what_an_array_must_be_is_checked(array: np.ndarray) -> None:
    Expected("f", (2,), 0, 5).check("x", np.array([0.0, 5.0]))
    Expected("f", (None,), 0, 5).check("x", np.array([]))
    with pytest.raises(DataError, match="x is damaged"):
        Expected("f", (2,), 0, 5).check("x", array)
