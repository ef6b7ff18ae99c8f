"""Measure a release on its own texts: who is recognised, and what is still there."""

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import pyarrow as pa

from publius.assessment.attacks import Knowledge, Resources
from publius.assessment.comparison.assess import attack_sample
from publius.assessment.comparison.contenders import written
from publius.assessment.comparison.sample import Sample, make_sample
from publius.assessment.comparison.tables import class_names
from publius.assessment.evaluation.report import Pairs, Tools, classifications, measures
from publius.core.arrays import Rng
from publius.core.config import WordSettings
from publius.core.errors import DataError
from publius.language.models.encoder import has_encoder, load_encoder
from publius.materials.words.assemble import embedding_for, plan, resolved
from publius.numerics.scores import Scores
from publius.pipeline.compared import Compared
from publius.reporting.measured import Measured, Measurement
from publius.reporting.verdict import shows_writers, strongest

ATTACK = "ngram_svm"
ANALYST = "svm"
EMBEDDING = "glove-50k"
MOST_PAIRS = 500
"""Pairs of texts that similarity looks at."""

OTHER_FORMS = {
    "--as tf --length 100 --epsilon 4": WordSettings(
        mechanism="syntf", form="tf", length=100, epsilon=4.0
    ),
    "--as bag --length 100": WordSettings(form="bag", length=100),
}
"""What is tried on the same texts where their writers are found."""

ATTACK_ON_WORDS = "word_svm"
"""Other forms have no order that an attack on letters could use."""


def measure_release(
    compared: Compared,
    rng: Rng,
    progress: Callable[[str], None] = lambda _: None,
    *,
    tries_forms: bool = True,
) -> Measured:
    """Attack the authors, predict the classes, compare texts before and after.

    What cannot be measured, such as authors with one text each, becomes a note. Where
    writers are found, other forms of the same texts may be attacked too.
    """
    tools = Tools(
        lambda: embedding_for(EMBEDDING, None),
        load_encoder() if has_encoder() else None,
        progress,
    )
    rows: list[Measurement] = []
    notes: list[str] = []
    samples: list[Sample] = []
    for name, column, measured in (
        ("author", compared.authors, _attacked),
        ("label", compared.labels, _classified),
    ):
        if column is None:
            continue
        try:
            sample = _sample(compared, column, name, rng)
        except DataError as error:
            notes.append(f"The {name} column: {error}.")
            continue
        samples.append(sample)
        rows += measured(sample, tools, rng)
        notes += [f"{name}: left out {n} {why}." for why, n in sample.excluded.items()]
    if samples:
        rows += _compared(samples[0], tools, rng)
    is_asked = tries_forms and shows_writers(rows)
    helps = _helps(samples[0], progress, rng) if is_asked else []
    return Measured(len(compared.originals), tuple(rows), tuple(notes), tuple(helps))


def _helps(
    sample: Sample, progress: Callable[[str], None], rng: Rng
) -> list[Measurement]:
    """Attack other forms of the same texts; what is drawn here never leaves."""
    found = []
    for options, settings in OTHER_FORMS.items():
        progress(f"trying {options}")
        made = plan(resolved(settings))
        drawn = sample.with_released(written(made, sample.originals, rng))
        results = attack_sample(
            drawn,
            [ATTACK_ON_WORDS],
            [Knowledge.STATIC, Knowledge.ADAPTIVE],
            Resources(lambda: embedding_for(EMBEDDING, None), load_encoder),
            rng,
            with_original=False,
        )
        rows = [
            Measurement(
                options, r.scores.accuracy, None, r.scores.majority, names_writers=True
            )
            for r in results
        ]
        worst = strongest(rows)
        found += [] if worst is None else [worst]
    return found


def _sample(compared: Compared, column: pa.ChunkedArray, name: str, rng: Rng) -> Sample:
    labels = class_names(column, name)
    return make_sample(compared.originals, labels, rng, released=compared.released)


def _attacked(sample: Sample, tools: Tools, rng: Rng) -> list[Measurement]:
    results = attack_sample(
        sample,
        [ATTACK],
        [Knowledge.STATIC, Knowledge.ADAPTIVE],
        Resources(tools.embedding, load_encoder),
        rng,
        progress=tools.progress,
    )
    scores = [result.scores for result in results]
    rows = _both("author recognised", scores)
    return [replace(row, names_writers=True) for row in rows]


def _classified(sample: Sample, tools: Tools, rng: Rng) -> list[Measurement]:
    kinds = ["original", "static", "adaptive"]
    results = classifications(_pairs(sample), [ANALYST], kinds, tools, rng)
    return _both("class predicted", [result.scores for result in results])


def _both(name: str, scores: Sequence[Scores]) -> list[Measurement]:
    """Return a static and an adaptive row beside what happens on originals."""
    before, static, adaptive = scores
    return [
        Measurement(
            f"{name}, {who} SVM", after.accuracy, before.accuracy, after.majority
        )
        for who, after in (("static", static), ("adaptive", adaptive))
    ]


def _compared(sample: Sample, tools: Tools, rng: Rng) -> list[Measurement]:
    is_few = np.cumsum(~sample.is_known) <= MOST_PAIRS
    few = sample.only(np.flatnonzero(sample.is_known | is_few))
    measurements = measures(_pairs(few), tools, rng)
    return [Measurement(m.name, m.estimate, m.original) for m in measurements]


def _pairs(sample: Sample) -> Pairs:
    return Pairs(sample.originals, sample.released, sample.classes, sample.is_known)
