"""Fetched files: whole, those that were fetched, and nobody else's."""

from pathlib import Path

import pytest

from publius.core.errors import DataError, TrustError
from publius.storage.bundle import LIST, check_bundle, has_bundle, write_bundle


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write_bundle(tmp_path / "cache" / "model", [("a", b"weights"), ("b", b"words")])
    return tmp_path / "cache" / "model"


def test_what_was_written_is_there(folder: Path) -> None:
    assert has_bundle(folder)
    assert not has_bundle(folder.parent)
    assert (check_bundle(folder) / "a").read_bytes() == b"weights"


@pytest.mark.parametrize("name", ["a", "b", LIST])
def test_changed_and_missing_files_are_found(folder: Path, name: str) -> None:
    (folder / name).write_bytes(b"other")
    with pytest.raises(DataError, match="get it again"):
        check_bundle(folder)
    (folder / name).unlink()
    with pytest.raises(DataError, match="get it again"):
        check_bundle(folder)


@pytest.mark.parametrize("name", ["a", ".", LIST])
def test_what_others_may_write_is_refused(folder: Path, name: str) -> None:
    (folder / name).chmod(0o777)
    with pytest.raises(TrustError, match="chmod go-w"):
        check_bundle(folder)
