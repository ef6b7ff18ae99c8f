"""The list of words that are never put out: from a public file, never from a text."""

from pathlib import Path

from publius.core.config import WordSettings
from publius.core.errors import DataError
from publius.language.tokenizer import fold


def blocked_words(settings: WordSettings) -> frozenset[str]:
    """Return the words of the block list as vocabularies write them.

    A collocation is written with spaces; a line that begins with # is a remark.

    Raises:
        DataError: The list cannot be read, or is empty.
    """
    lines = [fold(line.strip()) for line in list_content(settings.block).splitlines()]
    words = {line.replace(" ", "_") for line in lines if line and line[0] != "#"}
    if not words:
        raise DataError("the block list holds no word")
    return frozenset(words)


def list_content(path: str) -> str:
    """Read a list of words; the mark that some editors begin a file with is none."""
    file = Path(path)
    try:
        return file.read_text("utf-8-sig")
    except UnicodeDecodeError:
        reason = "cannot be read as UTF-8 text"
    except OSError:
        told = "is a folder" if file.is_dir() else "does not exist"
        reason = "cannot be read" if file.is_file() else told
    raise DataError(f"a list of words {reason}; name a file with a word per line")
