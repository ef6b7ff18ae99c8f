"""Names and texts of others, shown: what a screen would obey is seen instead."""

import re

_OBEYED = "\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069"
"""Controls of terminals, further line breaks, and what turns the direction of text."""

_IN_TEXT = re.compile(f"[{_OBEYED}]")
_IN_NAME = re.compile(f"[\t\n{_OBEYED}]")
_SHOWN = "\N{REPLACEMENT CHARACTER}"


def visible(text: str) -> str:
    """Return a text in which a sign stands for each control; lines and tabs stay."""
    return _IN_TEXT.sub(_SHOWN, text)


def visible_name(name: str) -> str:
    """Return a name, which is one line, likewise."""
    return _IN_NAME.sub(_SHOWN, name)


def escaped(written: str) -> str:
    """Return JSON that says the same, with controls as JSON writes them."""
    return _IN_TEXT.sub(lambda found: f"\\u{ord(found[0]):04x}", written)
