"""A release as a command: what would be typed to ask for its settings again.

What was really typed may hold paths with names of people in them, so that nothing of it
is repeated: the command is written from the settings, whether they came from flags,
publius.toml or Python. Where and how fast a run worked is left out.
"""

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import MISSING, dataclass, fields
from importlib import import_module
from pathlib import PurePath
from shlex import join

from publius.core.config import WordSettings
from publius.core.visible import visible_name
from publius.materials.places.treatment import PlaceSettings
from publius.materials.quantity import duration_text
from publius.materials.sentences.settings import SentenceSettings
from publius.materials.times.treatment import TimeSettings
from publius.pipeline.compared import Measuring
from publius.pipeline.request import ReleaseRequest
from publius.retelling.settings import PLAIN, RetellSettings

_FILES = ("embedding", "block", "sensitive_words", "wordnet", "model", "adapter",
          "local_model", "points", "file")  # fmt: skip
"""Settings that may hold a path; some of them hold a name of ours as well."""

_OURS = ("", "glove-50k", "glove-full", "word2vec-26k", "wordnet-poincare", "default",
         PLAIN)  # fmt: skip
"""Values of those that name no file."""

_WORDS = {
    name: f"--{name.replace('_', '-')}"
    for name in (
        "mechanism", "metric", "epsilon", "embedding", "vocabulary", "block", "remap",
        "overlap", "morphology", "weighting", "synonyms", "protect", "function_words",
        "consistent", "oov", "length", "repeats",
    )
} | {"form": "--as"}  # fmt: skip
"""Settings of words that have an option; ``--set`` takes all others."""

_ALWAYS = ("mechanism", "metric", "epsilon")
_IDLE = ("level", "neighbours")
"""What epsilon was found from; epsilon is told."""

_RETELLING = {
    "order": "--order", "words": "--words", "most_words": "--most-words",
    "skip_common": "--skip-common", "adapter": "--adapter",
    "candidates": "--candidates", "use_words": "--use-words", "server": "--server",
    "model": "--server-model", "local_model": "--local-model",
    "allow_remote": "--allow-remote", "block": "--block", "passage": "--set",
    "temperature": "--set", "tidy": "--set",
}  # fmt: skip
_SENTENCES = {
    "epsilon": "--epsilon", "sigma": "--sigma", "delta": "--delta",
    "sentences": "--sentences", "per": "--per", "model": "--model",
    "decoding": "--decoding",
}  # fmt: skip
_BARE_WORD = re.compile(r"(?!(true|false|inf|nan)\Z)[A-Za-z_]\w*\Z")

Typed = list[str]


@dataclass(frozen=True, slots=True)
class Names:
    """Which names a command may hold: bare ones for the owner, else capitals."""

    is_private: bool

    def file(self, path: object, capitals: str = "FILE") -> str:
        """Return the name of a file without its folders, or capitals in its place."""
        bare = re.split(r"[/\\]", str(path).rstrip("/\\"))[-1]
        return bare if self.is_private and bare else capitals

    def column(self, name: str, kept: tuple[str, ...]) -> str:
        """Return the name of a column; of one that does not leave for the owner."""
        return name if self.is_private or name in kept else "COLUMN"

    def setting(self, name: str, value: object) -> str:
        """Return a value as it is typed."""
        if name == "server":
            return "ADDRESS"
        is_path = isinstance(value, str) and any(mark in value for mark in "/\\")
        if is_path or (name in _FILES and value not in _OURS):
            # A setting of another package may name a file too.
            return self.file(value)
        return _plain(value)


