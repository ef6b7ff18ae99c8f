"""Names and values → settings: keywords, ``publius.toml``, flags and JSON alike."""

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import MISSING, Field, fields, replace
from pathlib import Path
from typing import Any

from publius.core.config import (
    WordSettings,
    changed_from_default,
    config_file,
    own_settings,
    read_table,
)
from publius.core.errors import ParameterError, UnknownNameError
from publius.mechanisms.registry import NoSettings
from publius.mechanisms.words.table import (
    WORD_MECHANISMS,
    short_name,
    word_mechanisms,
)

OPTIONS = "options"
"""Pairs of name and value for a mechanism of another package."""

WRITTEN = (
    "embedding", "vocabulary", "mechanism", "metric", "epsilon", "level", "neighbours",
    "balanced", "oov", "protect", "collocations", "function_words", "consistent",
    "repeats", "form", "length", "overlap", "morphology", "synonyms", "weighting",
    "wordnet", "remap", "spread", "prior", "mix", "projected", "sensitive",
    "sensitive_words", "sensitive_epsilon", "replaced", "group",
)  # fmt: skip
"""Settings that every manifest and every digest of a run holds, whoever reads them.

A seed draws what it drew in older versions for that reason. Do not add to them: a
setting of a new mechanism is written where it was given.
"""

_BUILT_IN: dict[type, None] = dict.fromkeys(
    entry.about.settings for entry in WORD_MECHANISMS.values()
)


def common_names() -> list[str]:
    """Return the names of the settings that all word mechanisms share."""
    return [field.name for field in fields(WordSettings) if field.name != "own"]


def own_kinds() -> list[type]:
    """Return the settings types of the built-in mechanisms."""
    return list(_BUILT_IN)


def own_fields() -> "dict[str, Field[object]]":
    """Return the own settings of all built-in mechanisms by name."""
    return {field.name: field for kind in _BUILT_IN for field in fields(kind)}


def word_settings(given: Mapping[str, object]) -> WordSettings:
    """Return word settings from names and values."""
    return with_settings(WordSettings(), given)


def with_settings(settings: WordSettings, given: Mapping[str, object]) -> WordSettings:
    """Return settings with others in their place.

    Args:
        settings: What is changed.
        given: Common settings, and those of mechanisms: each goes to every mechanism
            that has a setting of this name.

    Raises:
        UnknownNameError: A name means nothing to any mechanism.
    """
    common = {k: v for k, v in given.items() if k in (*common_names(), "own")}
    named = {k: v for k, v in given.items() if k not in (*common, OPTIONS)}
    options = _pairs(given.get(OPTIONS, ()))
    kinds = _kinds(str(common.get("mechanism", settings.mechanism)))
    _refuse_unknown({**named, **options}, kinds)
    settings = replace(settings, **common)  # type: ignore[arg-type]
    own = {type(one): one for one in settings.own}
    for kind in kinds:
        names = {field.name for field in fields(kind)}
        mine = {k: v for k, v in {**named, **options}.items() if k in names}
        if mine:
            was = own.get(kind)
            own[kind] = kind(**mine) if was is None else replace(was, **mine)  # type: ignore[type-var]
    return replace(settings, own=tuple(own.values()))


def flat_settings(settings: WordSettings) -> dict[str, Any]:
    """Return all settings by name: what manifests hold and what digests cover."""
    common = {
        name: getattr(settings, name)
        for name in common_names()
        if name in WRITTEN or getattr(settings, name) != getattr(WordSettings(), name)
    }
    own = {name: field.default for name, field in own_fields().items()}
    own = {name: own[name] for name in WRITTEN if name in own}
    options: dict[str, object] = {}
    for one in settings.own:
        values = changed_from_default(one)
        (own if type(one) in _BUILT_IN else options).update(values)
    chosen = _chosen(settings.mechanism)
    if chosen in _BUILT_IN:
        # Mechanisms may share a name: what the chosen one reads is what is told.
        mine: object = own_settings(settings, chosen)
        own |= {name: getattr(mine, name) for name in own if hasattr(mine, name)}
    written = {name: (common | own)[name] for name in WRITTEN}
    return {**written, **common, **own, OPTIONS: tuple(sorted(options.items()))}


