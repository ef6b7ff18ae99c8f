"""A text that a command is given: an argument, or standard input."""

import sys
from pathlib import Path

from publius.core.errors import DataError


def is_file_name(text: str) -> bool:
    """Tell whether a text is the name of a file that exists here."""
    try:
        return text != "-" and Path(text).is_file()
    except (OSError, ValueError):  # a text may be too long for a name
        return False


def given_text(text: str) -> str:
    """Return the text, or standard input for ``-``; bytes that are no text raise."""
    try:
        if text != "-":
            # Arguments that are not valid in the terminal's encoding hold surrogates.
            return text.encode("utf-8").decode("utf-8")
        if sys.stdin is None:
            raise DataError("there is no standard input to read from")
        return sys.stdin.buffer.read().decode("utf-8")
    except UnicodeError:
        pass  # its text quotes the bytes
    raise DataError("the text is not valid UTF-8")
