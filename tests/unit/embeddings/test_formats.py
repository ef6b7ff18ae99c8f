import gzip
import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from publius.core.errors import DataError, UnknownNameError
from publius.embeddings.formats import (
    FORMATS,
    read_vectors,
    sniff,
    text,
    word2vec_binary,
)

WORDS = ("the", "of", "café", "zebra")
VECTORS = np.array(
    [[0.5, -1.0, 2.0], [1e-3, 0, 7], [3, 3, 3], [-1, 0.25, 9]], np.float32
)


def lines(sep: str = " ", end: str = "\n") -> bytes:
    rows = [
        sep.join([w, *(repr(float(x)) for x in v)])
        for w, v in zip(WORDS, VECTORS, strict=True)
    ]
    return "".join(row + end for row in rows).encode()


def glove(path: Path) -> None:
    path.write_bytes(lines())


def glove_crlf(path: Path) -> None:
    path.write_bytes(lines(end="\r\n"))


def no_last_newline(path: Path) -> None:
    path.write_bytes(lines().rstrip(b"\n"))


def word2vec(path: Path) -> None:
    path.write_bytes(b"4 3\n" + lines())


def fasttext(path: Path) -> None:
    path.write_bytes(b"4 3\n" + lines(end=" \n"))


def binary_body(newline: bytes) -> bytes:
    pairs = zip(WORDS, VECTORS, strict=True)
    return b"".join(w.encode() + b" " + v.tobytes() + newline for w, v in pairs)


def binary(path: Path) -> None:
    path.write_bytes(b"4 3\n" + binary_body(b"\n"))


def binary_dense(path: Path) -> None:
    path.write_bytes(b"4 3\n" + binary_body(b""))


def npz_blob(path: Path) -> None:
    blob = np.frombuffer("\n".join(WORDS).encode(), dtype=np.uint8)
    np.savez_compressed(path, words_utf8=blob, vectors=VECTORS.astype(np.float16))


def npz_words(path: Path) -> None:
    np.savez(path, words=np.array(WORDS), vectors=VECTORS.astype(np.float64))


def npz_bytes(path: Path) -> None:
    np.savez(path, vocab=np.array([w.encode() for w in WORDS]), embeddings=VECTORS)


def npy(path: Path) -> None:
    np.save(path, VECTORS)
    path.with_suffix(".txt").write_text("\n".join(WORDS) + "\n", "utf-8")


def safetensors(path: Path) -> None:
    head = {"weight": {"dtype": "F32", "shape": [4, 3], "data_offsets": [0, 48]}}
    raw = json.dumps(head | {"__metadata__": {"a": "b"}}).encode()
    path.write_bytes(len(raw).to_bytes(8, "little") + raw + VECTORS.tobytes())
    path.with_suffix(".vocab").write_text("\n".join(WORDS), "utf-8")


FILES: list[tuple[str, Callable[[Path], None], str]] = [
    ("x.txt", glove, "glove"),
    ("x.txt", glove_crlf, "glove"),
    ("x.txt", no_last_newline, "glove"),
    ("x.txt", word2vec, "word2vec"),
    ("x.vec", fasttext, "fasttext"),
    ("x.bin", binary, "word2vec-binary"),
    ("x.bin", binary_dense, "word2vec-binary"),
    ("x.npz", npz_blob, "npz"),
    ("x.npz", npz_words, "npz"),
    ("x.npz", npz_bytes, "npz"),
    ("x.npy", npy, "npy"),
    ("x.safetensors", safetensors, "safetensors"),
]
EVERY = pytest.mark.parametrize(("name", "write", "layout"), FILES)


@EVERY
def test_every_format_is_recognised_and_read(
    tmp_path: Path, name: str, write: Callable[[Path], None], layout: str
) -> None:
    path = tmp_path / name
    write(path)
    assert sniff(path) == layout
    embedding = read_vectors(path)
    assert embedding.vocabulary.words == WORDS
    assert embedding.name == "x"
    assert embedding.vectors.astype(np.float64) == pytest.approx(VECTORS, rel=1e-3)


@EVERY
def test_every_format_is_restricted_while_reading(
    tmp_path: Path, name: str, write: Callable[[Path], None], layout: str
) -> None:
    path = tmp_path / name
    write(path)
    assert read_vectors(path, 2, layout).vocabulary.words == WORDS[:2]
    some = read_vectors(path, ["zebra", "café", "nowhere"])
    assert some.vocabulary.words == ("café", "zebra")
    assert some.vectors[1].tolist() == [-1, 0.25, 9]
    with pytest.raises(DataError, match="none of the words"):
        read_vectors(path, ["nowhere"])


@pytest.mark.parametrize("write", [glove, word2vec, fasttext, binary])
def test_gzip_is_unpacked(tmp_path: Path, write: Callable[[Path], None]) -> None:
    path = tmp_path / "x.gz"
    write(path)
    path.write_bytes(gzip.compress(path.read_bytes()))
    assert read_vectors(path).vocabulary.words == WORDS
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(DataError, match="truncated"):
        read_vectors(path)