def read_settings(flags: Mapping[str, object], place: Path) -> WordSettings:
    """Return the settings of ``publius.toml``, overridden by flags.

    Args:
        flags: What was given on the command line; None means not given.
        place: The file, or the folder where it is looked for.
    """
    written = read_table(config_file(place), "words", None)
    given = {key: value for key, value in flags.items() if value is not None}
    chosen = _with_own(written, str(given.get("mechanism", "")))
    if "level" in given and "epsilon" in given:
        raise ParameterError("give --epsilon or --level, not both")
    if "epsilon" in given:
        chosen.pop("level", None)  # a flag wins over the file
    settings = word_settings(chosen | given)
    _refuse_unread(given, settings)
    return settings


def read_setting(text: str) -> tuple[str, object]:
    """Read ``name=value`` as a line of ``publius.toml``; bare words are strings."""
    return read_pair(text, [*common_names(), *_all_names(_every_kind())])


def read_pair(text: str, known: Iterable[str]) -> tuple[str, object]:
    """Read ``name=value`` whose name is one of those known."""
    key, equals, value = text.partition("=")
    name = key.strip().replace("-", "_")
    if not equals or not value.strip():
        raise ParameterError("a setting is written NAME=VALUE")
    if name not in known:
        raise UnknownNameError("setting", name, known)
    try:
        return name, tomllib.loads(f"value = {value}")["value"]
    except tomllib.TOMLDecodeError:
        return name, value.strip()


def _with_own(written: Mapping[str, object], asked: str) -> dict[str, object]:
    """Return ``[words]`` with the sub-table of the mechanism that is chosen.

    Args:
        written: ``[words]``; its sub-tables hold settings of one mechanism each.
        asked: The mechanism that a flag names; empty if none does.
    """
    tables = {key: part for key, part in written.items() if isinstance(part, dict)}
    chosen = {key: part for key, part in written.items() if key not in tables}
    for key in tables:
        if short_name(key) not in word_mechanisms():
            raise UnknownNameError(
                "mechanism with a table in [words]", key, word_mechanisms()
            )
    known = [*common_names(), *own_fields()]
    for key in chosen:
        if key not in known:
            raise UnknownNameError("setting in [words]", key, known)
    name = asked or str(chosen.get("mechanism", WordSettings().mechanism))
    own = tables.get(name.partition(".v")[0].replace("-", "_"), {})
    plain = {key.replace("-", "_"): value for key, value in own.items()}
    names = {*common_names(), *_all_names([_chosen(name)])}
    for key in plain:
        if key not in {*known, *names}:
            raise UnknownNameError(f"setting of {name}", key, names)
    return chosen | plain


def _refuse_unread(flags: Iterable[str], settings: WordSettings) -> None:
    """Refuse flags that only other mechanisms read; a file may hold those of all."""
    # Weights are asked for in comparisons of all mechanisms, and vectors are SynTF's.
    read = {"balanced", *_all_names([_chosen(settings.mechanism)])}
    if settings.form == "tf":
        read |= set(_all_names([_chosen("syntf")]))
    for name in flags:
        readers = [
            short
            for short, entry in WORD_MECHANISMS.items()
            if name in _all_names([entry.about.settings])
        ]
        if readers and name not in read:
            raise ParameterError(
                f"the setting {name} is for --mechanism {' or '.join(readers)}"
            )


def _pairs(options: object) -> dict[str, object]:
    try:
        return dict(options)  # type: ignore[call-overload]
    except (TypeError, ValueError):
        raise ParameterError("options must be pairs of a name and a value") from None


def _chosen(mechanism: str) -> type:
    """Return the settings type of a mechanism; none of its own if nobody knows it."""
    short = short_name(mechanism.partition(".v")[0])
    entry = WORD_MECHANISMS.get(short) or word_mechanisms().get(short)
    return NoSettings if entry is None else entry.about.settings


def _kinds(mechanism: str) -> list[type]:
    return list({**_BUILT_IN, _chosen(mechanism): None})


def _every_kind() -> list[type]:
    return [entry.about.settings for entry in word_mechanisms().values()]


def _all_names(kinds: Iterable[type]) -> list[str]:
    return [field.name for kind in kinds for field in fields(kind)]


def _refuse_unknown(named: Mapping[str, object], kinds: Iterable[type]) -> None:
    own = _all_names(kinds)
    for name in named:
        if name not in own:
            known = {*common_names(), *own}
            raise UnknownNameError("argument or setting", name, known)


def defaults() -> dict[str, object]:
    """Return every setting by name with its default."""
    own = {name: field.default for name, field in own_fields().items()}
    plain = {name: value for name, value in own.items() if value is not MISSING}
    return {**flat_settings(WordSettings()), **plain}
