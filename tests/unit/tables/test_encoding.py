import codecs
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from publius.core.errors import DataError
from publius.tables.encoding import as_utf8


def cut(content: bytes, places: list[int]) -> list[bytes]:
    edges = [0, *sorted(place % (len(content) + 1) for place in places), len(content)]
    pieces = [content[a:b] for a, b in pairwise(edges)]
    return [piece for piece in pieces if piece]


PLACES = st.lists(st.integers(0, 200), max_size=8)


@given(text=st.text(max_size=60), places=PLACES)
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-32-be"])
def test_characters_survive_any_cut(
    encoding: str, text: str, places: list[int]
) -> None:
    pieces = cut(text.encode(encoding), places)
    expected = text.encode().removeprefix(codecs.BOM_UTF8)
    assert b"".join(as_utf8(iter(pieces), encoding)) == expected


@given(content=st.binary(max_size=60), places=PLACES)
def test_bytes_are_refused_exactly_when_python_refuses_them(
    content: bytes, places: list[int]
) -> None:
    try:
        content.decode("utf-8")
    except UnicodeDecodeError:
        with pytest.raises(DataError, match="not UTF-8"):
            list(as_utf8(iter(cut(content, places)), "utf-8"))
    else:
        assert b"".join(as_utf8(iter(cut(content, places)), "utf-8")) == (
            content.removeprefix(codecs.BOM_UTF8)
        )


def test_half_a_surrogate_pair_is_no_text() -> None:
    with pytest.raises(DataError, match="not UNICODE_ESCAPE"):
        list(as_utf8(iter([rb"\ud800"]), "unicode_escape"))
