"""The cache: sealed, refused when others may write it, formed again when damaged."""

import os
import tracemalloc
from pathlib import Path

import numpy as np
import pytest

from publius.core.errors import TrustError
from publius.storage import cache
from publius.storage.archive import pack_array
from publius.storage.cache import (
    cache_folder,
    map_cached_array,
    read_cached,
    write_cached,
    write_cached_array,
)

posix = pytest.mark.skipif(not hasattr(os, "geteuid"), reason="POSIX permissions")


@pytest.fixture(autouse=True)
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("PUBLIUS_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def test_variable_chooses_the_folder(own: Path) -> None:
    assert cache_folder() == own


def test_default_folder_is_the_users(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PUBLIUS_CACHE")
    monkeypatch.setattr(cache, "refuse_foreign", lambda _: None)
    assert cache_folder().name.lower() == "publius"


@pytest.mark.parametrize(
    "array",
    [
        np.arange(12.0).reshape(3, 4),
        np.arange(12, dtype=np.int16).reshape(3, 4).T,
        np.zeros((0, 3)),
    ],
)
def test_an_array_is_written_in_parts_as_in_one_piece(
    array: np.ndarray,
) -> None:
    write_cached_array("kind", "a.npy", array)
    assert read_cached("kind", "a.npy") == pack_array(np.ascontiguousarray(array))


def test_an_array_is_not_copied_while_it_is_written() -> None:
    array = np.zeros(1 << 24, dtype=np.uint8)
    tracemalloc.start()
    write_cached_array("kind", "a.npy", array)
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert most < array.nbytes / 8


def test_what_was_kept_comes_back() -> None:
    assert read_cached("kind", "a") is None
    write_cached("kind", "a", b"content")
    assert read_cached("kind", "a") == b"content"


def test_every_flipped_bit_and_every_cut_is_found(own: Path) -> None:
    write_cached("kind", "a", b"content")
    path = own / "kind" / "a"
    whole = path.read_bytes()
    for bit in range(8 * len(whole)):
        raw = bytearray(whole)
        raw[bit // 8] ^= 1 << bit % 8
        path.write_bytes(raw)
        assert read_cached("kind", "a") is None
    for length in range(len(whole)):
        path.write_bytes(whole[:length])
        assert read_cached("kind", "a") is None


def test_a_table_under_another_name_is_not_taken(own: Path) -> None:
    write_cached("kind", "epsilon-15", b"steep")
    (own / "kind" / "epsilon-15").rename(own / "kind" / "epsilon-1.5")
    assert read_cached("kind", "epsilon-1.5") is None


def test_arrays_are_mapped_once_they_are_checked(own: Path) -> None:
    array = np.arange(5000, dtype=np.uint16).reshape(50, 100)
    write_cached_array("kind", "a.npy", array)
    found = map_cached_array("kind", "a.npy")
    assert isinstance(found, np.memmap)
    np.testing.assert_array_equal(found, array)
    path = own / "kind" / "a.npy"
    raw = bytearray(path.read_bytes())
    raw[4000:] = bytes(len(raw) - 4000)  # half of the table is zero
    path.write_bytes(raw)
    assert map_cached_array("kind", "a.npy") is None
    assert map_cached_array("kind", "b.npy") is None


@pytest.mark.parametrize("length", [0, 1, 39, 40, 41, 100])
def test_short_arrays_are_none(own: Path, length: int) -> None:
    write_cached_array("kind", "a.npy", np.arange(9))
    path = own / "kind" / "a.npy"
    path.write_bytes(path.read_bytes()[:length])
    assert map_cached_array("kind", "a.npy") is None


@posix
@pytest.mark.parametrize("mode", [0o777, 0o722, 0o720, 0o702, 0o1777])
@pytest.mark.parametrize("part", [".", "kind", "kind/a"])
def test_what_others_may_write_is_refused(own: Path, mode: int, part: str) -> None:
    write_cached("kind", "a", b"content")
    (own / part).chmod(mode)
    with pytest.raises(TrustError, match="chmod go-w"):
        read_cached("kind", "a")
    with pytest.raises(TrustError, match="chmod go-w"):
        write_cached("kind", "a", b"new")


@posix
def test_what_belongs_to_another_user_is_refused(
    own: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_cached("kind", "a", b"content")
    monkeypatch.setattr(os, "geteuid", lambda: own.stat().st_uid + 1)
    if own.stat().st_uid == 0:
        pytest.skip("what belongs to root is trusted")
    with pytest.raises(TrustError, match="another user"):
        read_cached("kind", "a")


@posix
@pytest.mark.parametrize("mask", [0o000, 0o002, 0o022, 0o077])
def test_whatever_the_mask_the_cache_accepts_what_it_made(mask: int) -> None:
    before = os.umask(mask)
    try:
        write_cached("kind", "a", b"content")
    finally:
        os.umask(before)
    assert read_cached("kind", "a") == b"content"


def test_a_cache_that_cannot_be_written_costs_only_time(own: Path) -> None:
    own.write_text("a file where the folder should be")
    write_cached("kind", "a", b"content")
    assert read_cached("kind", "a") is None
