import pytest

from publius.core.arrays import UNKNOWN
from publius.core.errors import DataError
from publius.embeddings import Vocabulary


def test_encode_gives_places_and_unknown() -> None:
    vocabulary = Vocabulary(("b", "a", "ü"))
    assert vocabulary.encode(["ü", "b", "zzz", ""]).tolist() == [2, 0, UNKNOWN, UNKNOWN]
    assert vocabulary.encode([]).tolist() == []
    assert vocabulary.size == 3


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ((), "at least one word"),
        (("a", ""), "word 1 of the vocabulary is empty"),
        (("a", "b", "a"), "'a' is at 0 and 2"),
        (("a", "b\nc"), "word 1 of the vocabulary holds a line break"),
    ],
)
def test_bad_vocabulary_is_refused(words: tuple[str, ...], message: str) -> None:
    with pytest.raises(DataError, match=message):
        Vocabulary(words)


def test_lone_surrogate_is_refused_when_bytes_are_needed() -> None:
    with pytest.raises(DataError, match="word 1 "):
        Vocabulary(("a", "\ud800")).blob()


def test_fingerprint_depends_on_words_and_order() -> None:
    marks = {
        Vocabulary(words).fingerprint for words in [("a", "b"), ("b", "a"), ("ab",)]
    }
    assert len(marks) == 3
    assert Vocabulary(("a", "b")).fingerprint == Vocabulary(("a", "b")).fingerprint
