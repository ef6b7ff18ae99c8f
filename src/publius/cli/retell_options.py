"""Options of a retelling: words of a model in the place of words of a text."""

from collections.abc import Callable, Mapping
from dataclasses import fields

import click

from publius.cli.configuration import config_place
from publius.cli.options import F, with_options
from publius.core.config import config_file, read_table
from publius.core.errors import ParameterError
from publius.mechanisms.words.given import read_pair
from publius.retelling.settings import (
    ORDERS,
    RETELL,
    RetellSettings,
    is_retelling,
    under,
)

MECHANISM = RETELL
FIXED_WORDS = 64
"""Content words of every text where --length fixed names no number."""
FIXED, AS_IS = "fixed", "as-is"


class _Length(click.ParamType):  # type: ignore[type-arg]  # since click 8.2
    """A number, or what a retelling does about the number of words."""

    name = "length"

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> int | str:
        """Return the number or the word."""
        text = str(value)
        if text in (FIXED, AS_IS):
            return text
        if not text.lstrip("-").isdecimal():
            self.fail(f"it must be a number, {FIXED} or {AS_IS}", param, ctx)
        return int(text)


LENGTH = _Length()

_OPTIONS = (
    click.option("--order", type=click.Choice(ORDERS),
                 help="retell: keep the order of content words, mix it inside each "
                      "passage, or shuffle the whole text [shuffle]."),
    click.option("--words", type=int, metavar="N",
                 help="retell: write every text from exactly N content words; the "
                      "guarantee then covers how many it has [as many as it has]."),
    click.option("--most-words", type=int, metavar="N",
                 help="retell: of a text with more content words draw N, chosen at "
                      "random [all]."),
    click.option("--skip-common", type=int, metavar="N",
                 help="retell: leave the N commonest words to the writer, as stop "
                      "words are; negations stay [0]."),
    click.option("--adapter", metavar="FILE",
                 help="retell: what the model was taught, by publius retelling train "
                      "[what comes with Publius]; none asks it untaught."),
    click.option("--candidates", type=int, metavar="N",
                 help="retell: write each passage N times from the same released "
                      "words and take the text that uses most of them [1]."),
    click.option("--use-words", type=float, metavar="STRENGTH",
                 help="retell: how much likelier the pieces of released words are that "
                      "a passage has not used yet; 0 leaves the writer alone [2]."),
    click.option("--server", metavar="ADDRESS",
                 help="retell: an OpenAI-compatible server that writes; it is sent "
                      "released words only."),
    click.option("--server-model", metavar="NAME",
                 help="retell: the server's name for its model [default]."),
    click.option("--local-model", metavar="FOLDER",
                 help="retell: another model on this machine, as transformers keeps "
                      "them, asked in plain English."),
    click.option("--allow-remote", is_flag=True, default=None,
                 help="retell: the server may be on another machine."),
)  # fmt: skip
_OWN = {
    "order": "order",
    "words": "words",
    "most_words": "most_words",
    "skip_common": "skip_common",
    "adapter": "adapter",
    "candidates": "candidates",
    "use_words": "use_words",
    "server": "server",
    "server_model": "model",
    "local_model": "local_model",
    "allow_remote": "allow_remote",
}
"""Option → setting."""
_SHARED = ("epsilon", "block")
"""Settings of words that a retelling has too."""


def retell_options(function: F) -> F:
    """Add the options that retell texts."""
    return with_options(_OPTIONS, function)


def retell_settings(flags: dict[str, object]) -> RetellSettings | None:
    """Return how texts are retold, or None where another mechanism is asked for.

    The options of a retelling are taken out of the flags.
    """
    given = {
        setting: value
        for option, setting in _OWN.items()
        if (value := flags.pop(option)) is not None
    }
    length = flags.get("length")
    mechanism = str(flags["mechanism"] or _written())
    if not is_retelling(mechanism):
        if isinstance(length, str):
            raise ParameterError(f"--length {length} is for --mechanism {MECHANISM}")
        for setting in given:
            raise ParameterError(f"--{_option(setting)} is for --mechanism {MECHANISM}")
        return None
    if isinstance(length, str):
        flags["length"] = None
        _fix_number(length, given)
    known = {field.name for field in fields(RetellSettings)}
    for text in flags.pop("others", ()) or ():  # type: ignore[attr-defined]
        name, value = read_pair(str(text), known)
        if name in given or (name in _SHARED and flags.get(name) is not None):
            raise ParameterError(f"the setting {name} was given twice")
        given[name] = value
    _refuse_words(flags)
    given |= {n: flags[n] for n in _SHARED if flags.get(n) is not None}
    chosen = read_table(config_file(config_place()), "retelling", known)
    build: Callable[..., RetellSettings] = RetellSettings
    settings = under(build(**(chosen | given)), mechanism)
    _need_taught(settings, given)
    return settings


def _written() -> str:
    """Return the retelling that publius.toml asks for, if any."""
    words = read_table(config_file(config_place()), "words", None)
    mechanism = str(words.pop("mechanism", ""))
    if not is_retelling(mechanism):
        return ""
    if words:
        raise ParameterError(
            f"the settings of {MECHANISM} stand in [retelling], not in [words]"
        )
    return mechanism


def _fix_number(length: str, given: dict[str, object]) -> None:
    """Hide how many words a text has, or say that its own number is asked for."""
    if length == AS_IS and "words" in given:
        raise ParameterError("--length as-is and --words exclude each other")
    if length == FIXED:
        given.setdefault("words", FIXED_WORDS)


def _need_taught(settings: RetellSettings, given: Mapping[str, object]) -> None:
    """Refuse a strength that the writer would ignore."""
    if given.get("use_words") and not settings.is_taught:
        raise ParameterError(
            "--use-words is for the taught writer; leave it out with --server, "
            "--local-model and --adapter none"
        )


def _refuse_words(flags: Mapping[str, object]) -> None:
    if length := flags.get("length"):
        raise ParameterError(
            f"--length {length} is for bags and vectors; --words {length} retells "
            "every text from so many content words"
        )
    for name, value in flags.items():
        if name not in ("mechanism", *_SHARED) and value not in (None, (), "text"):
            raise ParameterError(
                f"--{name.replace('_', '-')} is not offered for {MECHANISM}, which "
                "writes texts anew from words drawn on the metric 'like'; leave it out"
            )


def _option(setting: str) -> str:
    options = {setting: option for option, setting in _OWN.items()}
    return options[setting].replace("_", "-")
