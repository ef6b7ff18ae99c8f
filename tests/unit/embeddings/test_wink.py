import gzip
import io
import json
import tarfile
from pathlib import Path

import pytest

from publius.core.errors import DataError
from publius.embeddings import wink
from publius.embeddings.preprocess import is_word

ROWS = {
    '"]': [9.0, 9.0],
    "the": [0.5, -1.0],
    "1990": [7.0, 7.0],
    "dog\u00e9": [2.0, 3e-3],
}


def package(path: Path, text: str, member: str = wink.MEMBER) -> Path:
    raw = text.encode()
    with tarfile.open(path, "w:gz") as archive:
        entry = tarfile.TarInfo(member)
        entry.size = len(raw)
        archive.addfile(entry, io.BytesIO(raw))
    return path


def text(rows: dict[str, list[float]]) -> str:
    vectors = {word: [*row, 1.0, i] for i, (word, row) in enumerate(rows.items())}
    content = {"dimensions": 2, "words": list(rows), "vectors": vectors}
    return json.dumps(content | {"unkVector": [0, 0, 0, -1]}, separators=(",", ":"))


@pytest.mark.parametrize("chunk", [16, 64, 1 << 20])
def test_rows_are_read_across_chunks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, chunk: int
) -> None:
    monkeypatch.setattr(wink, "CHUNK", chunk)
    path = package(tmp_path / "p.tgz", text(ROWS))
    words, vectors = wink.read_wink(path, len)
    assert words == tuple(ROWS)
    assert vectors.ravel() == pytest.approx([9, 9, 0.5, -1, 7, 7, 2, 3e-3])


def test_words_are_selected_and_limited(tmp_path: Path) -> None:
    path = package(tmp_path / "p.tgz", text(ROWS))
    assert wink.read_wink(path, is_word)[0] == ("the", "dog\u00e9")
    assert wink.read_wink(path, is_word, 1)[0] == ("the",)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (text(ROWS)[:60], "ends before its vectors"),
        (text(ROWS)[:160], "ends in the middle"),
        (text(ROWS).replace("dimensions", "dim"), "does not state"),
        (text(ROWS).replace("0.5,", ""), "without 2 numbers"),
        (text(ROWS).replace("0.5", "half"), "not made of numbers"),
        (text({"1": [1.0, 2.0]}), "no usable word"),
    ],
)
def test_bad_content_is_named(tmp_path: Path, content: str, message: str) -> None:
    with pytest.raises(DataError, match=message):
        wink.read_wink(package(tmp_path / "p.tgz", content), is_word)


def test_bad_archive_is_named(tmp_path: Path) -> None:
    path = tmp_path / "p.tgz"
    for content in (b"", b"not an archive", gzip.compress(b"x" * 50)):
        path.write_bytes(content)
        with pytest.raises(DataError, match=r"p\.tgz"):
            wink.read_wink(path, is_word)
    with pytest.raises(DataError, match="holds no package"):
        wink.read_wink(package(path, "{}", "package/other.json"), is_word)
