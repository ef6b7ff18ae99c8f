"""Names of subjects that differ only in their form: case, blanks, Unicode."""

import unicodedata
from collections.abc import Iterable, Mapping


def fold(name: str) -> str:
    """Return what names have in common that differ in case, blanks or Unicode form."""
    text = unicodedata.normalize("NFKC", name).casefold()
    visible = (c for c in text if unicodedata.category(c) != "Cf")
    # Folding may undo the form: an iota below a letter, for example.
    return " ".join(unicodedata.normalize("NFKC", "".join(visible)).split())


def alike(names: Iterable[str]) -> list[list[str]]:
    """Return groups of different names that fold to the same, in the given order."""
    groups: dict[str, list[str]] = {}
    for name in dict.fromkeys(names):
        groups.setdefault(fold(name), []).append(name)
    return [group for group in groups.values() if len(group) > 1]


def spelled(
    subjects: Mapping[str | None, int], known: Iterable[str]
) -> dict[str | None, int]:
    """Add up counts of names that fold to the same, under one spelling each.

    Args:
        subjects: How many guarantees are spent on each; None is nobody and stays so.
        known: Names in use; the first that folds to the same gives the spelling.
    """
    given = sorted(name for name in subjects if name is not None)
    spelling: dict[str, str] = {}
    for name in (*known, *given):
        spelling.setdefault(fold(name), name)
    counts: dict[str | None, int] = {}
    for subject, count in subjects.items():
        told = None if subject is None else spelling[fold(subject)]
        counts[told] = counts.get(told, 0) + count
    return counts
