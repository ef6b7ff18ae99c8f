"""Options of a release of rewritten sentences, and how it reports."""

from collections.abc import Callable, Mapping
from dataclasses import fields

import click

from publius.autoencoder.settings import DEVICES
from publius.cli.configuration import config_place
from publius.cli.options import F, with_options
from publius.cli.word_options import settings_from
from publius.core.config import WordSettings, config_file, read_table
from publius.core.errors import ParameterError
from publius.pipeline import SentenceSettings

MECHANISM = "dp-vae"

_OPTIONS = (
    click.option("--sigma", type=float, metavar="S",
                 help="dp-vae: deviation of the noise, instead of --epsilon "
                      "[1]."),
    click.option("--delta", type=float, metavar="D",
                 help="dp-vae: δ at which ε is stated [1e-6]."),
    click.option("--sentences", type=int, metavar="K",
                 help="dp-vae: write exactly K sentences for every text; the "
                      "guarantee then covers how many it has [as many as it has]."),
    click.option("--per", type=click.Choice(["sentence", "text"]),
                 help="dp-vae: whose ε --epsilon is; text needs --sentences "
                      "[sentence]."),
    click.option("--model", metavar="FILE",
                 help="dp-vae: a trained model [the one that comes with Publius]."),
    click.option("--decoding",
                 type=click.Choice(["greedy", "beam", "top-k", "nucleus"]),
                 help="dp-vae: how words are chosen; it costs no privacy [greedy]."),
    click.option("--device", type=click.Choice(DEVICES),
                 help="dp-vae: where the network runs [auto]."),
)  # fmt: skip
_OWN = ("sigma", "delta", "sentences", "per", "model", "decoding", "device")

USUAL_SIGMA = 1.0
"""The noise at which writers were measured to be hidden, with --sentences 8."""


def sentence_options(function: F) -> F:
    """Add the options that rewrite sentences."""
    return with_options(_OPTIONS, function)


def release_settings(flags: dict[str, object]) -> WordSettings | SentenceSettings:
    """Return how texts are treated, by ``publius.toml`` and the flags.

    The mechanism decides: dp-vae reads the table ``[sentences]``, all others
    ``[words]``.
    """
    given = {name: value for name in _OWN if (value := flags.pop(name)) is not None}
    path = config_file(config_place())
    words = read_table(path, "words", None)
    if not _is_rewriting(flags["mechanism"] or words.get("mechanism")):
        for name in given:
            raise ParameterError(f"--{name} is for --mechanism {MECHANISM}")
        return settings_from(flags)
    _refuse_words(flags, words)
    if flags["epsilon"] is not None:
        given["epsilon"] = flags["epsilon"]
    known = {field.name for field in fields(SentenceSettings)}
    chosen = read_table(path, "sentences", known)
    if "epsilon" in given or "sigma" in given:  # a flag wins over the file
        idle = {"epsilon", "sigma"} | ({"per"} if "sigma" in given else set())
        chosen = {k: v for k, v in chosen.items() if k not in idle}
    if not {"epsilon", "sigma", "per"} & (chosen | given).keys():
        given["sigma"] = USUAL_SIGMA
    build: Callable[..., SentenceSettings] = SentenceSettings
    return build(**(chosen | given))


def _refuse_words(flags: Mapping[str, object], words: Mapping[str, object]) -> None:
    """Refuse settings of words, which would not be obeyed."""
    if flags["form"] not in (None, "text"):
        raise ParameterError(f"{MECHANISM} releases texts; leave --as out")
    for name, value in flags.items():
        if name not in ("mechanism", "epsilon", "form") and value not in (None, ()):
            raise ParameterError(
                f"--{name.replace('_', '-')} has no meaning for {MECHANISM}, which "
                "rewrites whole sentences; leave it out"
            )
    others = set(words) - {"mechanism"}
    if _is_rewriting(words.get("mechanism")) and others:
        raise ParameterError(
            f"{min(others)} in [words] has no meaning for {MECHANISM}; "
            "its settings stand in [sentences]"
        )


def _is_rewriting(mechanism: object) -> bool:
    return str(mechanism or "").removesuffix(".v1") == MECHANISM
