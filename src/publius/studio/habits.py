"""What still gives a writer away: habits that a replacement of words leaves alone.

Every habit is a rate, compared with the same rate in public texts. A text of 300 words
says little about a rare habit, so that only clear differences are told.
"""

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from publius.embeddings.vocabulary import Vocabulary
from publius.language.stop_words import STOP_WORDS
from publius.services.prepared import PREPARED
from publius.studio.background import public_texts
from publius.studio.laws import settings_at
from publius.studio.slider import DEFAULT

LEAST_WORDS = 20
"""Of fewer words no rate is told."""

CLEAR = 2.0
"""Standard deviations from the public texts beyond which a habit is told."""

TOLD = 3
"""Habits of one kind that are named."""

MANY = 5
"""Per 100 words: more numbers or names than that say what a text is about."""

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_SENTENCE = re.compile(r"[.!?…]+[\"'”’)\]]*\s+|\n\s*\n")
_MARKS = {
    ",": "commas", ";": "semicolons", ":": "colons", "!": "exclamation marks",
    "?": "question marks", "…": "ellipses", "...": "dots in a row", "—": "long dashes",
    " - ": "dashes", "--": "double hyphens", "(": "brackets", '"': "quotation marks",
    "“": "curly quotation marks", "/": "slashes", "*": "asterisks",
}  # fmt: skip
_LAYOUT: dict[str, Callable[[str], int]] = {
    "double spaces": lambda text: len(re.findall(r"(?<=\S)  +(?=\S)", text)),
    "line breaks": lambda text: text.count("\n"),
    "empty lines": lambda text: len(re.findall(r"\n\s*\n", text)),
    "indented lines": lambda text: len(re.findall(r"^[ \t]+\S", text, re.MULTILINE)),
    "list marks": lambda text: len(re.findall(r"^\s*[-*•]\s", text, re.MULTILINE)),
    "words in capitals": lambda text: len(re.findall(r"\b[A-Z]{3,}\b", text)),
    "sentences without a capital": lambda text: len(
        re.findall(r"(?:^|[.!?]\s+)[a-z]", text)
    ),
}


@dataclass(frozen=True, slots=True)
class Habit:
    """One kind of habit, as it is told.

    Args:
        name: Of the kind.
        told: One sentence; may hold words of the text.
        remedy: Setting that mends it; empty if none does.
        action: What the button says.
        is_clear: It sets the writer apart from the public texts.
        is_left: The release leaves it as it is.
    """

    name: str
    told: str
    remedy: str = ""
    action: str = ""
    is_clear: bool = False
    is_left: bool = False


@dataclass(frozen=True, slots=True)
class Chosen:
    """What the writer has chosen to change.

    Args:
        protects_all: Stop words are drawn too.
        is_plain: Layout and punctuation are dropped before.
    """

    protects_all: bool = False
    is_plain: bool = False


def plain_layout(text: str) -> str:
    """Return a text on one line, with full stops as its only punctuation.

    Hyphens and apostrophes inside words stay; numbers keep their points.
    """
    ended = re.sub(r"[.!?…]+(?=[\"'”’)\]]*(?:\s|\Z))", " . ", text)
    bare = re.sub(r"(?<!\w)[^\w\s.]+|[^\w\s.]+(?!\w)", " ", ended)
    line = re.sub(r"\s+", " ", bare).strip()
    return re.sub(r"(?: \.)+", ".", line)


def habits(text: str, chosen: Chosen | None = None) -> tuple[Habit, ...]:
    """Return what sets a text apart from public texts, kind by kind.

    Args:
        text: The secret.
        chosen: What a release of it changes beside content words.
    """
    chosen = chosen or Chosen()
    if len(_WORD.findall(text)) < LEAST_WORDS:
        return ()
    stops, plain = not chosen.protects_all, not chosen.is_plain
    mend_stops = ("protect", "Protect all words") if stops else ("", "")
    mend_layout = ("plain", "Drop layout") if plain else ("", "")
    rewrite = ("rewrite", "Rewrite sentences")
    own = rates(text)
    return (
        _of_kind("Stop-word habits", "words", own, mend_stops, is_left=stops),
        _of_kind("Punctuation", "marks", own, mend_layout, is_left=plain),
        _of_kind("Layout", "layout", own, mend_layout, is_left=plain),
        _of_kind("Sentence lengths", "lengths", own, rewrite, is_left=True),
        _rare(text),
        _counted("Numbers", text, _numbers(text)),
        _counted("Names", text, _names(text)),
    )


