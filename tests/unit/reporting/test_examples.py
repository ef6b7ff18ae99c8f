import numpy as np
import pytest

from publius.core.config import WordSettings
from publius.materials.words.assemble import plan, resolved
from publius.reporting.examples import BEST, SHOWN, WordExamples, tell


def told(**settings: object) -> WordExamples:
    planned = plan(resolved(WordSettings(**{"vocabulary": 300, **settings})))  # type: ignore[arg-type]
    return tell(planned.channel, planned.embedding.vocabulary.words)


def test_exact_examples_follow_the_channel() -> None:
    planned = plan(resolved(WordSettings(vocabulary=300)))
    words = planned.embedding.vocabulary.words
    found = tell(planned.channel, words).examples["john"]
    row = np.exp(planned.channel.channel(np.array([words.index("john")]))[0])  # type: ignore[attr-defined]
    assert [item.share for item in found] == sorted(row, reverse=True)[:BEST]
    assert words.index(found[0].word) == int(np.argmax(row))
    assert told().is_exact


@pytest.mark.slow
def test_drawn_examples_are_the_same() -> None:
    one, other = (told(mechanism="laplace", vocabulary=30) for _ in range(2))
    assert not one.is_exact
    assert one.examples == other.examples


@pytest.mark.parametrize("vocabulary", [1, 5, 300])
def test_words_are_shown_whatever_the_vocabulary_holds(vocabulary: int) -> None:
    shown = told(vocabulary=vocabulary).examples
    assert 1 <= len(shown) <= len(SHOWN)
    assert all(found for found in shown.values())
