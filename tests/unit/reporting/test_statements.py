import math
from dataclasses import replace
from typing import Any

import pytest

from publius.core.config import WordSettings
from publius.core.guarantee import (
    Flat,
    Gaussian,
    Guarantee,
    Landmarks,
    Linear,
    Unit,
)
from publius.materials.words.assemble import plan, resolved
from publius.reporting.directional import Accuracy, RecordFacts, warnings
from publius.reporting.sentences import SentenceFacts, sentence_warnings
from publius.reporting.statements import (
    say,
    sum_warnings,
    word_statements,
    word_warnings,
)
from publius.reporting.summary import Exposure, Summary
from publius.reporting.words import WordFacts

WORD = Guarantee(
    "hop@ff", Unit.TOKEN, (Linear(4.0, 13.134),), landmarks=Landmarks(1, 4, 9.1, 1)
)
RECORD = Guarantee("circular", Unit.RECORD, (Linear(1.0),), landmarks=Landmarks())


def test_what_is_said_of_words_by_default() -> None:
    said = word_statements(WORD, WordSettings())
    assert said[0].startswith("Between two texts that differ in one protected word,")
    assert "whatever is known of the rest" in said[0]
    assert said[0].endswith("(e^13.2).")
    assert "by at most a factor of 54.6 (e^4)" in said[1]
    assert (
        "words of the vocabulary at most 13.2 for k = 1, 26.3 for k = 2, 65.7"
        in said[3]
    )
    assert not any("whatever they know and compute" in line for line in said)


@pytest.mark.parametrize("name", ["custext", "santext-plus"])
def test_advice_that_can_help(name: str) -> None:
    chosen = resolved(WordSettings(mechanism=name, vocabulary=60))
    for form, length in (("text", 0), ("bag", 5)):
        settings = replace(chosen, form=form, length=length)
        (warning,) = word_warnings(plan(settings).guarantee, name)
        assert "no epsilon changes that" in warning
        assert "smaller" not in warning
    assert word_warnings(WORD, "exponential.v1") == []
    loose = replace(WORD, terms=(Linear(9.0),))
    assert "choose a smaller epsilon" in word_warnings(loose, "exponential.v1")[0]
    text = replace(WORD, unit=Unit.DOCUMENT, terms=(Flat(90.0),))
    assert "A whole text loses 90" in word_warnings(text, "syntf.v1")[0]


def test_large_sums_are_a_warning() -> None:
    assert sum_warnings(WORD, 3.0, None) == []
    assert "whole texts" in sum_warnings(WORD, 320.0, None)[0]
    (author,) = sum_warnings(WORD, 320.0, 4000.0)
    assert "loses 4,000 in all" in author
    assert "about one word" in author
    assert sum_warnings(WORD, math.inf, math.inf) == []
    text = replace(WORD, unit=Unit.DOCUMENT)
    assert sum_warnings(text, 90.0, None) == []  # warning.text says it
    assert "about one text" in sum_warnings(text, 90.0, 180.0)[0]


def directional(guarantee: Guarantee, level: float = 1.0) -> RecordFacts:
    return RecordFacts(
        kind="times",
        mechanism="some.v1",
        settings={},
        level=level,
        within="at most 30 min apart",
        guarantee=guarantee,
        accuracy=Accuracy(1.0, 1.0, 1.0, "min"),
        exposure=Exposure(3, None, None, 20),
    )


def test_times_and_places() -> None:
    said = directional(RECORD).statements
    assert "differ in one time, the two times at most 30 min apart" in said[0]
    assert said[0].endswith("a factor of 2.72 (e^1).")
    assert said[1] == say("record.far_boundless", things="times")
    near = replace(RECORD, landmarks=Landmarks(diameter=24.0))
    assert directional(near).statements[1].endswith("(e^24).")
    baseline = directional(replace(RECORD, terms=(Flat(math.inf),)), 9.0)
    assert baseline.statements == [say("record.boundless", things="times")]
    assert warnings(baseline, shows_originals=False) == baseline.statements
    loud = " ".join(warnings(directional(RECORD, 9.0), shows_originals=False))
    assert "The level is 9" in loud
    assert "20 records and loses 180 in all" in loud


def rewritten(sentences: int | None, sigma: float = 1.0) -> SentenceFacts:
    unit = Unit.SENTENCE if sentences is None else Unit.DOCUMENT
    reach = 10.0 * math.sqrt(sentences or 1)
    return SentenceFacts(
        mechanism="dp-vae.v1",
        model="default",
        fingerprint="ff",
        settings={"sigma": sigma, "bound": 5.0, "sentences": sentences},
        delta=1e-6,
        guarantee=Guarantee(
            "latent@ff", unit, (Gaussian(sigma),), landmarks=Landmarks(diameter=reach)
        ),
        exposure=Exposure(9, 30, 4, 12),
    )


def test_rewritten_sentences() -> None:
    for summary in (rewritten(None), rewritten(8)):
        said = summary.statements
        whole = summary.sentences is not None
        exact = summary.text_epsilon if whole else summary.sentence_epsilon
        shown = float(said[0].split("ε = ")[1].split(",")[0].replace(",", ""))
        assert exact <= shown <= exact * 1.01
        assert ("in one text, of whatever number" in said[0]) is whole
        assert "whatever is known of the rest" in said[0]
        assert "A larger σ loses less" in sentence_warnings(summary)[-1]
    quiet = replace(rewritten(None, 30.0), model="own")
    assert sentence_warnings(quiet) == [say("warning.invented")]
    shipped = replace(quiet, model="default")
    assert sentence_warnings(shipped)[1:] == [say("warning.model")]
    alone = replace(rewritten(None), exposure=Exposure(9, 30, 4, None))
    assert not any("author" in line for line in alone.statements)


def test_a_seed_comes_first() -> None:
    words = WordFacts(
        settings=WordSettings(metric="hop"),
        mechanism="exponential.v1",
        embedding="x",
        fingerprint="ff",
        guarantee=WORD,
        exposure=Exposure(5, 40, 10, 25),
    )
    for facts in (words, rewritten(None), directional(RECORD)):
        summary: Summary[Any] = Summary(facts, is_secure=True, files={})
        assert say("insecure") not in summary.statements
        seeded = replace(summary, is_secure=False)
        assert seeded.statements[0] == say("insecure")
        assert seeded.to_json()["statements"] == seeded.statements
