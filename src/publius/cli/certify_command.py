"""publius certify: the exact certificate of a mechanism on an embedding."""

from pathlib import Path

import click
import numpy as np
from rich.table import Table

from publius.assemble import embedding_for, resolved
from publius.cli import show
from publius.cli.options import json_option, settings_from, word_options
from publius.core.arrays import UNKNOWN, shortest
from publius.core.errors import ParameterError, RefutedError
from publius.core.space import Space, blocks
from publius.core.stating import state_bound
from publius.embeddings.embedding import Embedding
from publius.mechanisms.balance import Workshop
from publius.mechanisms.certificate import Certificate
from publius.mechanisms.exponential import Exponential
from publius.mechanisms.law import Decay
from publius.mechanisms.santext import SanText
from publius.public_tables import calibrated
from publius.storage.atomic import replacing

DUMP_LIMIT = 12_000
"""Beyond this many words a dumped channel would exceed two gigabytes."""


@click.command("certify")
@word_options
@click.option(
    "--dump-channel",
    type=click.Path(path_type=Path),
    metavar="FILE.npz",
    help="Write words, log_prob and distance for others to check.",
)
@json_option
def command(dump_channel: Path | None, as_json: bool, **flags: object) -> None:
    """Compute the exact ε of the mechanism that runs, with the pair that attains it.

    The certificate is computed anew from the public embedding, also where the package
    ships the weights; exit 3 if it does not hold.

    Example:  publius certify --epsilon 4 --vocabulary 2000 --json
    """
    settings = resolved(settings_from(flags))
    name = settings.mechanism.removesuffix(".v1")
    if name not in ("exponential", "santext"):
        raise ParameterError(
            f"only exponential and santext have a certificate over all pairs; the "
            f"guarantee of {settings.mechanism} is a proof, or says itself whom it "
            "covers, see its card in the documentation"
        )
    embedding = embedding_for(settings.embedding, settings.vocabulary)
    space = embedding.space(settings.metric)
    with show.stages() as progress:
        decay = Decay.plain(settings.epsilon / 2, space.size)
        if name == "exponential":
            decay, _ = calibrated(
                space, settings, lambda t: show.tell_stage(progress, t)
            )
        show.tell_stage(progress, "certifying all pairs")
        certificate = Workshop.of(space).certify(decay)
        if dump_channel is not None:
            show.tell_stage(progress, "writing the channel")
            _dump(Exponential(space, decay, certificate), embedding, dump_channel)
    if certificate.epsilon > settings.epsilon:
        raise RefutedError(
            f"the exact ε is {state_bound(certificate.epsilon, 6)}, above "
            f"{shortest(settings.epsilon)}"
        )
    known = (Exponential if name == "exponential" else SanText).named(space)
    result = {"mechanism": known, **_facts(certificate, embedding, space)}
    if as_json:
        show.as_json(result)
        return
    table = Table("certificate", "", show_header=False)
    for key, value in result.items():
        shown = " – ".join(value) if isinstance(value, list) else value
        table.add_row(
            key, state_bound(shown, 6) if isinstance(shown, float) else str(shown)
        )
    show.RESULTS.print(table)


def _facts(
    certificate: Certificate, embedding: Embedding, space: Space
) -> dict[str, object]:
    words = embedding.vocabulary.words
    return {
        "metric": space.id,
        "words": space.size,
        "epsilon": certificate.epsilon,
        "beta": certificate.beta,
        "worst_pair": [words[i] for i in certificate.worst_pair],
        "worst_loss": certificate.worst_loss,
        "farthest_pair": [words[i] for i in certificate.farthest_pair],
        "level_at_10th_neighbour": certificate.level_at_10th_neighbour,
        "unknown_loss": certificate.unknown_loss,
        "diameter": certificate.diameter,
        "slack": certificate.slack,
    }


def _dump(mechanism: Exponential, embedding: Embedding, path: Path) -> None:
    """Write the channel as it is sampled; rows are inputs, ⊥ has a row of its own."""
    size = mechanism.size
    if size > DUMP_LIMIT:
        raise ParameterError(
            f"a channel of {size} words is too large; use --vocabulary"
        )
    log_prob = np.empty((size, size))
    distance = np.empty((size, size))
    for ids in blocks(size, size):
        log_prob[ids] = mechanism.channel(ids)
        distance[ids] = mechanism.space.rows(ids)
    with replacing(path) as file:
        np.savez(
            file,
            words=np.array(embedding.vocabulary.words, dtype=np.str_),
            log_prob=log_prob,
            log_prob_unknown=mechanism.channel(np.array([UNKNOWN]))[0],
            distance=distance,
        )
