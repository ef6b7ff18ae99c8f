"""Lemmas and synonyms from the files of WordNet 3.0, by a small reader of our own."""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from publius.core.errors import DataError

PARTS_OF_SPEECH = ("noun", "verb", "adj", "adv")

# Morphy's rules: WordNet 3.0, morphy(7WN).
_ENDINGS = {
    "noun": (("s", ""), ("ses", "s"), ("xes", "x"), ("zes", "z"), ("ches", "ch"),
             ("shes", "sh"), ("men", "man"), ("ies", "y")),
    "verb": (("s", ""), ("ies", "y"), ("es", "e"), ("es", ""), ("ed", "e"), ("ed", ""),
             ("ing", "e"), ("ing", "")),
    "adj": (("er", ""), ("est", ""), ("er", "e"), ("est", "e")),
    "adv": (),
}  # fmt: skip

SHORTEST = {"noun": 3, "verb": 2, "adj": 3, "adv": 3}
"""Endings are not taken from a word if fewer letters would be left."""


@dataclass(frozen=True, slots=True, eq=False)
class WordNet:
    """Words with how common they are in each part of speech, and their synonyms.

    Args:
        commonness: For each part of speech the words, with their number of tagged
            senses.
        irregular: For each part of speech the lemma of each irregular form.
        sets: Words that share a meaning, single words only.
    """

    commonness: dict[str, dict[str, int]]
    irregular: dict[str, dict[str, str]]
    sets: tuple[tuple[str, ...], ...]
    _of_word: dict[str, list[int]] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        index: dict[str, list[int]] = defaultdict(list)
        for number, words in enumerate(self.sets):
            for word in words:
                index[word].append(number)
        object.__setattr__(self, "_of_word", dict(index))

    @classmethod
    def read(cls, folder: Path) -> "WordNet":
        """Read ``index.*``, ``data.*`` and, where they are, ``*.exc`` of a folder."""
        try:
            return cls(
                {part: _index(folder, part) for part in PARTS_OF_SPEECH},
                {part: _exceptions(folder, part) for part in PARTS_OF_SPEECH},
                tuple(
                    words for part in PARTS_OF_SPEECH for words in _sets(folder, part)
                ),
            )
        except (OSError, UnicodeDecodeError, ValueError, IndexError):
            raise DataError(
                f"the folder {folder.name!r} does not hold WordNet"
            ) from None

    def lemma(self, word: str) -> str:
        """Return the base form of a lower-case word; itself when there is none.

        The part of speech is not known, so the lemma with most tagged senses is taken:
        "running" becomes "run", "news" stays.
        """
        best, most = word, -1
        for part in PARTS_OF_SPEECH:
            for lemma in self._candidates(word, part):
                common = self.commonness[part].get(lemma, -1)
                # A word stays what it is unless another lemma is more common.
                if common > most or (common == most and lemma == word):
                    best, most = lemma, common
        return best

    def synonyms(self, word: str) -> set[str]:
        """Return the single words that share a meaning with a word."""
        members = {other for n in self._of_word.get(word, ()) for other in self.sets[n]}
        return members - {word}

    def _candidates(self, word: str, part: str) -> Iterator[str]:
        yield word
        if word in self.irregular[part]:
            yield self.irregular[part][word]
            return
        for ending, instead in _ENDINGS[part]:
            stem = word.removesuffix(ending) + instead
            if word.endswith(ending) and len(stem) >= SHORTEST[part]:
                yield stem


def read_lines(path: Path) -> Iterator[list[str]]:
    """Yield the fields of each line; the licence at the top is indented."""
    with path.open(encoding="utf-8") as file:
        for line in file:
            if not line.startswith(" "):
                yield line.split(" ")


def _index(folder: Path, part: str) -> dict[str, int]:
    """Return word → number of tagged senses."""
    words = {}
    for fields in read_lines(folder / f"index.{part}"):
        pointers = int(fields[3])
        words[fields[0]] = int(fields[5 + pointers])
    return words


def _exceptions(folder: Path, part: str) -> dict[str, str]:
    """Return irregular form → lemma; not every copy of WordNet has these lists."""
    forms: dict[str, str] = {}
    path = folder / f"{part}.exc"
    for fields in read_lines(path) if path.is_file() else ():
        forms.setdefault(fields[0], fields[1].strip())
    return forms


def _sets(folder: Path, part: str) -> Iterator[tuple[str, ...]]:
    """Yield the words of each meaning: lower case, without phrases and markers."""
    for fields in read_lines(folder / f"data.{part}"):
        count = int(fields[3], 16)
        raw = (fields[4 + 2 * i] for i in range(count))
        words = dict.fromkeys(w.partition("(")[0].lower() for w in raw if "_" not in w)
        if len(words) > 1:
            yield tuple(words)
