"""Writeprints (Abbasi & Chen 2008), the limited set as JStylo has it.

Five groups of features: lexical, syntactic, structural, content, idiosyncratic.
Sequences are limited to the fifty most frequent ones of the known documents.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from publius.assessment.attacks.attack import Known
from publius.assessment.attacks.linear import LinearAttack, fit
from publius.assessment.attacks.ngrams import NgramCounter
from publius.assessment.attacks.structure import structure
from publius.assessment.attacks.tagger import TAGS, tags
from publius.core.arrays import FloatArray, IdArray, Rng
from publius.core.errors import UnknownNameError
from publius.language.counts import Spread, spread, tally
from publius.language.stop_words import STOP_WORDS

LIMIT = 50
LONGEST = 20
BOUND = 5.0
"""Largest number of standard deviations that counts."""

_MISSPELT = (
    "accomodate acheive accross agressive alot alright apparant arguement "
    "basicly becuase begining beleive buisness calender catagory cemetary "
    "collegue comming commitee concious definately dependant desparate "
    "diffrent dissapear dissapoint ecstacy embarass enviroment exagerate "
    "existance experiance familar finaly foriegn freind goverment grammer "
    "gaurd happend harrass heighth heros humourous immediatly independant "
    "interupt irresistable judgement knowlege lenght liason libary "
    "lightening maintainance millenium mispell neccessary necessery "
    "noticable occassion occured occurence persistant posession prefered "
    "prescence priviledge probaly publically realy recieve reccomend refered "
    "relevent religous remeber repitition restaraunt rythm seperate sieze "
    "sence similiar succesful supercede suprise teh tendancy therefor "
    "tommorow tounge truely untill wierd wether wich writting your're "
    "could've gonna wanna gotta kinda sorta dunno cuz thru tho"
)
MISSPELLINGS = frozenset(_MISSPELT.split())
_FUNCTION_WORDS = tuple(sorted(STOP_WORDS))


@dataclass(frozen=True, slots=True)
class Writeprints:
    """Classify by limited Writeprints features.

    Args:
        classifier: ``svm`` or ``naive_bayes``.
        scaling: ``roots`` as z-scores, or ``range``: every feature from 0 to 1, as
            Weka's learner behind JStylo has it. Naive Bayes takes features as they are.
    """

    knowledge: ClassVar[str] = "Known documents of every candidate."

    classifier: str = "svm"
    scaling: str = "roots"

    def __post_init__(self) -> None:
        if self.scaling not in SCALINGS:
            raise UnknownNameError("scaling", self.scaling, SCALINGS)

    @property
    def name(self) -> str:
        """Name in the table of attacks."""
        if self.classifier != "svm":
            return "writeprints_nb"
        return "writeprints" if self.scaling == "roots" else "writeprints_range"

    def train(self, known: Known, rng: Rng) -> LinearAttack:  # noqa: ARG002
        """Choose the frequent sequences, scale and fit."""
        reader = Reader.learnt(known.texts)
        rows = reader(known.texts)
        if self.classifier != "svm":
            fitted = fit(self.classifier, rows, known)
            return LinearAttack(self.name, reader, fitted, known.candidates)
        scale = SCALINGS[self.scaling](reader, rows)
        fitted = fit(self.classifier, scale.scaled(rows), known)
        return LinearAttack(self.name, scale, fitted, known.candidates)


@dataclass(frozen=True, slots=True, eq=False)
class Reader:
    """Turn texts into rows of Writeprints features.

    Args:
        letters: Counters of character sequences of 1, 2 and 3.
        words: Hashes of the frequent words, word pairs and word triples.
        classes: The same of word classes, as numbers.
    """

    letters: tuple[NgramCounter, ...]
    words: tuple[tuple[tuple[str, ...], ...], ...]
    classes: tuple[IdArray, ...]

    @classmethod
    def learnt(cls, texts: Sequence[str]) -> "Reader":
        """Choose the frequent sequences of known texts."""
        seen = spread(texts)
        letters = tuple(
            NgramCounter.learnt(texts, n=n, most=most, across_words=False)
            for n, most in ((1, 120), (2, LIMIT), (3, LIMIT))
        )
        words = tuple(_frequent_words(seen, n) for n in (1, 2, 3))
        classes = tuple(_frequent_classes(seen, n) for n in (1, 2, 3))
        return cls(letters, words, classes)

    def __call__(self, texts: Sequence[str]) -> "sp.csr_array[np.float64]":
        """Return one row per text."""
        seen = spread(texts)
        size = np.maximum(np.bincount(seen.owner, minlength=len(texts)), 1)
        per_letter = np.fromiter((max(1, len(t)) for t in texts), float, len(texts))
        groups = [
            *(_per(c.counts(texts), per_letter) for c in self.letters),
            *(_per(_word_counts(seen, names), size) for names in self.words),
            *(_per(_class_counts(seen, keys, n), size)
              for n, keys in enumerate(self.classes, start=1)),
            _per(_listed(seen, _FUNCTION_WORDS), size),
            _per(_listed(seen, tuple(sorted(MISSPELLINGS))), size),
            _per(_lengths(seen), size),
            sp.csr_array(structure(texts, seen)),
        ]  # fmt: skip
        return sp.csr_array(sp.hstack(groups, format="csr"))


@dataclass(frozen=True, slots=True, eq=False)
class Standard:
    """Writeprints on one scale: roots of shares as z-scores, in rows of unit length.

    The root evens out the spread of frequent and rare features, as it does for counts;
    the bound keeps one rare feature from deciding alone.

    Args:
        reader: Gives the features.
        mean: Of each feature's root in the known texts.
        spread: Its standard deviation there; 1 for a constant one.
    """

    reader: Reader
    mean: FloatArray
    spread: FloatArray

    @classmethod
    def learnt(cls, reader: Reader, rows: "sp.csr_array[np.float64]") -> "Standard":
        """Measure the features of known texts."""
        roots = np.sqrt(rows.toarray())
        spread = roots.std(axis=0)
        return cls(reader, roots.mean(axis=0), np.where(spread > 1e-9, spread, 1.0))

    def __call__(self, texts: Sequence[str]) -> FloatArray:
        """Return one row per text."""
        return self.scaled(self.reader(texts))

    def scaled(self, rows: "sp.csr_array[np.float64]") -> FloatArray:
        """Put features on the scale of the known texts."""
        features = (np.sqrt(rows.toarray()) - self.mean) / self.spread
        features = np.clip(features, -BOUND, BOUND)
        length = np.linalg.norm(features, axis=1, keepdims=True)
        return features / np.maximum(length, 1e-12)


@dataclass(frozen=True, slots=True, eq=False)
class Range:
    """Writeprints with every feature divided by its largest value in known texts.

    Args:
        reader: Gives the features.
        largest: Of each feature in the known texts; 1 for one that is never there.
    """

    reader: Reader
    largest: FloatArray

    @classmethod
    def learnt(cls, reader: Reader, rows: "sp.csr_array[np.float64]") -> "Range":
        """Measure the features of known texts."""
        largest = rows.max(axis=0).toarray().ravel()
        return cls(reader, np.where(largest > 0, largest, 1.0))

    def __call__(self, texts: Sequence[str]) -> "sp.csr_array[np.float64]":
        """Return one row per text."""
        return self.scaled(self.reader(texts))

    def scaled(self, rows: "sp.csr_array[np.float64]") -> "sp.csr_array[np.float64]":
        """Put features on the scale of the known texts."""
        return sp.csr_array(rows @ sp.diags_array(1 / self.largest))


SCALINGS: dict[
    str, Callable[[Reader, "sp.csr_array[np.float64]"], Standard | Range]
] = {"range": Range.learnt, "roots": Standard.learnt}
"""Ways to bring features to one scale."""


def _per(
    counts: "sp.csr_array[np.float64]", size: NDArray[np.generic]
) -> "sp.csr_array[np.float64]":
    return sp.csr_array(sp.diags_array(1.0 / np.asarray(size, float)) @ counts)


def _runs(seen: Spread, n: int) -> tuple[IdArray, IdArray]:
    """Return owners and start places of runs of `n` words inside one text."""
    count = max(0, len(seen.codes) - n + 1)
    starts = np.arange(count)
    same = seen.owner[:count] == seen.owner[n - 1 : n - 1 + count]
    return seen.owner[:count][same], starts[same]


def _frequent_words(seen: Spread, n: int) -> tuple[tuple[str, ...], ...]:
    _, starts = _runs(seen, n)
    if not len(starts):
        return ()
    base = len(seen.forms) + 1
    keys = _run_keys(seen.codes, starts, n, base)
    _, first, counts = np.unique(keys, return_index=True, return_counts=True)
    kept = starts[first[np.argsort(-counts, kind="stable")[:LIMIT]]]
    return tuple(
        tuple(seen.forms[int(seen.codes[start + step])] for step in range(n))
        for start in kept
    )


def _run_keys(codes: IdArray, starts: IdArray, n: int, base: int) -> IdArray:
    """Number the runs of `n` codes; different runs have different numbers."""
    # base ** 3 stays below 2 ** 63 up to two million distinct words.
    keys = np.zeros(len(starts), dtype=np.int64)
    for step in range(n):
        keys = keys * base + codes[starts + step] + 1
    return keys


def _word_counts(
    seen: Spread, names: tuple[tuple[str, ...], ...]
) -> "sp.csr_array[np.float64]":
    if not names:
        return sp.csr_array((seen.texts, 1))
    n = len(names[0])
    owner, starts = _runs(seen, n)
    index = {form: code for code, form in enumerate(seen.forms)}
    base = len(seen.forms) + 1
    wanted = np.array([_key([index.get(w, -1) for w in row], base) for row in names])
    keys = _run_keys(seen.codes, starts, n, base)
    return _matched(owner, keys, wanted, seen.texts)


def _key(codes: list[int], base: int) -> int:
    key = 0
    for code in codes:
        if code < 0:
            return -1
        key = key * base + code + 1
    return key


def _matched(
    owner: IdArray, keys: IdArray, wanted: IdArray, texts: int
) -> "sp.csr_array[np.float64]":
    """Count the wanted keys of each text; a wanted key of -1 never occurs."""
    order = np.argsort(wanted, kind="stable")
    place = np.searchsorted(wanted[order], keys)
    place[place == len(wanted)] = 0
    column = order[place]
    column = np.where(wanted[column] == keys, column, -1)
    return tally(owner, column, (texts, len(wanted)))


def _class_codes(seen: Spread) -> IdArray:
    lookup = np.array(tags(seen.forms), dtype=np.int64)
    return lookup[seen.codes] if len(seen.codes) else seen.codes


def _class_keys(seen: Spread, n: int) -> tuple[IdArray, IdArray]:
    owner, starts = _runs(seen, n)
    return owner, _run_keys(_class_codes(seen), starts, n, len(TAGS) + 1)


def _frequent_classes(seen: Spread, n: int) -> IdArray:
    _, keys = _class_keys(seen, n)
    distinct, counts = np.unique(keys, return_counts=True)
    return distinct[np.argsort(-counts, kind="stable")[:LIMIT]]


def _class_counts(seen: Spread, wanted: IdArray, n: int) -> "sp.csr_array[np.float64]":
    if not len(wanted):
        return sp.csr_array((seen.texts, 1))
    return _matched(*_class_keys(seen, n), wanted, seen.texts)


def _listed(seen: Spread, words: tuple[str, ...]) -> "sp.csr_array[np.float64]":
    index = {word: place for place, word in enumerate(words)}
    lookup = np.array([index.get(form, -1) for form in seen.forms], dtype=np.int64)
    codes = lookup[seen.codes] if len(seen.codes) else seen.codes
    return tally(seen.owner, codes, (seen.texts, len(words)))


def _lengths(seen: Spread) -> "sp.csr_array[np.float64]":
    lookup = np.array([min(len(f), LONGEST) - 1 for f in seen.forms], dtype=np.int64)
    codes = lookup[seen.codes] if len(seen.codes) else seen.codes
    return tally(seen.owner, codes, (seen.texts, LONGEST))
