"""Attack a release: every attack static and adaptive, beside the untouched texts."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from publius.assessment.attacks import Documents, Knowledge, Resources, attack, training
from publius.assessment.comparison.sample import Sample
from publius.core.arrays import Rng
from publius.core.guarantee import JsonValue
from publius.numerics.scores import Scores

DEFAULT_ATTACKS = ("delta", "koppel", "ngram_svm")

Progress = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class AttackResult:
    """One attack on one kind of target.

    Args:
        attack: Its name.
        target: ``original`` or ``released`` texts.
        knowledge: Trained on originals (static) or on obfuscated copies (adaptive).
        scores: Against the truth.
    """

    attack: str
    target: str
    knowledge: Knowledge
    scores: Scores

    def to_json(self) -> dict[str, JsonValue]:
        """Return plain values."""
        return {
            "attack": self.attack,
            "target": self.target,
            "knowledge": self.knowledge.value,
            **self.scores.to_json(),
        }


def attack_sample(  # noqa: PLR0913 - what is attacked, by what, and who is told
    sample: Sample,
    names: Sequence[str],
    knowledge: Sequence[Knowledge],
    resources: Resources,
    rng: Rng,
    *,
    with_original: bool = True,
    progress: Progress = lambda _: None,
) -> list[AttackResult]:
    """Run attacks on the released texts, and on the originals for comparison."""
    trainings = [training(name, resources) for name in names]
    released = Documents(
        sample.originals, sample.released, sample.classes, sample.is_known
    )
    untouched = Documents(
        sample.originals, sample.originals, sample.classes, sample.is_known
    )
    results = []
    for made in trainings:
        if with_original:
            progress(f"{made.name} on originals")
            scores = attack(made, untouched, Knowledge.STATIC, rng)
            results.append(
                AttackResult(made.name, "original", Knowledge.STATIC, scores)
            )
        for known in knowledge:
            progress(f"{made.name}, {known.value}")
            scores = attack(made, released, known, rng)
            results.append(AttackResult(made.name, "released", known, scores))
    return results


def experiment_rng(seed: int | None) -> Rng:
    """Return the generator of an experiment; attacks may be reproducible."""
    return np.random.default_rng(seed)
