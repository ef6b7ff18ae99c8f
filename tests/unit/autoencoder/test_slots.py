"""Texts of a fixed number of sentences do not tell how many they had."""

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import log_ndtr
from scipy.stats import chi2, kstest

from publius.accounting.gaussian import guarantee_epsilon
from publius.autoencoder import Decoding, SentenceVAE
from publius.autoencoder import sentence_vae as front
from publius.autoencoder.architecture import KINDS
from publius.autoencoder.network import build
from publius.autoencoder.slots import sentences_of, slots
from publius.core.arrays import FloatArray, Rng
from publius.core.errors import DataError, ParameterError
from publius.core.guarantee import Guarantee, Unit
from publius.core.rng import seeded
from publius.language.length import MOST_CHARACTERS
from publius.mechanisms.gaussian import Gaussian

ALPHA = 1e-9
TEXTS = [
    "the movie was good. my dog is bad! the film is long.",
    "",
    "this film was great.",
    "the president was a very long and very strange and terrible actor of the movie",
]
STRATEGIES = ("greedy", "beam", "top-k", "nucleus")
Perturb = Callable[[Gaussian, FloatArray, Rng], FloatArray]


def spied(
    monkeypatch: pytest.MonkeyPatch, change: Perturb = Gaussian.perturb
) -> list[FloatArray]:
    """Note what goes into the mechanism; `change` may stand in its place."""
    seen: list[FloatArray] = []

    def perturb(self: Gaussian, x: FloatArray, rng: Rng) -> FloatArray:
        seen.append(np.array(x))
        return change(self, x, rng)

    monkeypatch.setattr(Gaussian, "perturb", perturb)
    return seen


def test_first_sentences_get_slots_and_the_rest_is_dropped(tiny: SentenceVAE) -> None:
    found = slots(TEXTS, tiny.subwords, 12, 2)
    assert found.owners.tolist() == [0, 0, 1, 1, 2, 2, 3, 3]
    assert found.places.tolist() == [0, 1, 4, 6, 7]  # the last text is a long sentence
    every = slots(TEXTS, tiny.subwords, 12, None)
    assert every.places.tolist() == list(range(len(every)))
    assert found.counts(4).tolist() == [2, 2, 2, 2]
    assert "[" not in repr(found)  # how many there were is a secret
    first, second = every.tokens.rows(np.array([0, 1]))[0]
    again = found.tokens.rows(np.array([0, 1]))[0]
    assert np.array_equal(again, np.stack([first, second]))


