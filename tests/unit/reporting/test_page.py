import math
from dataclasses import replace

import pytest

from publius.core.config import WordSettings
from publius.core.estimate import Estimate
from publius.core.guarantee import Scope
from publius.core.stating import state_odds
from publius.materials.words.assemble import plan, resolved
from publius.reporting.examples import tell
from publius.reporting.measured import Measured, Measurement
from publius.reporting.rendering import Example, Private, held, number
from publius.reporting.summary import Exposure, Summary
from publius.reporting.words import WordFacts, render_page


def summary(**settings: object) -> Summary[WordFacts]:
    chosen = resolved(WordSettings(vocabulary=60, **settings))  # type: ignore[arg-type]
    planned = plan(chosen)
    facts = WordFacts(
        settings=chosen,
        mechanism=planned.mechanism,
        embedding=planned.embedding.name,
        fingerprint=planned.embedding.fingerprint,
        guarantee=planned.guarantee,
        exposure=Exposure(1234, 99, 7, 30),
    )
    return Summary(facts, is_secure=True, files={"data.parquet": "ab" * 32})


def with_facts(told: Summary[WordFacts], **facts: object) -> Summary[WordFacts]:
    return replace(told, facts=replace(told.facts, **facts))  # type: ignore[arg-type]


def page(told: Summary[WordFacts], private: Private | None = None) -> str:
    planned = plan(told.facts.settings)
    shown = tell(planned.channel, planned.embedding.vocabulary.words)
    return render_page(told, shown, private)


def test_the_page_says_what_is_and_is_not_protected() -> None:
    told = summary()
    written = page(told)
    for line in (*told.guarantee.scope.covered, "All other columns were dropped"):
        assert line in written
    assert "Stop words" in written
    assert "1,234" in written
    assert "ab" * 32 in written
    assert "--metric hop:k=10:cap=4 --embedding glove-50k --vocabulary 60" in written


def test_options_and_shares_stay_whole_and_nothing_is_markup() -> None:
    told = held("<b> 74 % with --as tf")
    assert '&lt;b&gt; <span class="held">74 %</span>' in told
    assert '<span class="held">--as</span> tf' in told


def test_a_page_about_whole_texts() -> None:
    written = page(summary(form="bag", length=5))
    assert "Between two tables that differ in one text and in nothing" in written
    assert "any lengths" not in written


def test_a_retold_page_says_who_wrote() -> None:
    said = "The language model writes from released words"
    assert said not in page(summary())
    written = page(with_facts(summary(), retelling={"invented": True}))
    assert said in written
    assert "text that a language model wrote" in written


def test_the_same_facts_give_the_same_bytes() -> None:
    assert page(summary()) == page(summary())


def test_everything_from_outside_is_escaped() -> None:
    bad = "<script>alert(1)</script>"
    told = summary()
    scoped = told.guarantee.covering(Scope(uncovered=(bad,)))
    written = page(with_facts(told, guarantee=scoped), Private((Example(bad, bad),)))
    assert bad not in written
    assert "&lt;script&gt;" in written


def test_warnings() -> None:
    told = summary()
    assert "This protects little" not in page(told)
    assert "This protects little; choose a smaller epsilon" in page(
        summary(epsilon=9.0)
    )
    assert "Do not publish" not in page(told)
    assert "INSECURE" in page(replace(told, is_secure=False))
    assert ">--show-examples</span> was given" in page(
        told, Private((Example("a", "b"),))
    )


def test_what_was_measured_is_shown_and_marked_private() -> None:
    share = Estimate.share(30, 40)
    found = Measured(80, (Measurement("author recognised", share, share, 0.5),), ("x",))
    written = page(summary(), Private(measured=found))
    assert "author recognised" in written
    assert "0.75 (" in written
    assert ">--evaluate</span> was given" in written


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (None, "–"),
        (math.nan, "–"),
        (math.inf, "no bound"),
        (0.12345, "0.123"),
        (1e6, "1,000,000"),
    ],
)
def test_number(value: float | None, shown: str) -> None:
    assert number(value) == shown


@pytest.mark.parametrize(
    ("level", "shown"),
    [
        (0.0, "1"),
        (math.nan, "–"),
        (math.inf, "no bound"),
        (40.0, "e^40 (beyond any use)"),
    ],
)
def test_odds(level: float, shown: str) -> None:
    assert state_odds(level) == shown
