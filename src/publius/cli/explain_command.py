"""publius explain: what a word is replaced by, and who else could have been there."""

from collections.abc import Sequence

import click
import numpy as np
from rich.table import Table

from publius.accounting.profile import DRAWS, profile
from publius.assemble import WordMechanism, resolved, word_embedding, word_mechanism
from publius.assemble import word_space as space_of
from publius.cli import show
from publius.cli.options import json_option, settings_from, word_options
from publius.config import WordSettings
from publius.core.arrays import UNKNOWN, FloatArray, IdArray
from publius.core.errors import DataError
from publius.core.mechanism import Finite
from publius.core.rng import seeded
from publius.embeddings.poincare_words import relations_behind
from publius.embeddings.relations import Relation
from publius.embeddings.vocabulary import Vocabulary
from publius.reporting.story import law_of, replacements
from publius.sanitize.words import find_words
from publius.text.morphology import LOWER
from publius.text.tokenizer import Tokenizer
from publius.words.syntf import morphology

CANDIDATES = 100
"""Deniability sets are looked for among so many nearest words."""


@click.command("explain")
@click.argument("word")
@word_options
@click.option(
    "--best",
    type=click.IntRange(min=1),
    default=15,
    show_default=True,
    help="How many replacements to show.",
)
@json_option
def command(word: str, best: int, as_json: bool, **flags: object) -> None:
    """Show the replacement distribution of a word, its deniability and its neighbours.

    The deniability set holds near words that would be released as this word at least
    once in 1,000 draws on average: who sees it cannot rule them out.

    Example:  publius explain london --epsilon 4
    """
    settings = resolved(settings_from(flags))
    embedding = word_embedding(settings)
    number = _unit(word, embedding.vocabulary, settings)
    words = embedding.vocabulary.words
    with show.stages() as progress:
        mechanism = word_mechanism(
            settings, lambda text: show.tell_stage(progress, text)
        )
        found = replacements(mechanism, number, words, best=best)
        kinds = _relations(settings.embedding, words, number)
        shares = _shares(kinds, law_of(mechanism, number, len(words)))
        measured = profile(mechanism, np.array([number]), embedding.size, seeded(0))
        distance = space_of(settings).rows(np.array([number]))[0]
        order = np.argsort(distance, kind="stable")
        near = order[order != number][:CANDIDATES].astype(np.int64)
        giving = _giving(mechanism, near, number)
    shown = sum(item.share for item in found)
    explained = np.argsort(-giving, kind="stable")
    explained = explained[giving[explained] >= 1 / DRAWS]
    result = {
        "word": words[number],
        "mechanism": mechanism.name,
        "epsilon": settings.epsilon,
        "metric": settings.metric,
        "exact": measured.n == 0,
        "replacements": [
            {"word": i.word, "probability": i.share, **_marked(kinds, i.word)}
            for i in found
        ],
        "relations": shares,
        "other_words": max(0.0, 1 - shown),
        "unchanged": float(measured.unchanged[0]),
        "distinct_outputs": float(measured.outputs[0]),
        "explanations": float(measured.explanations[0]),
        "hartley_bits": float(measured.hartley[0]),
        "min_entropy_bits": float(measured.min_entropy[0]),
        "draws": DRAWS,
        "neighbours": [
            {"word": words[i], "distance": float(distance[i])} for i in near[:best]
        ],
        "deniability_set": [
            {"word": words[near[i]], "probability": float(giving[i])} for i in explained
        ],
    }
    if as_json:
        show.as_json(result)
        return
    table = Table(
        "released as",
        "probability",
        *(["relation"] if kinds else []),
        title=f"{words[number]} at ε = {settings.epsilon:g}",
    )
    for item in found:
        mark = _marked(kinds, item.word).values()
        table.add_row(item.word, f"{item.share:.4f}", *mark)
    table.add_row("any other word", f"{max(0.0, 1 - shown):.4f}")
    show.RESULTS.print(table)
    if shares:
        listed = (f"{label} {share:.1%}" for label, share in shares.items())
        show.RESULTS.print("It becomes: " + ", ".join(listed) + ".")
    show.RESULTS.print(
        f"In {DRAWS:,} draws it stays {measured.unchanged[0] * DRAWS:,.0f} times and "
        f"gives {measured.outputs[0]:,.0f} different words; "
        f"{measured.explanations[0]:,.0f} words would give it at least once. "
        f"Hartley entropy {measured.hartley[0]:.1f} bits, min-entropy "
        f"{measured.min_entropy[0]:.2f} bits."
    )
    show.RESULTS.print("Nearest: " + _listed(words, near[:10]))
    show.RESULTS.print(
        "Could also have been written: " + _listed(words, near[explained[:best]])
    )


def _unit(word: str, vocabulary: Vocabulary, settings: WordSettings) -> int:
    """Return the id of a word, or of a collocation that the vocabulary has."""
    tokenizer = Tokenizer(protect_all=True, collocations=settings.collocations)
    forms = morphology(settings) if settings.mechanism == "syntf" else LOWER
    found = find_words([word.strip()], tokenizer, vocabulary, forms)
    if len(found.codes) != 1:
        raise DataError(
            f"expected one word, got {len(found.codes)}; a sequence of words is one "
            "unit only where the vocabulary has it as one entry"
        )
    number = int(found.ids[0])
    if number == UNKNOWN:
        raise DataError(
            "this word is not in the vocabulary: it would be replaced by a draw that "
            "is the same for every unknown word"
        )
    return number


def _relations(source: str, words: Sequence[str], word: int) -> dict[str, Relation]:
    """Return what every word is to one word; nothing without a hierarchy."""
    relations = relations_behind(source, words)
    if relations is None:
        return {}
    kinds = relations.of_word(word)
    return {w: Relation(k) for w, k in zip(words, kinds.tolist(), strict=True)}


def _shares(kinds: dict[str, Relation], law: FloatArray) -> dict[str, float]:
    """Return the probability of each kind of replacement."""
    if not kinds:
        return {}
    codes = np.fromiter(kinds.values(), dtype=np.int64, count=len(kinds))
    total = np.bincount(codes, weights=law, minlength=len(Relation))
    return {kind.label: float(total[kind]) for kind in Relation}


def _marked(kinds: dict[str, Relation], word: str) -> dict[str, str]:
    return {"relation": kinds[word].label} if kinds else {}


def _giving(mechanism: WordMechanism, inputs: IdArray, output: int) -> FloatArray:
    """Return the probability with which each input is released as the output."""
    if isinstance(mechanism, Finite):
        return np.exp(mechanism.channel(inputs)[:, output])
    drawn = mechanism.perturb(np.repeat(inputs, DRAWS), seeded(0))
    return (drawn.reshape(len(inputs), DRAWS) == output).mean(axis=1)


def _listed(words: Sequence[str], ids: IdArray) -> str:
    return ", ".join(words[i] for i in ids) or "no near word"
