"""What a screen would obey is seen instead, and JSON says the same."""

import json

import pytest

from publius.core.visible import escaped, visible, visible_name

OBEYED = ["\x00", "\x07", "\x1b", "\x7f", "\x85", "\x9b", "\u2028", "\u202e", "\u2066"]


@pytest.mark.parametrize("control", OBEYED)
def test_what_a_screen_obeys_is_seen(control: str) -> None:
    name = f"na{control}me"
    assert visible(name) == visible_name(name) == "na�me"
    written = json.dumps(name, ensure_ascii=False)
    assert control not in escaped(written)
    assert json.loads(escaped(written)) == name


def test_lines_and_writing_of_others_stay() -> None:
    assert visible("a\tb\nc") == "a\tb\nc"
    assert visible_name("a\tb\nc") == "a�b�c"
    text = "עברית \u200f, हिन्\u200dदी, naïve, 👩\u200d🚀"
    assert visible(text) == visible_name(text) == escaped(text) == text