def rates(text: str) -> dict[str, dict[str, float]]:
    """Return how often every habit occurs, per 100 words, by kind."""
    words = [word.lower() for word in _WORD.findall(text)]
    count, per = Counter(words), 100 / max(1, len(words))
    lengths = [len(_WORD.findall(part)) for part in _SENTENCE.split(text)]
    lengths = [length for length in lengths if length] or [0]
    return {
        "words": {word: count[word] * per for word in _common_stop_words()},
        "marks": {name: text.count(mark) * per for mark, name in _MARKS.items()},
        "layout": {name: measure(text) * per for name, measure in _LAYOUT.items()},
        "lengths": {
            "words in a sentence": float(np.mean(lengths)),
            "spread of sentence lengths": float(np.std(lengths)),
        },
    }


@lru_cache(maxsize=1)
def _common_stop_words() -> tuple[str, ...]:
    """Return the stop words that public writers use at all."""
    count: Counter[str] = Counter()
    for pieces in public_texts().values():
        for piece in pieces:
            count.update(word.lower() for word in _WORD.findall(piece))
    return tuple(word for word, n in count.most_common(400) if word in STOP_WORDS)


@lru_cache(maxsize=1)
def _public() -> Mapping[str, Mapping[str, tuple[float, float]]]:
    """Return mean and deviation of every rate over the public pieces."""
    measured = [rates(piece) for pieces in public_texts().values() for piece in pieces]
    return {
        kind: {
            name: _spread([one[kind][name] for one in measured])
            for name in measured[0][kind]
        }
        for kind in measured[0]
    }


def _spread(values: Sequence[float]) -> tuple[float, float]:
    # A habit that no public writer has counts from one occurrence in 300 words.
    return float(np.mean(values)), max(float(np.std(values)), 1 / 3)


def _of_kind(
    name: str,
    kind: str,
    measured: Mapping[str, Mapping[str, float]],
    mend: tuple[str, str],
    *,
    is_left: bool,
) -> Habit:
    own, public = measured[kind], _public()[kind]
    apart = {key: (own[key] - public[key][0]) / public[key][1] for key in own}
    clear = sorted(apart, key=lambda key: -abs(apart[key]))[:TOLD]
    clear = [key for key in clear if abs(apart[key]) > CLEAR]
    if not clear:
        told = "Nothing here is unusual beside the public texts."
        return Habit(name, told, *mend, is_left=is_left)
    unit = "" if kind == "lengths" else " per 100 words"
    parts = [
        f"{_quoted(key, kind)} {own[key]:.1f} (public texts {public[key][0]:.1f})"
        for key in clear
    ]
    told = "; ".join(parts) + unit + "."
    return Habit(name, told, *mend, is_clear=True, is_left=is_left)


def _quoted(key: str, kind: str) -> str:
    return f"“{key}”" if kind == "words" else key


def _rare(text: str) -> Habit:
    """Tell spellings that the public vocabulary does not have."""
    words = [word.lower().replace("’", "'") for word in _WORD.findall(text)]
    plain = [word for word in words if word.isalpha() and word not in STOP_WORDS]
    known = _vocabulary().encode(plain) >= 0
    rare = list(dict.fromkeys(w for w, is_known in zip(plain, known, strict=True)
                              if not is_known))  # fmt: skip
    return _counted("Rare spellings", text, rare)


def _vocabulary() -> Vocabulary:
    return PREPARED(settings_at(DEFAULT)).embedding.vocabulary


def _numbers(text: str) -> list[str]:
    return re.findall(r"\b\d[\d.,:/-]*", text)


def _names(text: str) -> list[str]:
    """Return capitalised words inside sentences; neither I nor words in capitals."""
    inside = re.findall(r"(?<=[a-z,;] )[A-Z][a-z]+", text)
    return [word for word in inside if word.lower() not in STOP_WORDS]


def _counted(name: str, text: str, matches: Sequence[str]) -> Habit:
    """Tell what is replaced anyway, but shows what stood there by its place."""
    share = 100 * len(matches) / max(1, len(_WORD.findall(text)))
    if not matches:
        return Habit(name, "There are none.")
    some = ", ".join(f"“{one}”" for one in dict.fromkeys(matches[:TOLD]))
    told = (
        f"{len(matches)} ({share:.1f} per 100 words), such as {some}: each is replaced "
        "by a draw, which may be the same word if the vocabulary has it."
    )
    return Habit(name, told, is_clear=share > MANY)
