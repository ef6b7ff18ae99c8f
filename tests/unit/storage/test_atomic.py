"""The one way to write: whole or not at all, and on the disk."""

import os
from pathlib import Path

import pytest

from publius.core.errors import OutputError
from publius.storage import atomic
from publius.storage.atomic import new_folder, remove_leftovers, replacing, write_bytes


def test_write_replaces_the_whole_file(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "file"
    write_bytes(path, b"first")
    write_bytes(path, b"2")
    assert path.read_bytes() == b"2"
    assert list(path.parent.iterdir()) == [path]


def test_failed_write_leaves_the_old_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "file"
    write_bytes(path, b"old")

    def fail(self: Path, target: Path) -> Path:
        raise OSError(28, f"No space left on device ({self.name}, {target.name})")

    monkeypatch.setattr(Path, "replace", fail)
    with pytest.raises(OutputError, match=r"the disk is full.*free space, and run"):
        write_bytes(path, b"new")
    assert path.read_bytes() == b"old"
    assert len(list(tmp_path.iterdir())) == 1


def test_file_and_folder_reach_the_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    synced: list[str] = []

    def fsync(descriptor: int) -> None:
        is_folder = Path(f"/proc/self/fd/{descriptor}").is_dir()
        synced.append("folder" if is_folder else "file")

    if not Path("/proc/self/fd").exists():
        pytest.skip("needs /proc")
    monkeypatch.setattr(atomic.os, "fsync", fsync)
    write_bytes(tmp_path / "file", b"x")
    assert synced == ["file", "folder"]


def test_two_writers_of_one_file_do_not_meet(tmp_path: Path) -> None:
    path = tmp_path / "file"
    with replacing(path) as one, replacing(path) as other:
        one.write(b"one")
        other.write(b"other")
    assert path.read_bytes() == b"one"
    assert list(tmp_path.iterdir()) == [path]


def test_a_folder_appears_whole_or_not_at_all(tmp_path: Path) -> None:
    with new_folder(tmp_path / "deep" / "new") as draft:
        (draft / "a").write_bytes(b"1")
        assert not (tmp_path / "deep" / "new").exists()
    assert (tmp_path / "deep" / "new" / "a").read_bytes() == b"1"

    def interrupted() -> None:
        with new_folder(tmp_path / "half") as draft:
            (draft / "a").write_bytes(b"1")
            raise OSError(28, "No space left on device")

    with pytest.raises(OutputError, match="the disk is full"):
        interrupted()
    assert [path.name for path in tmp_path.iterdir()] == ["deep"]


def test_leftovers_of_a_killed_run_are_removed(tmp_path: Path) -> None:
    (tmp_path / ".file.123.ab.tmp").touch()
    remove_leftovers(tmp_path)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(not hasattr(os, "fchmod"), reason="needs modes of open files")
def test_a_draft_is_its_owners_alone_until_it_is_whole(tmp_path: Path) -> None:
    path = tmp_path / "file"
    with replacing(path) as stream:
        stream.write(b"half")
        (draft,) = tmp_path.iterdir()
        assert not draft.stat().st_mode & 0o077
    (tmp_path / "usual").touch()
    assert path.stat().st_mode == (tmp_path / "usual").stat().st_mode


@pytest.mark.skipif(not hasattr(os, "fchmod"), reason="needs modes of open files")
def test_a_disk_without_modes_can_be_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_descriptor: int, _mode: int) -> None:
        raise PermissionError

    monkeypatch.setattr(os, "fchmod", refuse)
    write_bytes(tmp_path / "file", b"whole")
    assert (tmp_path / "file").read_bytes() == b"whole"