@pytest.mark.parametrize("chunk", [1, 7, 30])
@pytest.mark.parametrize("write", [glove, word2vec, binary, binary_dense])
def test_chunks_do_not_change_what_is_read(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    chunk: int,
    write: Callable[[Path], None],
) -> None:
    monkeypatch.setattr(text, "CHUNK", chunk)
    monkeypatch.setattr(word2vec_binary, "CHUNK", chunk)
    path = tmp_path / "x"
    write(path)
    embedding = read_vectors(path)
    assert embedding.vocabulary.words == WORDS
    assert (embedding.vectors == VECTORS).all()


def test_safetensors_library_agrees(tmp_path: Path) -> None:
    library = pytest.importorskip("safetensors.numpy")
    path = tmp_path / "x.safetensors"
    library.save_file({"vectors": VECTORS, "bias": np.zeros(3)}, path)
    (tmp_path / "x.txt").write_text("\n".join(WORDS), "utf-8")
    assert (read_vectors(path).vectors == VECTORS).all()


def test_repeated_word_keeps_its_first_vector(tmp_path: Path) -> None:
    path = tmp_path / "x.txt"
    path.write_bytes(lines() + b"of 9 9 9\n")
    embedding = read_vectors(path)
    assert embedding.vocabulary.words == WORDS
    assert (embedding.vectors == VECTORS).all()


def test_word_with_spaces_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "x.txt"
    path.write_bytes(lines() + b". . . 1 2 3\nwide  4  5 6\n")
    embedding = read_vectors(path)
    assert embedding.vocabulary.words[4:] == (". . .", "wide")
    assert embedding.vectors[4:].tolist() == [[1, 2, 3], [4, 5, 6]]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "is empty"),
        (b"\n\n", "no known format"),
        (b"4 3\n", "states 4 words and holds 0"),
        (b"4 3", "ends after its first line"),
        (b"5 3\n" + lines(), "states 5 words and holds 4"),
        (b"3 3\n" + lines(), "states 3 words and holds 4"),
        (b"4 4\n" + lines(), "line 2 has 3 numbers instead of 4"),
        (lines() + b"short 1 2\n", "line 5 has 2 numbers instead of 3"),
        (lines() + b"long 1 2 3 4\n", "line 5 has more than 3 numbers"),
        (lines() + b"bad 1 2 x\n", "line 5 holds something that is not a number"),
        (lines() + b"bad 1 nan 2\n", "row 5 is not"),
        (lines() + b"bad 1 1e99 2\n", "row 5 is not"),
        (lines() + b"\xff\xfe 1 3 2\n", "word in row 5 is not UTF-8"),
        (lines() + b" 1 2 3\n", "line 5|row 5"),
        (b"hello world, this is prose\n", "no known format"),
        (b"4 3\n" + binary_body(b"")[:-1], "truncated: it states 4 words, 1 lack"),
        (b"2 1\na \0\0\xc0\x7fb \0\0\0\0", "row 1 is not"),
        (b"\x93NUMPY", "damaged"),
        (b"PK\x03\x04 nothing", "cannot read"),
    ],
)
def test_bad_files_are_named(tmp_path: Path, content: bytes, message: str) -> None:
    path = tmp_path / "bad.txt"
    path.write_bytes(content)
    with pytest.raises(DataError, match=message) as caught:
        read_vectors(path)
    assert "bad.txt" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_pickles_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.npz"
    np.savez(path, words=np.array(WORDS, dtype=object), vectors=VECTORS)
    with pytest.raises(DataError, match="cannot read"):
        read_vectors(path)


@pytest.mark.parametrize(
    ("members", "message"),
    [
        ({"words": np.array(WORDS)}, "needs a member named vectors"),
        ({"vectors": VECTORS}, "needs a member named words_utf8"),
        ({"words": np.array(WORDS[:2]), "vectors": VECTORS}, "4 vectors for 2 words"),
        ({"words": np.arange(4.0), "vectors": VECTORS}, "must be text"),
        ({"words": np.array(WORDS), "vectors": np.eye(4, dtype=int)}, "floating-point"),
        ({"words": np.array(["a", "b", "a", "c"]), "vectors": VECTORS}, "distinct"),
        ({"words": np.array(WORDS), "vectors": VECTORS * np.nan}, "row 0"),
    ],
)
def test_bad_archives_are_named(
    tmp_path: Path, members: dict[str, np.ndarray], message: str
) -> None:
    path = tmp_path / "x.npz"
    np.savez(path, **members)
    with pytest.raises(DataError, match=message):
        read_vectors(path)


def test_matrix_without_words_is_named(tmp_path: Path) -> None:
    path = tmp_path / "x.npy"
    np.save(path, VECTORS)
    with pytest.raises(DataError, match=r"needs its words.*x\.txt"):
        read_vectors(path)


def test_unknown_layout_and_missing_file(tmp_path: Path) -> None:
    glove(tmp_path / "x.txt")
    with pytest.raises(UnknownNameError, match="known: fasttext"):
        read_vectors(tmp_path / "x.txt", layout="gensim")
    with pytest.raises(DataError, match="cannot read"):
        read_vectors(tmp_path / "nothing.txt")
    assert set(FORMATS) >= {"glove", "word2vec", "word2vec-binary", "fasttext", "npz"}
