"""Audit the release of two whole texts by settings."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np
import pyarrow as pa
import scipy.sparse as sp

from publius.assessment.auditing.sampled import Plan
from publius.assessment.auditing.text_events import TEXT_PLAN, TextAudit, audit_releases
from publius.assessment.auditing.text_pair import (
    SENTENCES,
    Certified,
    certified_bags,
    certified_texts,
    certified_whole,
)
from publius.assessment.auditing.text_views import WORD, Embed
from publius.core.arrays import FloatArray, Rng
from publius.core.config import WordSettings
from publius.core.rng import secure
from publius.core.space import Space
from publius.embeddings.embedding import Embedding
from publius.materials.form import Form
from publius.materials.sentences.settings import SentenceSettings
from publius.materials.sentences.treatment import SentenceForm, sentence_form
from publius.materials.words.assemble import Plan as WordPlan
from publius.materials.words.assemble import plan as word_plan
from publius.materials.words.assemble import resolved, word_space
from publius.materials.words.consistent import Consistency
from publius.materials.words.forms import BagForm, TextForm, text_rows
from publius.materials.words.sanitizer import Sanitizer

BLOCK = 2000
"""Releases that are drawn at once."""

AnySettings: TypeAlias = WordSettings | SentenceSettings


@dataclass(frozen=True, slots=True, eq=False)
class Audited:
    """A release that can be repeated, and what is certified about it.

    Args:
        release: Releases texts.
        certified: Returns the bound between two texts.
        embed: Makes vectors of released texts; None for none.
    """

    release: Callable[[list[str], Rng], Sequence[str]]
    certified: Callable[[str, str], Certified]
    embed: Embed | None = None


def audit_audited(
    a: str,
    b: str,
    subject: Audited,
    *,
    plan: Plan = TEXT_PLAN,
    check: Callable[[], None] = lambda: None,
    rng: Rng | None = None,
) -> TextAudit:
    """Release two texts many times and test which one it was.

    Args:
        a: One text.
        b: The other.
        subject: The release, and what is certified about it.
        plan: How many releases of each text, and how sure the result must be.
        check: Called now and then; may raise to end it.
        rng: Source of noise; a fresh secure one when it is left out.
    """
    bound = subject.certified(a, b)

    def draw(which: int, count: int, rng: Rng) -> Sequence[str]:
        texts: list[str] = []
        for start in range(0, count, BLOCK):
            check()
            block = [(a, b)[which]] * min(BLOCK, count - start)
            texts += subject.release(block, rng)
        return texts

    result = audit_releases(
        draw,
        bound.epsilon,
        plan,
        secure() if rng is None else rng,
        embed=subject.embed,
        delta=bound.delta,
    )
    return replace(result, remarks=bound.remarks, exact=bound.exact)


def audited(settings: AnySettings) -> Audited:
    """Return the release that settings describe."""
    if isinstance(settings, SentenceSettings):
        return _sentences(sentence_form(settings))
    settings = resolved(settings)
    planned = word_plan(settings)
    if isinstance(planned.form, TextForm):
        return audited_sanitizer(planned.form.sanitizer, word_space(settings))
    embed = mean_vectors(planned.embedding)
    bound = _bag_bound(planned, settings)
    return Audited(_through(planned.form), bound, embed)


def audited_sanitizer(sanitizer: Sanitizer, space: Space) -> Audited:
    """Return the release of a sanitizer whose guarantee is written in a space."""
    if sanitizer.consistent is Consistency.CORPUS:
        # Every release is audited as a corpus of its own: draws must be independent.
        sanitizer = replace(sanitizer, consistent=Consistency.TEXT, key=None)
    return Audited(
        lambda texts, rng: sanitizer.release(texts, rng).texts,
        lambda a, b: certified_texts(sanitizer, space, a, b),
        mean_vectors(sanitizer.embedding),
    )


def mean_vectors(embedding: Embedding) -> Embed:
    """Return what makes the mean of the vectors of a text's words."""

    def embed(texts: Sequence[str]) -> FloatArray:
        tokens = [[word.lower() for word in WORD.findall(text)] for text in texts]
        ids = embedding.vocabulary.encode([word for words in tokens for word in words])
        owner = np.repeat(np.arange(len(tokens)), [len(words) for words in tokens])
        known = ids >= 0
        shape = (len(texts), embedding.size)
        ones = np.ones(int(known.sum()))
        counts = sp.coo_array((ones, (owner[known], ids[known])), shape=shape).tocsr()
        total = np.maximum(np.asarray(counts.sum(axis=1)).ravel(), 1.0)
        return np.asarray(counts @ embedding.vectors) / total[:, None]

    return embed


def _bag_bound(
    planned: WordPlan, settings: WordSettings
) -> Callable[[str, str], Certified]:
    form = planned.form
    if isinstance(form, BagForm) and form.length is None:
        space, cleaner = word_space(settings), form.sanitizer
        return lambda a, b: certified_bags(cleaner, space, a, b)
    return lambda a, b: certified_whole(planned.guarantee, int(a != b))


def _sentences(form: SentenceForm) -> Audited:
    guarantee = form.model.guarantee(form.sigma, form.sentences)

    def bound(a: str, b: str) -> Certified:
        counts = form.costs(text_rows([a, b]))
        if counts[0] != counts[1]:
            return Certified.nothing(int(counts.max()), SENTENCES)
        # Which sentences differ is not looked at: all may.
        return certified_whole(guarantee, int(counts[0]) if a != b else 0)

    return Audited(_through(form), bound)


def _through(form: Form) -> Callable[[list[str], Rng], Sequence[str]]:
    def release(texts: list[str], rng: Rng) -> Sequence[str]:
        columns = form.release(text_rows(texts), rng).columns
        if len(columns) == 1 and pa.types.is_large_string(columns[0].type):
            return [str(text) for text in columns[0].to_pylist()]
        # Term vectors are written as words, so that every view can read them.
        lists = zip(*(column.to_pylist() for column in columns), strict=True)
        return [
            " ".join(f"t{term}x{count}" for term, count in zip(*row, strict=True))
            for row in lists
        ]

    return release
