import errno
import io
from pathlib import Path
from typing import BinaryIO, cast

import pytest

from publius.core.errors import DataError
from publius.tables import stream
from publius.tables.stream import ByteInput, Gauge, lines, open_binary


class Failing(io.RawIOBase):
    """A file on a disk that breaks."""

    def readinto(self, _: object) -> int:
        raise OSError(errno.EIO, "Input/output error")


def test_a_failing_disk_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stream, "open_binary", lambda _: Failing())
    with pytest.raises(DataError, match="reading the input failed: Input/output"):
        ByteInput(tmp_path, "utf-8", Gauge()).head()


def test_what_cannot_be_opened_is_said(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"cannot be opened \(Is a directory\)"):
        open_binary(tmp_path)
    with pytest.raises(DataError, match="does not exist"):
        open_binary(tmp_path / "gone.txt")


def test_the_head_leaves_the_input_unread(tmp_path: Path) -> None:
    path = tmp_path / "t.txt"
    path.write_bytes(b"a\n" * 10)
    source = ByteInput(path, "utf-8", Gauge())
    assert source.head() == source.head() == b"a\n" * 10
    with source.open() as opened:
        assert opened.read() == b"a\n" * 10
    assert source.gauge.bytes_read == 20


def test_lines_are_never_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stream, "BLOCK", 4)
    content = b"a\n\nbcdefghij\nk\nlmnopq"
    found = list(lines(cast("BinaryIO", io.BytesIO(content))))
    assert b"".join(found) == content
    assert all(block.endswith(b"\n") for block in found[:-1])
    assert found[-1] == b"lmnopq"
