from pathlib import Path

import pytest

from publius.core.errors import OutputError
from publius.embeddings.folders import cache_folder, write_whole


def test_variable_chooses_the_folder(own_cache: Path) -> None:
    assert cache_folder() == own_cache


def test_default_folder_is_the_users(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PUBLIUS_CACHE")
    assert cache_folder().name.lower() == "publius"


def test_write_replaces_the_whole_file(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "file"
    write_whole(path, b"first")
    write_whole(path, b"2")
    assert path.read_bytes() == b"2"
    assert list(path.parent.iterdir()) == [path]


def test_failed_write_leaves_the_old_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "file"
    write_whole(path, b"old")

    def fail(self: Path, target: Path) -> Path:
        raise OSError(28, f"No space left on device ({self.name}, {target.name})")

    monkeypatch.setattr(Path, "replace", fail)
    with pytest.raises(OutputError, match="No space left"):
        write_whole(path, b"new")
    assert path.read_bytes() == b"old"
    assert len(list(tmp_path.iterdir())) == 1
