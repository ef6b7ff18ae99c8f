"""Public frequencies: a probability over words, whatever their source."""

import sys
from types import SimpleNamespace

import numpy as np
import pytest

from publius.core.errors import DataError, ParameterError, UnknownNameError
from publius.language.frequency import inverse_frequency, public_prior

WORDS = ("the", "of", "aardvark")


@pytest.mark.parametrize("source", ["zipf", "uniform"])
def test_a_prior_is_a_probability(source: str) -> None:
    prior = public_prior(WORDS, source)
    assert prior.sum() == pytest.approx(1.0)
    assert (prior > 0).all()


def test_zipf_falls_with_rank() -> None:
    prior = public_prior(WORDS)
    assert prior[0] / prior[2] == pytest.approx((3 + 2.7) / (1 + 2.7))


def test_wordfreq_gives_unknown_words_the_rarest_frequency(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    table = {"the": 0.05, "of": 0.02}
    fake = SimpleNamespace(word_frequency=lambda word, _: table.get(word, 0.0))
    monkeypatch.setitem(sys.modules, "wordfreq", fake)
    prior = public_prior(WORDS, "wordfreq")
    np.testing.assert_allclose(prior, np.array([5, 2, 2]) / 9)


def test_wordfreq_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "wordfreq", None)
    with pytest.raises(ParameterError, match="pip install wordfreq"):
        public_prior(WORDS, "wordfreq")


def test_bad_asks_are_refused() -> None:
    with pytest.raises(UnknownNameError, match="zipff"):
        public_prior(WORDS, "zipff")
    with pytest.raises(DataError, match="one word"):
        public_prior(())


def test_frequent_words_weigh_less() -> None:
    weight = inverse_frequency(np.array([0.5, 0.25, 0.25]))
    np.testing.assert_allclose(weight, [0.5, 1.0, 1.0])
    assert inverse_frequency(np.array([1.0]))[0] == 1.0