@dataclass(frozen=True, slots=True)
class Asked:
    """What was asked for.

    Args:
        request: With the columns that were found, and every default put in.
        measuring: How it was measured; told to the owner only.
    """

    request: ReleaseRequest[object]
    measuring: Measuring | None = None

    def typed(self, *, is_private: bool) -> str:
        """Return the command.

        Args:
            is_private: Whether only the owner reads it. Else input, output and other
                files and columns that did not leave are words in capitals. A seed and
                the address of a server always are.
        """
        request, names = self.request, Names(is_private)
        verb, told = _VERBS[type(request.settings)]
        words = [
            "publius",
            verb,
            "-" if request.path == "-" else _input(request.path, names),
            *told(request, request.settings, names),
            *_keeping(request),
            *_reading(request),
            *_charging(request, names),
        ]
        if is_private:
            words += _private(request, self.measuring)
        if request.seed is not None:
            words += ["--seed", "N"]
        words += ["-o", names.file(request.out, "OUT")]
        return visible_name(join(words))


def _input(path: object, names: Names) -> str:
    """Return the name of the input; a table in memory has none."""
    is_named = isinstance(path, str | PurePath)
    return names.file(path, "INPUT") if is_named else "INPUT"


def _words(
    request: ReleaseRequest[object], settings: WordSettings, names: Names
) -> Typed:
    # Times and places are told without any word mechanism being loaded.
    given = import_module("publius.mechanisms.words.given")
    flat = given.flat_settings(settings)
    usual = given.flat_settings(WordSettings(mechanism=settings.mechanism))
    others = dict(flat.pop("options"))
    chosen = {
        name: value
        for name, value in flat.items()
        if name in _ALWAYS or (value != usual.get(name, MISSING) and name not in _IDLE)
    }
    if settings.form == "tf":  # whose mechanism and metric are no choice
        chosen = {k: v for k, v in chosen.items() if k not in ("mechanism", "metric")}
    if chosen.pop("balanced", True) is False:
        others = {"balanced": False} | others
    known = {name: chosen.pop(name) for name in _WORDS if name in chosen}
    return [
        *_texts(request, names),
        *_options(known, _WORDS, names),
        *_options(chosen | others, dict.fromkeys(chosen | others, "--set"), names),
    ]


def _retelling(
    request: ReleaseRequest[object], settings: RetellSettings, names: Names
) -> Typed:
    chosen = ["--mechanism", "retell", "--epsilon", _plain(settings.epsilon)]
    changed = _changed(settings, ("epsilon",))
    return [*_texts(request, names), *chosen, *_options(changed, _RETELLING, names)]


def _sentences(
    request: ReleaseRequest[object], settings: SentenceSettings, names: Names
) -> Typed:
    changed = _options(_changed(settings), _SENTENCES, names)
    return [*_texts(request, names), "--mechanism", "dp-vae", *changed]


def _times(
    request: ReleaseRequest[object], settings: TimeSettings, names: Names
) -> Typed:
    columns = request.columns
    lengths = {"radius": settings.radius, "period": settings.period,
               "resolution": settings.resolution, "unit": settings.unit}  # fmt: skip
    told = ["--column", *columns.protected, "--level", _plain(settings.level)]
    for name, length in lengths.items():
        told += [] if length is None else [f"--{name}", duration_text(length)]
    local = ["--local"] if settings.is_local else []
    return [*told, *local, *_records(request, names, drops=settings.is_dropping)]


def _places(
    request: ReleaseRequest[object], settings: PlaceSettings, names: Names
) -> Typed:
    lat, lon = request.columns.protected
    told = ["--lat", lat, "--lon", lon, "--level", _plain(settings.level),
            "--radius", f"{_plain(settings.radius)}m"]  # fmt: skip
    changed = {"mechanism": settings.mechanism} | _changed(
        settings, ("level", "radius", "is_dropping")
    )
    options = {name: f"--{name}" for name in changed}
    return [
        *told,
        *_options(changed, options, names),
        *_records(request, names, drops=settings.is_dropping),
    ]


_VERBS: Mapping[type, tuple[str, Callable[..., Typed]]] = {
    WordSettings: ("release", _words),
    RetellSettings: ("release", _retelling),
    SentenceSettings: ("release", _sentences),
    TimeSettings: ("times", _times),
    PlaceSettings: ("places", _places),
}


