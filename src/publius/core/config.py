"""Settings of a release: defaults, then ``publius.toml``, then flags."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from numbers import Integral, Real
from pathlib import Path
from types import NoneType
from typing import Any, TypeVar, get_args

from publius.core.arrays import at_least, not_negative, positive
from publius.core.errors import DataError, ParameterError, UnknownNameError

OwnT = TypeVar("OwnT")

FORMS = ("text", "bag", "tf")
TABLES = ("job", "words", "sentences", "retelling", "ledger")
"""Tables that ``publius.toml`` may hold."""

_KINDS: dict[type, tuple[type, str]] = {
    bool: (bool, "true or false"),
    int: (Integral, "a whole number"),
    float: (Real, "a number"),
    str: (str, "a string"),
    NoneType: (NoneType, "left out"),
}


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
        collocations: Take word sequences that the vocabulary has as one entry, such as
            ``new_york``, for one unit.
        function_words: ``keep`` or ``drop`` stop words that are not protected.
        consistent: Draw once for each distinct word of a ``text`` or of the whole
            ``corpus``, or ``no``: for every place.
        repeats: The report says what a word loses that stands so many times; whole
            numbers with commas.
        form: Release as ``text``, ``bag`` or ``tf``.
        length: Words of a bag or terms of a vector; 0 for the text's own (bags only).
        overlap: Factor of the bigram overlap in SynTF's rating.
        morphology: Terms of SynTF: ``lower``, ``lemma`` or ``orth``.
        synonyms: Extend SynTF's vocabulary by WordNet synonyms.
        weighting: Compose SynTF's terms by ``tf`` or ``tf-idf``.
        wordnet: Folder of WordNet's files; empty looks in the usual places.
        remap: Public post-processing: ``none``, ``bayes`` or ``rank``.
        spread: Ranks after which the weight of a rank remap falls by a factor e.
        prior: Public word frequencies: ``zipf``, ``uniform`` or ``wordfreq``.
        mix: Share of the covariance in Mahalanobis noise.
        projected: Dimensions that a random projection leaves.
        sensitive: Share of the vocabulary, its rarest words, that is sensitive.
        sensitive_words: File with one sensitive word per line instead of that share;
            for graded a line may be ``word,epsilon``.
        sensitive_epsilon: For graded: epsilon of the sensitive words; 0 for half of
            `epsilon`.
        replaced: For SanText+: probability that another word is replaced.
        group: Words of a CusText group.
        options: Names and values of a mechanism of another package.
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
    collocations: bool = True
    function_words: str = "keep"
    consistent: str = "no"
    repeats: str = "1, 2, 5, 20"
    form: str = "text"
    length: int = 0
    overlap: float = 0.3
    morphology: str = "lower"
    synonyms: bool = False
    weighting: str = "tf"
    wordnet: str = ""
    remap: str = "none"
    spread: float = 3.0
    prior: str = "zipf"
    mix: float = 0.5
    projected: int = 50
    sensitive: float = 0.9
    sensitive_words: str = ""
    sensitive_epsilon: float = 0.0
    replaced: float = 0.3
    group: int = 20
    options: tuple[tuple[str, object], ...] = ()

    def __post_init__(self) -> None:
        for field in fields(self):
            if field.name == "options":
                continue
            check_type(field.name, field.type, getattr(self, field.name))
        positive("epsilon", self.epsilon)
        if self.level is not None:
            positive("level", self.level)
        if self.vocabulary is not None:
            at_least("vocabulary", self.vocabulary, 1)
        at_least("neighbours", self.neighbours, 1)
        at_least("length", self.length, 0)
        not_negative("overlap", self.overlap)
        positive("spread", self.spread)
        not_negative("sensitive-epsilon", self.sensitive_epsilon)
        at_least("projected", self.projected, 1)
        at_least("group", self.group, 2)
        _share("mix", self.mix)
        _share("sensitive", self.sensitive)
        _share("replaced", self.replaced)
        _one_of("morphology", self.morphology, ("lower", "lemma", "orth"))
        _one_of("weighting", self.weighting, ("tf", "tf-idf"))
        _one_of("remap", self.remap, ("none", "bayes", "rank"))
        _one_of("prior", self.prior, ("zipf", "uniform", "wordfreq"))
        _one_of("protect", self.protect, ("content", "all"))
        _one_of("function-words", self.function_words, ("keep", "drop"))
        _one_of("oov", self.oov, ("uniform", "mask", "refuse"))
        _one_of("consistent", self.consistent, ("no", "text", "corpus"))
        _one_of("as", self.form, FORMS)
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


def word_settings(given: Mapping[str, object]) -> WordSettings:
    """Return word settings from names and values."""
    known = {field.name for field in fields(WordSettings)}
    for name in given:
        if name not in known:
            raise UnknownNameError("argument or setting", name, known)
    return WordSettings(**given)  # type: ignore[arg-type]


def own_settings(settings: WordSettings, kind: type[OwnT]) -> OwnT:
    """Return the parameters that belong to one mechanism.

    Args:
        settings: All settings of words.
        kind: The mechanism's own settings type, a dataclass.

    Raises:
        UnknownNameError: An option is none of its parameters.
    """
    shared = {field.name for field in fields(settings)} - {"options"}
    names = {field.name for field in fields(kind)}  # type: ignore[arg-type]
    options = dict(settings.options)
    for name in options:
        if name not in names:
            raise UnknownNameError(f"setting of {settings.mechanism}", name, names)
    flat = {name: getattr(settings, name) for name in names & shared}
    return kind(**{**flat, **options})


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
        for field in fields(self):
            check_type(field.name, field.type, getattr(self, field.name))
        if not self.file:
            raise ParameterError("the file of a ledger must have a name")
        for name in ("budget", "near_budget"):
            if getattr(self, name) is not None:
                positive(name.replace("_", "-"), getattr(self, name))
        if self.delta is not None and not 0 < self.delta < 1:
            raise ParameterError(f"delta must lie in (0, 1), got {self.delta}")


def read_ledger_settings(
    flags: Mapping[str, object], folder: Path
) -> LedgerSettings | None:
    """Return the ledger of ``publius.toml`` in `folder`, overridden by flags.

    Args:
        flags: What was given on the command line; None means not given.
        folder: Where to look for the file.
    """
    known = {field.name for field in fields(LedgerSettings)}
    chosen = read_table(folder / "publius.toml", "ledger", known)
    chosen |= {key: value for key, value in flags.items() if value is not None}
    if not chosen:
        return None
    if "file" not in chosen:
        raise ParameterError("a budget needs a ledger; name one with --ledger FILE")
    return LedgerSettings(**chosen)  # type: ignore[arg-type]


def read_settings(flags: Mapping[str, object], folder: Path) -> WordSettings:
    """Return the settings of ``publius.toml`` in `folder`, overridden by flags.

    Args:
        flags: What was given on the command line; None means not given.
        folder: Where to look for the file.
    """
    known = {field.name for field in fields(WordSettings)} - {"options"}
    written = read_table(folder / "publius.toml", "words", None)
    given = {key: value for key, value in flags.items() if value is not None}
    chosen = _with_own(written, str(given.get("mechanism", "")), known)
    if "level" in given and "epsilon" in given:
        raise ParameterError("give --epsilon or --level, not both")
    if "epsilon" in given:
        chosen.pop("level", None)  # a flag wins over the file
    return replace(WordSettings(), **(chosen | given))  # type: ignore[arg-type]


def _with_own(
    written: Mapping[str, object], asked: str, known: set[str]
) -> dict[str, object]:
    """Return ``[words]`` with the sub-table of the mechanism that is chosen.

    Args:
        written: ``[words]``; its sub-tables hold settings of one mechanism each.
        asked: The mechanism that a flag names; empty if none does.
        known: Settings of all mechanisms of Publius.
    """
    tables = {key: part for key, part in written.items() if isinstance(part, dict)}
    chosen = {key: part for key, part in written.items() if key not in tables}
    for key in chosen:
        if key not in known:
            raise UnknownNameError("setting in [words] of publius.toml", key, known)
    name = asked or str(chosen.get("mechanism", WordSettings().mechanism))
    own = tables.get(name.partition(".v")[0].replace("-", "_"), {})
    plain = {key.replace("-", "_"): value for key, value in own.items()}
    options = {key: value for key, value in plain.items() if key not in known}
    chosen |= {key: value for key, value in plain.items() if key in known}
    if options:
        chosen["options"] = tuple(sorted(options.items()))
    return chosen


def read_setting(text: str) -> tuple[str, object]:
    """Read ``name=value`` as a line of ``publius.toml``; bare words are strings."""
    key, equals, value = text.partition("=")
    name = key.strip().replace("-", "_")
    known = {field.name for field in fields(WordSettings)} - {"options"}
    if not equals or not value.strip():
        raise ParameterError("a setting is written NAME=VALUE")
    if name not in known:
        raise UnknownNameError("setting", name, known)
    try:
        return name, tomllib.loads(f"value = {value}")["value"]
    except tomllib.TOMLDecodeError:
        return name, value.strip()


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
    found = written.get(table, {})
    if not isinstance(found, dict):
        raise DataError(f"[{table}] in {path.name} must be a table")
    chosen = {key.replace("-", "_"): value for key, value in found.items()}
    for key in chosen:
        if known is not None and key not in known:
            raise UnknownNameError(f"setting in [{table}] of {path.name}", key, known)
    return chosen


def check_type(name: str, declared: Any, value: object) -> None:  # noqa: ANN401
    """Refuse a value of another type than the field declares, such as text for yes."""
    kinds = [_KINDS[kind] for kind in get_args(declared) or (declared,)]
    is_misread = isinstance(value, bool) and declared is not bool
    if is_misread or not isinstance(value, tuple(kind for kind, _ in kinds)):
        wanted = " or ".join(words for _, words in kinds)
        raise ParameterError(f"{name} must be {wanted}, got {value!r}")


def counts_of(name: str, listed: str) -> tuple[int, ...]:
    """Read whole numbers >= 1 with commas between them, each once, rising."""
    parts = [part.strip() for part in listed.split(",")]
    if not all(part.isascii() and part.isdigit() and int(part) for part in parts):
        raise ParameterError(
            f"{name} must be whole numbers >= 1 with commas, got {listed!r}"
        )
    return tuple(sorted({int(part) for part in parts}))


def _share(name: str, value: float) -> None:
    if not 0 <= value <= 1:
        raise ParameterError(f"{name} must lie in [0, 1], got {value}")


def _one_of(name: str, value: str, allowed: tuple[str, ...]) -> None:
    if value not in allowed:
        raise ParameterError(f"{name} must be {' or '.join(allowed)}, got {value!r}")
