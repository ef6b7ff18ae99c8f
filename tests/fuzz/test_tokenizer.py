"""Texts made to be slow: a step that looks back at every place would take hours."""

import pytest

from publius.language.tokenizer import Tokenizer

SIZE = 1_000_000
HOSTILE = {
    "letters": "a" * SIZE,
    "letters then a stop": "a" * SIZE + ".",
    "accents": "é" * SIZE + ".",
    "marks": "a" + "\u0301" * SIZE,
    "letters and marks": "a\u0301" * (SIZE // 2),
    "joiners": "\u200d" * SIZE,
    "digits then letters": "1" * SIZE + "-" + "a" * SIZE,
    "dates": "1-a" * (SIZE // 3),
    "numbers": "1," * (SIZE // 2),
    "dots": "a." * (SIZE // 2),
    "apostrophes": "a'" * (SIZE // 2),
    "clitics": "a's" * (SIZE // 3),
    "underscores": "_" * SIZE,
    "plus": "+" * (SIZE // 4),
    "at": "@" * (SIZE // 4),
    "long addresses": ("-" * 64 + "@" + "-" * 255) * (SIZE // 3200),
    "domains": "a" * 63 + "@" + "b." * (SIZE // 4),
    "links": "www." * (SIZE // 4),
    "schemes": "http://" * (SIZE // 7),
    "nul": "\x00" * SIZE,
    "emoji": "👨\u200d👩" * (SIZE // 3),
    "spaces": " " * SIZE,
    "brackets": "[" * SIZE,
    "devanagari": "कऽ" * (SIZE // 2),
}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_hostile_texts_take_linear_time(text: str) -> None:
    assert "".join(Tokenizer().split(text)) == text
