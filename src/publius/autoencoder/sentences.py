"""Cut texts into sentences, and put rewritten ones together again."""

import re
from collections.abc import Sequence

_END = re.compile(r"""(?<=[.!?…])(?:["'”’)\]]*)\s+|(?:\r?\n\s*)+""")
_ABBREVIATION = re.compile(
    r"(?:^|[\s(\"'])(?:mr|mrs|ms|dr|prof|st|jr|sr|vs|etc|no|vol|gen|col|lt|sen|rep|gov"
    r"|e\.g|i\.e|u\.s|[a-z])\.\Z",
    re.IGNORECASE,
)
_LONGEST = 8
"""More characters than any abbreviation has with what stands before it."""
_ALONE = re.compile(r"\bi\b")
_SPACED = re.compile(r"\s+")
_DIGITS = re.compile(r"(?<=\d) (?=\d)")
_BEFORE_MARK = re.compile(r" ([.,!?;:%)\]])")


def split(text: str) -> list[str]:
    """Return the sentences of a text; whitespace around them is dropped."""
    sentences: list[str] = []
    start = 0
    for match in _END.finditer(text):
        end = match.start() + len(match.group().rstrip())
        is_line = "\n" in match.group()
        # Only the last characters are looked at: a text of abbreviations would
        # otherwise be read again from its beginning at each of them.
        if not is_line and _ABBREVIATION.search(text[max(start, end - _LONGEST) : end]):
            continue
        sentences.append(_SPACED.sub(" ", text[start : match.end()]).strip())
        start = match.end()
    sentences.append(_SPACED.sub(" ", text[start:]).strip())
    return [sentence for sentence in sentences if sentence]


def join(sentences: Sequence[str]) -> str:
    """Return decoded sentences as one text with the usual capitals."""
    return " ".join(cased(sentence) for sentence in sentences if sentence.strip())


def cased(sentence: str) -> str:
    """Write the first letter and the pronoun I as capitals; close up marks."""
    plain = _BEFORE_MARK.sub(r"\1", _SPACED.sub(" ", sentence)).strip()
    plain = _DIGITS.sub("", _ALONE.sub("I", plain))  # digits are sub-words of their own
    first = next((i for i, letter in enumerate(plain) if letter.isalpha()), None)
    if first is None:
        return plain
    return plain[:first] + plain[first].upper() + plain[first + 1 :]