@given(
    counts=st.lists(st.integers(0, 5), max_size=6),
    asked=st.integers(1, 4),
)
def test_every_text_has_the_same_number_of_slots(
    tiny: SentenceVAE, counts: list[int], asked: int
) -> None:
    found = slots(["it was good. " * n for n in counts], tiny.subwords, 12, asked)
    assert found.owners.tolist() == [
        t for t in range(len(counts)) for _ in range(asked)
    ]
    assert len(found.tokens) == len(found.places)
    filled = [p // asked for p in found.places.tolist()]
    assert [filled.count(t) for t in range(len(counts))] == [
        min(n, asked) for n in counts
    ]
    assert all(p % asked < counts[p // asked] for p in found.places.tolist())


def test_a_slot_without_a_sentence_is_zero_in_the_mechanism(
    tiny: SentenceVAE, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = spied(monkeypatch)
    tiny.rewrite(TEXTS, seeded(0), sigma=0.5)
    tiny.rewrite(TEXTS, seeded(0), sigma=0.5, sentences=4)
    own, fixed = seen
    is_there = np.zeros(16, dtype=bool)
    is_there[slots(TEXTS, tiny.subwords, 12, 4).places] = True
    assert fixed.shape == (16, tiny.shape.latent)
    assert not fixed[~is_there].any()
    assert fixed[is_there] == pytest.approx(own, abs=1e-5)
    assert np.abs(own).max(axis=1).min() > 1e-3


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_nothing_but_noisy_vectors_reaches_the_output(
    tiny: SentenceVAE, monkeypatch: pytest.MonkeyPatch, strategy: str
) -> None:
    """With a mechanism that ignores its input, all texts leave as the same bytes."""
    others = ["", "it was. " * 9, "my dog is strange. so long!", " \n "]

    def written(texts: list[str]) -> tuple[list[str], object]:
        rng = seeded(3)
        out = tiny.rewrite(
            texts, rng, sigma=0.5, decoding=Decoding(strategy), sentences=3
        )
        assert out.sentences.tolist() == [3] * 4
        return out.texts, rng.bit_generator.random_raw()

    assert written(TEXTS)[0] != written(others)[0]
    assert written(TEXTS)[1] == written(others)[1]  # as many draws
    perturb = Gaussian.perturb
    spied(monkeypatch, lambda self, x, rng: perturb(self, np.zeros_like(x), rng))
    assert written(TEXTS) == written(others)


def test_a_number_of_sentences_that_is_kept_reaches_the_output(
    tiny: SentenceVAE, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The canary above sings: without a fixed number the same texts differ."""
    perturb = Gaussian.perturb
    spied(monkeypatch, lambda self, x, rng: perturb(self, np.zeros_like(x), rng))
    few, many = (
        tiny.rewrite([text], seeded(3), sigma=0.5).texts
        for text in ("it ended.", "it ended. " * 3)
    )
    assert few != many


@pytest.mark.parametrize("asked", [None, 3])
@pytest.mark.parametrize("strategy", STRATEGIES)
def test_the_same_stream_gives_the_same_texts_for_any_batch(
    tiny: SentenceVAE, strategy: str, asked: int | None
) -> None:
    def written(batch: int, seed: int = 5) -> list[str]:
        model, how = replace(tiny, batch=batch), Decoding(strategy)
        return model.rewrite(
            TEXTS * 5, seeded(seed), sigma=0.5, decoding=how, sentences=asked
        ).texts

    assert written(256) == written(7) == written(1)
    assert written(256) != written(256, seed=6)


@pytest.mark.statistical
@pytest.mark.parametrize("sigma", [0.1, 2.0])
def test_a_filled_slot_is_decoded_from_noise_around_zero(
    tiny: SentenceVAE, monkeypatch: pytest.MonkeyPatch, sigma: float, seed: int
) -> None:
    seen: list[FloatArray] = []

    def decoded(_: object, condition: object, *__: object) -> list[list[int]]:
        seen.append(condition.double().numpy())  # type: ignore[attr-defined]
        return [[]] * len(condition)  # type: ignore[arg-type]

    monkeypatch.setattr(front, "decode", decoded)
    texts = ["the movie was good."] * 25_000
    tiny.rewrite(texts, seeded(seed), sigma=sigma, sentences=2)
    dim = tiny.shape.latent
    spread = math.sqrt(tiny.shape.bound**2 / dim + sigma**2)
    square = ((np.concatenate(seen)[:, :dim] * spread) ** 2).sum(axis=1)
    there, filled = square[0::2], square[1::2]
    law = chi2(dim, scale=sigma**2).cdf
    assert kstest(filled, law).pvalue > ALPHA
    assert kstest(filled, chi2(dim, scale=(0.95 * sigma) ** 2).cdf).pvalue < ALPHA
    assert kstest(there, law).pvalue < ALPHA  # a sentence lies elsewhere


def _delta(epsilon: float, mu: float) -> float:
    """Write the δ of Balle and Wang 2018, Theorem 8, as it stands there."""
    first, second = log_ndtr([mu / 2 - epsilon / mu, -mu / 2 - epsilon / mu])
    return math.exp(first) - math.exp(epsilon + second)


@pytest.mark.parametrize("count", [1, 2, 7, 50])
@pytest.mark.parametrize("texts", [1, 9])
def test_the_guarantee_about_a_text_is_exact(
    tiny: SentenceVAE, count: int, texts: int
) -> None:
    guarantee = tiny.guarantee(20.0, count)
    assert guarantee.unit is Unit.DOCUMENT
    epsilon = guarantee_epsilon(guarantee, 1e-6, changed=texts)
    mu = 2 * 3.0 * math.sqrt(count * texts) / 20.0
    assert _delta(epsilon, mu) == pytest.approx(1e-6, rel=1e-4)
    assert _delta(epsilon, mu) <= 1e-6
    single = guarantee_epsilon(tiny.guarantee(20.0), 1e-6, changed=count * texts)
    assert epsilon == pytest.approx(single, rel=1e-11)
    assert Guarantee.from_json(guarantee.to_json()) == guarantee


def test_scopes_say_whether_the_number_of_sentences_is_covered(
    tiny: SentenceVAE,
) -> None:
    own, fixed = tiny.guarantee(1.0).scope, tiny.guarantee(1.0, 4).scope
    assert any("How many sentences" in line for line in own.uncovered)
    assert not any("How many sentences" in line for line in fixed.uncovered)
    covered = " ".join(fixed.covered)
    assert "How many sentences" in covered
    assert "4 noisy vectors" in covered
    assert any("trained" in line for line in fixed.uncovered)
    assert (
        tiny.rewrite(TEXTS, seeded(0), sigma=1.0, sentences=4).guarantee.scope == fixed
    )


@pytest.mark.parametrize("kind", sorted(set(KINDS) - {"dp-vae"}))
def test_other_kinds_cut_and_fill_and_guarantee_nothing(
    tiny: SentenceVAE, kind: str
) -> None:
    shape = replace(tiny.shape, kind=kind, authors=2)
    model = replace(tiny, network=build(shape, seed=0))
    out = model.rewrite(TEXTS, seeded(0), sigma=1.0, sentences=2)
    assert out.sentences.tolist() == [2] * 4
    assert out.guarantee.worst_loss == math.inf
    assert out.guarantee.scope.covered == ()
    void = model.rewrite(["", ""], seeded(0), sigma=1.0, sentences=1)
    assert len(void.texts) == 2


@pytest.mark.parametrize("bad", [0, -1, 1.5, math.nan, math.inf])
def test_the_number_of_sentences_must_be_positive(
    tiny: SentenceVAE, bad: float
) -> None:
    with pytest.raises(ParameterError, match="sentences must be a whole number >= 1"):
        tiny.rewrite(TEXTS, seeded(0), sigma=1.0, sentences=bad)  # type: ignore[arg-type]


def test_halves_of_characters_are_refused_without_quoting_them(
    tiny: SentenceVAE,
) -> None:
    with pytest.raises(DataError, match=r"^text 1 holds half of a surrogate pair"):
        tiny.rewrite(["good", "secret \ud800"], seeded(0), sigma=1.0)


def test_a_text_that_would_fill_the_memory_is_refused() -> None:
    with pytest.raises(DataError, match="cut it into several rows"):
        sentences_of(["x" * (MOST_CHARACTERS + 1)])
