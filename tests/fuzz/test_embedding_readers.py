"""Readers of vectors meet arbitrary bytes: they read them or raise a PubliusError."""

import gc
import gzip
import io
import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from publius.core.errors import DataError, PubliusError
from publius.embeddings import graph
from publius.embeddings.formats import FORMATS, read_vectors
from publius.embeddings.preprocess import is_word
from publius.embeddings.wink import read_wink

# NumPy says so when a damaged header looks like one of Python 2.
pytestmark = pytest.mark.filterwarnings("ignore:Reading `.npy`:UserWarning")

VECTORS = np.arange(6, dtype=np.float32).reshape(3, 2)


def archive() -> bytes:
    packed = io.BytesIO()
    np.savez(packed, words=np.array(["a", "b", "c"]), vectors=VECTORS)
    return packed.getvalue()


def matrix() -> bytes:
    packed = io.BytesIO()
    np.save(packed, VECTORS)
    return packed.getvalue()


def tensors() -> bytes:
    entry = {"dtype": "F32", "shape": [3, 2], "data_offsets": [0, 24]}
    head = json.dumps({"w": entry}).encode()
    return len(head).to_bytes(8, "little") + head + VECTORS.tobytes()


BINARY = b"".join(b"%c " % (97 + i) + row.tobytes() for i, row in enumerate(VECTORS))
VALID: dict[str, bytes] = {
    "fasttext": b"3 2\na 0 1 \nb 2 3 \nc 4 5 \n",
    "glove": b"a 0 1\nb 2 3\nc 4 5\n",
    "npy": matrix(),
    "npz": archive(),
    "safetensors": tensors(),
    "word2vec": b"3 2\na 0 1\nb 2 3\nc 4 5\n",
    "word2vec-binary": b"3 2\n" + BINARY,
}

FUZZ = settings(
    deadline=None,
    max_examples=150,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)


@st.composite
def mutated(draw: st.DrawFn, whole: bytes) -> bytes:
    """Cut, repeat or overwrite a piece of a valid file."""
    start = draw(st.integers(0, len(whole)))
    stop = draw(st.integers(start, len(whole)))
    piece = draw(st.one_of(st.binary(max_size=12), st.just(whole[start:stop] * 2)))
    return whole[:start] + piece + whole[stop:]


def only_publius_errors(action: Callable[[], object]) -> None:
    message = ""
    try:
        action()
    except PubliusError as error:
        message = str(error)
    assert "\n" not in message


def test_every_format_has_a_valid_example(tmp_path: Path) -> None:
    assert set(VALID) == set(FORMATS)
    (tmp_path / "x.txt").write_bytes(b"a\nb\nc")
    for layout, content in VALID.items():
        path = tmp_path / "x.file"
        path.write_bytes(content)
        read = read_vectors(path, layout=layout)
        assert read.vocabulary.words == ("a", "b", "c")
        assert (read.vectors == VECTORS).all()


@pytest.mark.parametrize("layout", sorted(VALID))
@FUZZ
@given(draw=st.data())
def test_damaged_files(tmp_path: Path, layout: str, draw: st.DataObject) -> None:
    content = draw.draw(mutated(VALID[layout]))
    path = tmp_path / ("x.safetensors" if layout == "safetensors" else "x.file")
    (tmp_path / "x.txt").write_bytes(b"a\nb\nc")
    for raw in (content, gzip.compress(content)[: draw.draw(st.integers(0, 80))]):
        path.write_bytes(raw)
        only_publius_errors(lambda: read_vectors(path))
        only_publius_errors(lambda: read_vectors(path, 2, layout))


@FUZZ
@given(content=st.binary(max_size=300))
def test_arbitrary_bytes(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "x.file"
    path.write_bytes(content)
    only_publius_errors(lambda: read_vectors(path))
    for layout in FORMATS:
        only_publius_errors(lambda layout=layout: read_vectors(path, None, layout))
    only_publius_errors(lambda: graph.unpack(path.name, content, "ab", 3))
    only_publius_errors(lambda: read_wink(path, is_word))


def test_archive_read_as_matrix_closes_its_file(tmp_path: Path) -> None:
    path = tmp_path / "x.npy"
    with path.open("wb") as out:
        np.savez(out, a=np.zeros(3))
    with pytest.raises(DataError, match="damaged"):
        read_vectors(path, None, "npy")
    gc.collect()  # an open file would be reported here
