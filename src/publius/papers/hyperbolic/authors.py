"""Table III: does Koppel's attack still find the authors of e-mails and novels?"""

import numpy as np

from publius.assessment.attacks import Documents, Knowledge, Koppel, attack
from publius.core.arrays import BoolArray, IdArray
from publius.core.rng import seeded
from publius.embeddings.embedding import Embedding
from publius.papers.directional.result import Cell, Reproduction, Setting
from publius.papers.hyperbolic.replacing import PASSING, RELEASE, WAYS
from publius.papers.hyperbolic.sources import (
    UNSOUND,
    VECTORS_ARE,
    exponential,
    nouns,
    rows_of,
    spread_out,
)

PAN11 = "authorship/pan11_enron_small.jsonl.gz"
NOVELS = "authorship/british_fiction.jsonl.gz"
PUBLISHED: dict[str, dict[float | None, int]] = {
    "PAN11 small": {0.5: 36, 1.0: 35, 2.0: 40, 8.0: 65, None: 147},
    "novels": {0.5: 5, 1.0: 5, 2.0: 5, 8.0: 5, None: 12},
}
"""Correct predictions by ε; None is the original. Novels: PAN12 set I, of 14."""

TRAIN, TEST = 1000, 150
"""Mails at reduced effort."""

NOVEL_WORDS, QUICK_NOVEL_WORDS = 15_000, 3_000
"""Words of a novel that are read at most."""


Sample = tuple[list[str], IdArray, BoolArray]
"""Texts, authors, and which texts the attacker knows the author of."""


def author_predictions(setting: Setting) -> Reproduction:
    """Count the authors that Koppel's attack finds in e-mails, as in table III."""
    samples = {"PAN11 small": _mails(setting), "novels": _novels(setting)}
    source = nouns(setting).embedding
    rows: list[tuple[Cell, ...]] = []
    for name, sample in samples.items():
        rows += _set_rows(name, sample, source, setting)
    mails = samples["PAN11 small"]
    targets = int((~mails[2]).sum())
    return Reproduction(
        "feyisetan-table3",
        f"Authors that Koppel's attack finds in {targets} e-mails of PAN11 small, and "
        "in novels",
        ("set", "words replaced", "attacker", "ε", "correct", "of", "accuracy", "low",
         "high", "published correct"),
        tuple(rows),
        remarks=(
            VECTORS_ARE, UNSOUND,
            f"PAN11 small: closed set, {targets} test mails of {mails[1].max() + 1} "
            "candidates; guessing the most frequent author is right in "
            f"{_majority(mails[1], mails[2]):.1%}. The paper does not say how many "
            "mails it attacks.",
            f"Novels: passages of a novel by each of {samples['novels'][1].max() + 1} "
            "British authors, joined, against their other novels. They stand in for "
            "set I of PAN12 (14 authors of novels of 40,000 to 170,000 words); texts "
            f"are cut to {NOVEL_WORDS:,} words here. PAN11 large and the other sets of "
            "PAN12 are not to be had.",
            "static: the attacker knows originals. adaptive: the attacker sends the "
            "known texts through the same mechanism first; the paper does not say "
            "which it used.",
            f"'{RELEASE}' is a release with its certified guarantee; '{PASSING}' "
            "leaves verbs, adjectives and unknown words as they were and guarantees "
            "nothing about them.",
        ),
    )  # fmt: skip


def _set_rows(
    name: str, sample: Sample, source: Embedding, setting: Setting
) -> list[tuple[Cell, ...]]:
    originals, authors, is_known = sample
    published = PUBLISHED[name]
    of = int((~is_known).sum())
    first = _accuracy(
        originals, originals, authors, is_known, Knowledge.STATIC, setting
    )
    rows: list[tuple[Cell, ...]] = [
        (name, "original", "", None, first[0], of, *first[1:], published[None])
    ]
    for way, replacing in WAYS.items():
        for epsilon in (0.5, 1.0, 2.0, 8.0):
            replace = replacing(source, exponential(source, epsilon))
            released = replace(originals, seeded(setting.seed))
            for knowledge in Knowledge:
                hits, *share = _accuracy(
                    originals, released, authors, is_known, knowledge, setting
                )
                rows.append(
                    (name, way, knowledge.value, epsilon, hits, of, *share,
                     published[epsilon])
                )  # fmt: skip
    return rows


def _novels(setting: Setting) -> Sample:
    """Return passages of British novels, joined for each author and side."""
    parts: dict[tuple[str, str], list[str]] = {}
    for row in rows_of(setting, NOVELS):
        parts.setdefault((row["author"], row["split"]), []).append(row["text"])
    names = sorted({a for a, side in parts if side == "train" and (a, "test") in parts})
    most = NOVEL_WORDS if setting.effort >= 1 else QUICK_NOVEL_WORDS

    def joined(name: str, side: str) -> str:
        return " ".join(" ".join(parts[name, side]).split()[:most])

    texts = [joined(name, side) for side in ("train", "test") for name in names]
    authors = np.tile(np.arange(len(names)), 2)
    return texts, authors, np.arange(2 * len(names)) < len(names)


def _mails(setting: Setting) -> Sample:
    """Return texts, authors and which mails the attacker knows the author of."""
    mails = [row for row in rows_of(setting, PAN11) if row["in_candidate_set"]]
    sides = {
        "train": [row for row in mails if row["split"] == "train"],
        "test": [row for row in mails if row["split"] == "test"],
    }
    if setting.effort < 1:
        for side, most in (("train", TRAIN), ("test", TEST)):
            rows = sides[side]
            sides[side] = [rows[i] for i in spread_out(len(rows), most)]
    names = {row["author"] for row in sides["train"]}
    sides["test"] = [row for row in sides["test"] if row["author"] in names]
    index = {name: place for place, name in enumerate(sorted(names))}
    both = sides["train"] + sides["test"]
    is_known = np.arange(len(both)) < len(sides["train"])
    authors = np.array([index[row["author"]] for row in both])
    return [row["text"] for row in both], authors, is_known


def _accuracy(
    originals: list[str],
    released: list[str],
    authors: IdArray,
    is_known: BoolArray,
    knowledge: Knowledge,
    setting: Setting,
) -> tuple[int, float, float, float]:
    documents = Documents(originals, released, authors, is_known)
    accuracy = attack(Koppel(), documents, knowledge, seeded(setting.seed)).accuracy
    return (
        round(accuracy.value * accuracy.n),
        accuracy.value,
        accuracy.low,
        accuracy.high,
    )


def _majority(authors: IdArray, is_known: BoolArray) -> float:
    targets = authors[~is_known]
    return float(np.bincount(targets).max() / len(targets))
