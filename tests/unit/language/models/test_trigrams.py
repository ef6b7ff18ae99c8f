"""The trigram model of spoken English: packed bits, back-off, and its judgement."""

import struct

import numpy as np
import pytest

from publius.core.errors import DataError, FetchError
from publius.language.models import trigrams
from publius.language.models.trigrams import BackoffTrigrams

WORDS = ["<s>", "b", "c"]
UNIT = np.log(1.0001)
SINGLE = [(-990.0, -1.0, 0), (-10.0, -2.0, 0), (-20.0, -3.0, 2), (0.0, 0.0, 3)]
"""Probability, back-off and first child; b follows <s> and c, c follows b."""
PAIRS = [(0, 7, 5, 0), (2, 7, 6, 0), (1, 8, 4, 1), (0, 0, 0, 2)]
"""Word before, back-off, probability, first child."""
TRIPLES = [(1, 3), (0, 9)]
"""c b: b before c; b c: <s> before them. Word before that, probability."""


def _packed(rows: list[tuple[int, ...]], bits: tuple[int, ...], extra: int) -> bytes:
    total, whole = sum(bits), 0
    for place, row in enumerate(rows):
        offset = place * total
        for value, width in zip(row, bits, strict=True):
            whole |= value << offset
            offset += width
    size = ((len(rows) + extra) * total + 7) // 8 + 8
    return whole.to_bytes(size, "little")


def _file() -> bytes:
    tables = np.zeros((3, 1 << 16), dtype="<f4")
    tables[0, [4, 5, 6]] = -4.0, -5.0, -6.0
    tables[1, [7, 8]] = -0.5, -0.25
    tables[2, [3, 9]] = -3.0, -9.0
    head = b"Trie Language Model" + struct.pack("<B3I", 3, 3, 3, 2)
    head += struct.pack("<I", 1) + tables.tobytes()
    head += b"".join(struct.pack("<2fI", *row) for row in SINGLE)
    head += _packed(PAIRS, (2, 16, 16, 2), 0) + _packed(TRIPLES, (2, 16), 1)
    words = "\0".join(WORDS).encode() + b"\0"
    return head + struct.pack("<I", len(words)) + words


@pytest.mark.parametrize(
    ("text", "logs"),
    [
        ("b", [-5.0]),  # after <s>
        ("b c", [-5.0, -9.0]),  # a triple of its own
        ("c", [-20.0 - 1.0]),  # backs off from <s>
        ("c b c", [-21.0, -6.0, -4.0 - 0.5]),  # backs off from the pair c b
        ("B, c!", [-5.0, -9.0]),
        ("x", [-20.0]),  # as the rarest word, not as the mark of a beginning
        ("x c", [-20.0, -20.0]),
    ],
)
def test_probabilities_back_off(text: str, logs: list[float]) -> None:
    model = BackoffTrigrams.read(_file())
    assert model.surprise([text])[0] == pytest.approx(-np.mean(logs) * UNIT, rel=1e-5)


def test_a_text_without_words_has_no_surprise() -> None:
    assert np.isnan(BackoffTrigrams.read(_file()).surprise(["?!"])).all()


@pytest.mark.parametrize("damage", [b"", b"no trie", _file()[:60], _file()[:-9]])
def test_other_files_are_refused(damage: bytes) -> None:
    with pytest.raises(DataError, match="not a packed trigram model"):
        BackoffTrigrams.read(damage)


def test_the_published_model_prefers_english() -> None:
    if not trigrams.has_trigrams():
        pytest.skip("the trigram model is not on this machine")
    model = trigrams.load_trigrams()
    every = np.arange(len(model.index))
    of, the = (np.full(len(every), model.index[word]) for word in ("of", "the"))
    law = np.exp(model._log_probability(every, the, of))
    assert law.sum() == pytest.approx(1, abs=1e-3)
    plain, mixed = model.surprise(
        ["i do not know what you are talking about", "about you know not do are i what"]
    )
    assert plain + 2 < mixed


def test_a_missing_model_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trigrams, "has_trigrams", lambda: False)
    with pytest.raises(FetchError, match="--get-trigrams"):
        trigrams.load_trigrams()
