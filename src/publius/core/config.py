"""Settings of a release: defaults, then ``publius.toml``, then flags."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, fields, is_dataclass
from pathlib import Path
from typing import TypeVar

from publius.core.arrays import at_least, positive
from publius.core.declared import settle
from publius.core.errors import DataError, ParameterError, UnknownNameError

OwnT = TypeVar("OwnT")

FORMS = ("text", "bag", "tf")
USUAL_EPSILON = {"like": 2.75}
"""ε of a metric where none is asked for; docs/explanation/retelling.md says why."""
OTHER_EPSILON = 4.0
TABLES = ("job", "words", "sentences", "retelling", "ledger")
"""Tables that ``publius.toml`` may hold."""


@dataclass(frozen=True, slots=True)
class WordSettings:
    """How words are replaced, whatever the mechanism.

    Args:
        embedding: Name in the catalogue or path of a file.
        vocabulary: Use only so many most frequent words.
        block: File with one word per line that is never put out; each is treated as
            the allowed word nearest to it.
        mechanism: Name in the table of word mechanisms.
        metric: Metric on words, ``name[:k=K][:cap=C]``; empty for the usual one:
            ``like`` where the mechanism and the words have it, else the mechanism's.
        epsilon: Loss per unit of the metric; None for the usual one of the metric.
        level: Loss against the nearest words; if given it decides epsilon.
        neighbours: Which nearest word `level` speaks of.
        oov: What happens to unknown words: uniform, mask or refuse.
        protect: ``content`` or ``all`` words.
        collocations: Take word sequences that the vocabulary has as one entry, such as
            ``new_york``, for one unit.
        function_words: ``keep`` or ``drop`` stop words that are not protected.
        consistent: Draw once for each distinct word of a ``text`` or of the whole
            ``corpus``, or ``no``: for every place.
        repeats: The report says what a word loses that stands so many times; whole
            numbers with commas.
        form: Release as ``text``, ``bag`` or ``tf``.
        length: Words of a bag or terms of a vector; 0 for the text's own (bags only).
        remap: Public post-processing: ``none``, ``bayes`` or ``rank``.
        spread: Ranks after which the weight of a rank remap falls by a factor e.
        prior: Public word frequencies: ``zipf``, ``uniform`` or ``wordfreq``.
        own: Settings of single mechanisms, at most one of each settings type; a
            mechanism reads those of its own type, or else its defaults.
    """

    embedding: str = "glove-50k"
    vocabulary: int | None = None
    block: str = ""
    mechanism: str = "exponential"
    metric: str = ""
    epsilon: float | None = None
    level: float | None = None
    neighbours: int = 10
    oov: str = "uniform"
    protect: str = "content"
    collocations: bool = True
    function_words: str = "keep"
    consistent: str = "no"
    repeats: str = "1, 2, 5, 20"
    form: str = "text"
    length: int = 0
    remap: str = "none"
    spread: float = 3.0
    prior: str = "zipf"
    own: tuple[object, ...] = ()

    def __post_init__(self) -> None:
        settle(self, free=("own",))
        object.__setattr__(self, "own", _told_apart(self.own))
        for name in ("epsilon", "level"):
            positive(name, 1.0 if getattr(self, name) is None else getattr(self, name))
        if self.vocabulary is not None:
            at_least("vocabulary", self.vocabulary, 1)
        at_least("neighbours", self.neighbours, 1)
        at_least("length", self.length, 0)
        positive("spread", self.spread)
        check_one_of("remap", self.remap, ("none", "bayes", "rank"))
        check_one_of("prior", self.prior, ("zipf", "uniform", "wordfreq"))
        check_one_of("protect", self.protect, ("content", "all"))
        check_one_of("function-words", self.function_words, ("keep", "drop"))
        check_one_of("oov", self.oov, ("uniform", "mask", "refuse"))
        check_one_of("consistent", self.consistent, ("no", "text", "corpus"))
        check_one_of("as", self.form, FORMS)
        counts_of("repeats", self.repeats)
        if self.form != "text" and self.consistent != "no":
            raise ParameterError(
                "consistent replacement is for --as text; leave it or --as out"
            )
        if self.form == "text" and self.length > 0:
            raise ParameterError("length is for bags and vectors; a text keeps its own")
        if self.form == "bag" and self.length > 0 and self.oov == "mask":
            raise ParameterError(
                "a bag of fixed length has no mask; use --oov uniform or refuse"
            )

    @property
    def rate(self) -> float:
        """Loss per unit of the metric: ε, or the usual one of the metric."""
        if self.epsilon is not None:
            return self.epsilon
        return USUAL_EPSILON.get(self.metric, OTHER_EPSILON)


def own_settings(settings: WordSettings, kind: type[OwnT]) -> OwnT:
    """Return the parameters that belong to one mechanism.

    Args:
        settings: How words are replaced.
        kind: The mechanism's own settings type, a dataclass.
    """
    for one in settings.own:
        if type(one) is kind:
            return one
    return kind()


def changed_from_default(own: object) -> dict[str, object]:
    """Return the values of a settings dataclass that are not its defaults."""
    values = {field.name: getattr(own, field.name) for field in fields(own)}  # type: ignore[arg-type]
    defaults = {field.name: field.default for field in fields(own)}  # type: ignore[arg-type]
    return {name: value for name, value in values.items() if value != defaults[name]}


def _told_apart(own: tuple[object, ...]) -> tuple[object, ...]:
    """Return own settings without those that say nothing, in one order."""
    if not all(is_dataclass(one) and not isinstance(one, type) for one in own):
        raise ParameterError("own settings must be objects of a settings type")
    told = sorted(filter(changed_from_default, own), key=lambda one: type(one).__name__)
    if len({type(one) for one in told}) < len(told):
        raise ParameterError("a mechanism can have own settings once only")
    return tuple(told)


@dataclass(frozen=True, slots=True)
class LedgerSettings:
    """Where losses are added up across releases.

    Args:
        file: The ledger.
        budget: What a subject may lose at most, over all releases, between any two
            contents; None keeps to what the ledger says.
        near_budget: The same between contents of near words, places or times.
        delta: At which both are stated; None keeps to what the ledger says.
        fold_names: Names that differ in case, blanks or Unicode form only are one
            subject.
    """

    file: str
    budget: float | None = None
    near_budget: float | None = None
    delta: float | None = None
    fold_names: bool = False

    def __post_init__(self) -> None:
        settle(self)
        if not self.file:
            raise ParameterError("the file of a ledger must have a name")
        for name in ("budget", "near_budget"):
            if getattr(self, name) is not None:
                positive(name.replace("_", "-"), getattr(self, name))
        if self.delta is not None and not 0 < self.delta < 1:
            raise ParameterError(f"delta must lie in (0, 1), got {self.delta}")


def config_file(place: Path) -> Path:
    """Return a file of settings: the one named, or ``publius.toml`` in a folder."""
    return place if place.is_file() else place / "publius.toml"


def read_ledger_settings(
    flags: Mapping[str, object], place: Path
) -> LedgerSettings | None:
    """Return the ledger of ``publius.toml``, overridden by flags.

    Args:
        flags: What was given on the command line; None means not given.
        place: The file, or the folder to look for it in.
    """
    known = {field.name for field in fields(LedgerSettings)}
    chosen = read_table(config_file(place), "ledger", known)
    chosen |= {key: value for key, value in flags.items() if value is not None}
    if not chosen:
        return None
    if "file" not in chosen:
        raise ParameterError("a budget needs a ledger; name one with --ledger FILE")
    return LedgerSettings(**chosen)  # type: ignore[arg-type]


def read_table(path: Path, table: str, known: set[str] | None) -> dict[str, object]:
    """Read one table of a TOML file; a missing file is an empty table.

    Args:
        path: The file.
        table: Its name.
        known: Names that it may hold; None allows any.
    """
    if not path.is_file():
        return {}
    try:
        written = tomllib.loads(path.read_text("utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise DataError(f"{path.name} is not valid TOML") from error
    # What is not understood might have been meant to protect something.
    for key in written:
        if key not in TABLES:
            raise UnknownNameError(f"table in {path.name}", key, TABLES)
    part = written.get(table, {})
    if not isinstance(part, dict):
        raise DataError(f"[{table}] in {path.name} must be a table")
    chosen = {key.replace("-", "_"): value for key, value in part.items()}
    for key in chosen:
        if known is not None and key not in known:
            raise UnknownNameError(f"setting in [{table}] of {path.name}", key, known)
    return chosen


def counts_of(name: str, listed: str) -> tuple[int, ...]:
    """Read whole numbers >= 1 with commas between them, each once, rising."""
    parts = [part.strip() for part in listed.split(",")]
    if not all(part.isascii() and part.isdigit() and int(part) for part in parts):
        raise ParameterError(
            f"{name} must be whole numbers >= 1 with commas, got {listed!r}"
        )
    return tuple(sorted({int(part) for part in parts}))


def check_share(name: str, value: float) -> None:
    """Refuse what is no share of a whole."""
    if not 0 <= value <= 1:
        raise ParameterError(f"{name} must lie in [0, 1], got {value}")


def check_one_of(name: str, value: str, allowed: tuple[str, ...]) -> None:
    """Refuse a word that is none of those allowed."""
    if value not in allowed:
        raise ParameterError(f"{name} must be {' or '.join(allowed)}, got {value!r}")