def _texts(request: ReleaseRequest[object], names: Names) -> Typed:
    """Return the columns of texts: the protected one leaves, the author's may not."""
    columns = request.columns
    told = ["--text", *columns.protected] if columns.protected else []
    if columns.subject is not None:
        told += ["--author", names.column(columns.subject, columns.keep)]
    return told


def _records(request: ReleaseRequest[object], names: Names, *, drops: bool) -> Typed:
    columns = request.columns
    told = ["--missing", "drop"] if drops else []
    if columns.subject is not None:
        told += ["--user", names.column(columns.subject, columns.keep)]
    return told


def _keeping(request: ReleaseRequest[object]) -> Typed:
    keep = request.columns.keep
    return ["--keep", ",".join(keep)] if keep else []


def _reading(request: ReleaseRequest[object]) -> Typed:
    """Return how the input is read and the data is written, where that is not usual."""
    told: Typed = []
    is_table = isinstance(request.settings, TimeSettings | PlaceSettings)
    if request.format != ("same" if is_table else "parquet"):
        told += ["--format", request.format]
    if request.input_format is not None:
        told += ["--input-format", request.input_format]
    if request.encoding != "utf-8":
        told += ["--encoding", request.encoding]
    if request.delimiter is not None:
        told += ["--delimiter", request.delimiter.replace("\t", r"\t")]
    if request.limit is not None:
        told += ["--limit", str(request.limit)]
    return [*told, *(["--escape-formulas"] if request.escapes else [])]


def _charging(request: ReleaseRequest[object], names: Names) -> Typed:
    """Return that a ledger was charged; its budgets are for the owner."""
    ledger = request.ledger
    if ledger is None:
        return []
    told = ["--ledger", names.file(ledger.file)]
    if not names.is_private:
        return told
    for option, budget in (("--budget", ledger.budget),
                           ("--near-budget", ledger.near_budget)):  # fmt: skip
        told += [] if budget is None else [option, _plain(budget)]
    return [*told, *(["--fold-names"] if ledger.fold_names else [])]


def _private(request: ReleaseRequest[object], measuring: Measuring | None) -> Typed:
    """Return what makes a report private."""
    is_table = isinstance(request.settings, TimeSettings | PlaceSettings)
    shown = "--show-before" if is_table else "--show-examples"
    told = [shown] if request.show_examples else []
    if measuring is not None:
        told += ["--evaluate"]
        told += [] if measuring.label is None else ["--label", measuring.label]
    return told


def _changed(settings: object, told: tuple[str, ...] = ()) -> dict[str, object]:
    """Return the settings that are not their defaults and are not told elsewhere."""
    return {
        field.name: value
        for field in fields(settings)  # type: ignore[arg-type]
        if (value := getattr(settings, field.name)) != field.default
        and field.name not in (*told, "device")
        and (value is not None or field.default is MISSING)
    }


def _options(
    chosen: Mapping[str, object], options: Mapping[str, str], names: Names
) -> Typed:
    """Return settings with their options, in the order of the options."""
    told: Typed = []
    for name in (name for name in options if name in chosen):
        value, option = chosen[name], options[name]
        if option == "--set":
            told += [option, f"{name}={_written(names.setting(name, value))}"]
        elif value is True:
            told += [option]
        else:
            told += [option, names.setting(name, value)]
    return told


def _plain(value: object) -> str:
    """Return a value as it is typed; a number in few digits if they are all of it."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float):
        short = f"{value:g}"
        return short if float(short) == value and "e+" not in short else repr(value)
    return str(value)


def _written(text: str) -> str:
    """Return a value of ``--set``, which reads it as TOML and a bare word as text."""
    is_number = re.fullmatch(r"-?\d+(\.\d+)?(e-?\d+)?|true|false", text) is not None
    return text if is_number or _BARE_WORD.match(text) else json.dumps(text)
