"""Settings of a release: defaults, then ``publius.toml``, then flags."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from pathlib import Path

from publius.core.arrays import at_least, not_negative, positive
from publius.core.errors import DataError, ParameterError, UnknownNameError

FORMS = ("text", "bag", "tf")


@dataclass(frozen=True, slots=True)
class WordSettings:
    """How words are replaced.

    Args:
        embedding: Name in the catalogue or path of a file.
        vocabulary: Use only so many most frequent words.
        mechanism: Name in the table of word mechanisms.
        metric: Metric on words, ``name[:k=K][:cap=C]``; empty for the mechanism's own.
        epsilon: Loss per unit of the metric.
        level: Loss against the nearest words; if given it decides epsilon.
        neighbours: Which nearest word `level` speaks of.
        balanced: Choose weights that flatten the normaliser.
        oov: What happens to unknown words: uniform, mask or refuse.
        protect: ``content`` or ``all`` words.
        function_words: ``keep`` or ``drop`` stop words that are not protected.
        form: Release as ``text``, ``bag`` or ``tf``.
        length: Words of a bag or terms of a vector; 0 for the text's own (bags only).
        overlap: Factor of the bigram overlap in SynTF's rating.
    """

    embedding: str = "glove-50k"
    vocabulary: int | None = None
    mechanism: str = "exponential"
    metric: str = ""
    epsilon: float = 4.0
    level: float | None = None
    neighbours: int = 10
    balanced: bool = True
    oov: str = "uniform"
    protect: str = "content"
    function_words: str = "keep"
    form: str = "text"
    length: int = 0
    overlap: float = 0.3

    def __post_init__(self) -> None:
        positive("epsilon", self.epsilon)
        if self.level is not None:
            positive("level", self.level)
        if self.vocabulary is not None:
            at_least("vocabulary", self.vocabulary, 1)
        at_least("neighbours", self.neighbours, 1)
        at_least("length", self.length, 0)
        not_negative("overlap", self.overlap)
        _one_of("protect", self.protect, ("content", "all"))
        _one_of("function-words", self.function_words, ("keep", "drop"))
        _one_of("oov", self.oov, ("uniform", "mask", "refuse"))
        _one_of("as", self.form, FORMS)


def read_settings(flags: Mapping[str, object], folder: Path) -> WordSettings:
    """Return the settings of ``publius.toml`` in `folder`, overridden by flags.

    Args:
        flags: What was given on the command line; None means not given.
        folder: Where to look for the file.
    """
    known = {field.name for field in fields(WordSettings)}
    chosen = read_table(folder / "publius.toml", "words", known)
    chosen |= {key: value for key, value in flags.items() if value is not None}
    try:
        return replace(WordSettings(), **chosen)  # type: ignore[arg-type]
    except TypeError as error:
        raise ParameterError("a setting in publius.toml has the wrong type") from error


def read_table(path: Path, table: str, known: set[str]) -> dict[str, object]:
    """Read one table of a TOML file; a missing file is an empty table."""
    if not path.is_file():
        return {}
    try:
        found = tomllib.loads(path.read_text("utf-8")).get(table, {})
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise DataError(f"{path.name} is not valid TOML") from error
    if not isinstance(found, dict):
        raise DataError(f"[{table}] in {path.name} must be a table")
    chosen = {key.replace("-", "_"): value for key, value in found.items()}
    for key in chosen:
        if key not in known:
            raise UnknownNameError(f"setting in [{table}] of {path.name}", key, known)
    return chosen


def _one_of(name: str, value: str, allowed: tuple[str, ...]) -> None:
    if value not in allowed:
        raise ParameterError(f"{name} must be {' or '.join(allowed)}, got {value!r}")
