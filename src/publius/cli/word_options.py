"""Options that choose a word mechanism, and the settings that they say."""

import click

from publius.cli import show
from publius.cli.configuration import config_option, config_place
from publius.cli.options import F, completing, with_options
from publius.core.config import WordSettings
from publius.core.errors import ParameterError
from publius.core.stating import state_bound
from publius.embeddings.catalogue import catalogue
from publius.embeddings.like import CAP
from publius.embeddings.space_spec import LIKE
from publius.materials.words.assemble import resolved
from publius.mechanisms.words.given import read_setting, read_settings
from publius.mechanisms.words.table import WORD_MECHANISMS


def word_options(function: F) -> F:
    """Add the options that choose a word mechanism."""
    return with_options(_WORD_OPTIONS, function)


def policy_options(function: F) -> F:
    """Add the options that say which words of a text are protected, and how."""
    return with_options(_POLICY_OPTIONS, function)


def term_options(function: F) -> F:
    """Add the options of SynTF's terms."""
    return with_options(_TERM_OPTIONS, function)


_WORD_OPTIONS = (
    click.option("--epsilon", type=float,
                 help="Loss per unit of the metric [2.75 on like, else 4]."),
    click.option("--level", type=float, metavar="L",
                 help="Loss of the median word against its k-th nearest word, "
                      "instead of --epsilon."),
    click.option("--neighbours", type=int, metavar="K",
                 help="The k of --level [10]."),
    click.option("--mechanism", metavar="NAME",
                 shell_complete=completing(
                     lambda: (*WORD_MECHANISMS, "dp-vae", "retell")),
                 help=f"{', '.join(sorted(WORD_MECHANISMS))}; release: also dp-vae; "
                      "release, try and plan: also retell "
                      "[exponential]."),
    click.option("--metric", metavar="M",
                 help="like; or hop, euclidean, angular, manhattan, hyperbolic or "
                      "discrete, with :k=K and :cap=C [like; hop:k=10:cap=4 for "
                      "other words than those of glove-50k and with --remap]."),
    click.option("--embedding", metavar="NAME", help="Name or file [glove-50k].",
                 shell_complete=completing(lambda: (one.name for one in catalogue()))),
    click.option("--vocabulary", type=int, metavar="N",
                 help="Use only the N most frequent words."),
    click.option("--block", metavar="FILE", type=click.Path(),
                 help="Words that are never put out, one per line; each is treated "
                      "as the allowed word nearest to it."),
    click.option("--balanced/--plain", default=None,
                 help="Weights that save the factor 2 of the textbook [balanced]."),
    click.option("--remap", type=click.Choice(["none", "bayes", "rank"]),
                 help="Remap released words by a public table; the guarantee stays "
                      "[none]."),
    click.option("--set", "others", metavar="NAME=VALUE", multiple=True,
                 help="Any other setting of publius.toml, such as group=20; may be "
                      "repeated."),
    config_option,
)  # fmt: skip

_TERM_OPTIONS = (
    click.option("--overlap", type=float, metavar="S",
                 help="syntf: how much a different spelling is preferred [0.3]."),
    click.option("--morphology", type=click.Choice(["lower", "lemma", "orth"]),
                 help="syntf: terms in lower case, by lemma, or as written [lower]."),
    click.option("--weighting", type=click.Choice(["tf", "tf-idf"]),
                 help="syntf: compose terms by count, or by public rarity too [tf]."),
    click.option("--synonyms/--no-synonyms", default=None,
                 help="syntf: extend the vocabulary by WordNet synonyms [no]."),
)  # fmt: skip

_POLICY_OPTIONS = (
    click.option("--protect", type=click.Choice(["content", "all"]),
                 help="Protect content words or all words; stop words tell about the "
                      "writer [content]."),
    click.option("--function-words", type=click.Choice(["keep", "drop"]),
                 help="What happens to unprotected stop words [keep]."),
    click.option("--consistent", type=click.Choice(["no", "text", "corpus"]),
                 help="Replace equal words alike in a text or in the corpus; the "
                      "guarantee is then another one [no]."),
    click.option("--oov", type=click.Choice(["uniform", "mask", "refuse"]),
                 help="What happens to words outside the vocabulary; common names "
                      "are inside [uniform]."),
)  # fmt: skip


OLD_LOSS = 13.1
"""Between any two words with the former default, ``--metric hop --epsilon 4``."""


def warn_of_metric(asked: WordSettings) -> None:
    """Say that an ε without a metric counts on another one than it used to.

    Only where two words may lose more than by the former default: who keeps an old
    command must learn that it protects less.
    """
    if asked.metric or asked.epsilon is None or asked.epsilon * CAP <= OLD_LOSS:
        return
    if resolved(asked).metric == LIKE:
        show.warn(
            "Note: without --metric this ε is one of the metric like, on which two "
            f"words may lose up to {state_bound(asked.epsilon * CAP)}; the former "
            "default was --metric hop --epsilon 4."
        )


def settings_from(flags: dict[str, object]) -> WordSettings:
    """Return the settings of publius.toml, or of --config, and of the flags."""
    given = dict(flags)
    for text in given.pop("others", ()) or ():  # type: ignore[attr-defined]
        name, value = read_setting(str(text))
        if given.get(name) is not None:
            raise ParameterError(f"the setting {name} was given twice")
        given[name] = value
    return read_settings(given, config_place())
