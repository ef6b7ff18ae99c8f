"""Similarity and classes of sentence pairs, before and after their release."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from publius.assessment.comparison.pair_sample import PairTable
from publius.assessment.evaluation.pairs import (
    Correlation,
    Encode,
    remembering,
    score_classes,
    score_similarity,
)
from publius.assessment.evaluation.report import KINDS
from publius.core.arrays import Rng
from publius.core.guarantee import JsonValue
from publius.numerics.scores import Scores

Progress = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class PairResult:
    """One task on one kind of text with one encoder.

    Args:
        encoder: Its name.
        target: ``original`` or ``released``.
        knowledge: Trained on originals (static), on released pairs (adaptive), or
            ``none`` where nothing is trained.
        measured: Against the judgement of people.
    """

    encoder: str
    target: str
    knowledge: str
    measured: Correlation | Scores

    def to_json(self) -> dict[str, JsonValue]:
        """Return plain values."""
        return {
            "encoder": self.encoder,
            "target": self.target,
            "knowledge": self.knowledge,
            **self.measured.to_json(),
        }


@dataclass(frozen=True, slots=True)
class PairReport:
    """The results of one task.

    Args:
        task: ``similarity`` or ``classification``.
        about: Numbers of pairs used and left out.
        results: One per encoder and kind of text.
    """

    task: str
    about: Mapping[str, JsonValue]
    results: Sequence[PairResult] = field(default=())

    def to_json(self) -> dict[str, JsonValue]:
        """Return plain values."""
        return {**self.about, "results": [result.to_json() for result in self.results]}


def pair_similarity(
    table: PairTable, encoders: Mapping[str, Encode], progress: Progress, rng: Rng
) -> PairReport:
    """Correlate cosines of originals and of released pairs with the given scores."""
    rows, scores, excluded = table.judged()
    results = []
    for name, encode in encoders.items():
        progress(f"similarity by {name}")
        for target, pairs in (
            ("original", table.originals(rows)),
            ("released", table.released(rows)),
        ):
            correlation = score_similarity(pairs, scores, remembering(encode), rng)
            results.append(PairResult(name, target, "none", correlation))
    about: dict[str, JsonValue] = {"pairs": len(rows), "excluded": dict(excluded)}
    return PairReport("similarity", about, results)


def pair_classes(
    table: PairTable,
    encoders: Mapping[str, Encode],
    kinds: Sequence[str],
    progress: Progress,
    rng: Rng,
) -> PairReport:
    """Classify pairs as the kinds of analyst that are asked for, as for documents."""
    sample = table.classified(rng)
    train, test = (sample.rows[sample.is_known == side] for side in (True, False))
    labels, truth = (sample.classes[sample.is_known == side] for side in (True, False))
    results = []
    for name, encode in encoders.items():
        progress(f"classes by {name}")
        known = remembering(encode)
        for target, knowledge in (KINDS[kind] for kind in kinds):
            learnt = table.released if knowledge == "adaptive" else table.originals
            asked = table.originals if target == "original" else table.released
            scores = score_classes(
                learnt(train), labels, asked(test), truth, known, rng
            )
            results.append(PairResult(name, target, knowledge, scores))
    about: dict[str, JsonValue] = {
        "train": len(train),
        "test": len(test),
        "classes": len(sample.names),
        "excluded": dict(sample.excluded),
        "notes": list(sample.notes),
    }
    return PairReport("classification", about, results)
