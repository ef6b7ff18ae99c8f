"""Laws of the rivals: exact on small ones, their guarantees, and where claims fail."""

import itertools

import numpy as np
import pytest
from scipy.stats import chisquare

from publius.assessment.rivals.clipped import (
    ClippedScores,
    prompted,
    replaced_in_context,
)
from publius.assessment.rivals.prior import PriorExponential
from publius.assessment.rivals.rank_list import RankLists, walked
from publius.core.arrays import FloatArray, Rng

ALPHA = 1e-9
LINE = np.abs(np.subtract.outer(np.arange(6.0), np.arange(6.0)))


def published_epsilon(law: ClippedScores) -> float:
    """Return the figure of the papers for one draw."""
    return 2 * law.width / law.temperature


def largest_loss(log_law: FloatArray) -> float:
    """Return the largest log-ratio of two rows at any output."""
    seen = log_law[:, np.isfinite(log_law).any(axis=0)]
    return float((seen.max(axis=0) - seen.min(axis=0)).max())


def test_worst_rows_reach_the_exact_loss_of_clipped_scores() -> None:
    law, outputs = ClippedScores(width=3.0, temperature=1.5), 5
    high, low = np.full(outputs, -9.0), np.full(outputs, 4.0)
    high[2], low[2] = 7.0, -30.0
    found = law.log_law(np.stack([high, low]))
    assert found[0, 2] - found[1, 2] == pytest.approx(law.loss(outputs))
    assert law.loss(outputs) < published_epsilon(law)


def test_no_scores_lose_more_than_the_exact_loss(seed: int) -> None:
    rng, law = np.random.default_rng(seed), ClippedScores(2.0, 0.7)
    rows = law.log_law(rng.normal(0, 5, (400, 4)))
    assert largest_loss(rows) <= law.loss(4) + 1e-12
    assert largest_loss(rows) > 0.8 * law.loss(4)


@pytest.mark.parametrize("loss", [0.5, 4.5, 20.0, 40.0])
def test_temperature_is_found_for_a_loss(loss: float) -> None:
    law = ClippedScores.of_loss(loss, 49_152, width=20.0)
    assert law.loss(49_152) == pytest.approx(loss, rel=1e-6)
    assert law.loss(49_152) <= loss


def test_clipped_draws_follow_the_law(seed: int) -> None:
    law, rng = ClippedScores(2.0, 1.0), np.random.default_rng(seed)
    scores = np.array([0.0, -0.5, -1.0, -9.0])
    drawn = law.draw(np.tile(scores, (60_000, 1)), rng)
    count = np.bincount(drawn, minlength=4)
    right = np.exp(law.log_law(scores)) * len(drawn)
    unclipped = np.exp(ClippedScores(9.0, 1.0).log_law(scores)) * len(drawn)
    assert chisquare(count, right).pvalue > ALPHA
    assert chisquare(count, unclipped).pvalue < ALPHA


def test_prompting_costs_every_piece() -> None:
    law = ClippedScores(20.0, 1.0)
    found = prompted(law, 49_152, 64)
    assert found.worst_loss == pytest.approx(64 * law.loss(49_152))


def _in_context(text: tuple[int, ...], law: ClippedScores) -> FloatArray:
    """Return log P of all outputs of a rewriter whose places see the whole text.

    Its scores prefer, at every place, the first word of the text.
    """
    words = 3
    scores = np.zeros(words)
    scores[text[0]] = 5.0
    row = law.log_law(scores)
    outputs = itertools.product(range(words), repeat=len(text))
    return np.array([sum(row[word] for word in output) for output in outputs])


def test_epsilon_per_token_does_not_bound_one_words_effect_in_context() -> None:
    law, text, other = ClippedScores(2.0, 1.0), (0, 2, 2, 2), (1, 2, 2, 2)
    rows = np.stack([_in_context(text, law), _in_context(other, law)])
    assert np.exp(rows).sum(axis=1) == pytest.approx(1.0)
    # One word was changed; the claim per token, even at its loosest, is exceeded.
    assert largest_loss(rows) > published_epsilon(law)
    assert largest_loss(rows) > 4 * 0.9 * (2.0 / 1.0)
    # What is guaranteed here for all draws together holds.
    assert largest_loss(rows) <= replaced_in_context(law, 3, 4).worst_loss


def closest_of_many(channel: FloatArray, candidates: int) -> FloatArray:
    """Return the exact log-law of the nearest to the secret of some candidates."""
    order = np.argsort(LINE, axis=1, kind="stable")
    share = np.take_along_axis(np.exp(channel), order, axis=1)
    # The best candidate stands at this place or later: all candidates do.
    tail = np.minimum(np.cumsum(share[:, ::-1], axis=1)[:, ::-1], 1.0)
    reached = tail**candidates
    mass = reached - np.hstack([reached[:, 1:], np.zeros((len(share), 1))])
    law = np.empty_like(mass)
    np.put_along_axis(law, order, mass, axis=1)
    with np.errstate(divide="ignore"):
        return np.log(law)


def drawn_closest(
    channel: FloatArray, secret: int, candidates: int, rng: Rng
) -> np.intp:
    """Draw candidates for a secret and return the nearest one."""
    noise = rng.gumbel(size=(candidates, channel.shape[1]))
    drawn = np.argmax(channel[secret] + noise, axis=1)
    away = LINE[secret, drawn]
    return drawn[away == away.min()].min()


def test_choosing_by_the_original_breaks_the_certificate() -> None:
    rows = -1.0 * LINE
    channel = rows - np.logaddexp.reduce(rows, axis=1, keepdims=True)
    laws = {count: closest_of_many(channel, count) for count in (1, 2, 4, 32)}
    losses = [largest_loss(law) for law in laws.values()]
    assert losses[0] == pytest.approx(largest_loss(channel))
    assert losses == sorted(losses)
    assert losses[2] > 2 * losses[0]
    assert np.exp(np.diag(laws[32])).min() > 0.99


def test_released_candidates_follow_the_exact_law(seed: int) -> None:
    rows = -0.5 * LINE
    channel = rows - np.logaddexp.reduce(rows, axis=1, keepdims=True)
    rng = np.random.default_rng(seed)
    drawn = [drawn_closest(channel, 2, 3, rng) for _ in range(20_000)]
    count, law = np.bincount(drawn, minlength=6), closest_of_many(channel, 3)
    assert chisquare(count, 20_000 * np.exp(law[2])).pvalue > ALPHA
    assert chisquare(count, 20_000 * np.exp(channel[2])).pvalue < ALPHA


def _lists(epsilon: float = 0.4) -> RankLists:
    return RankLists(np.array([[0, 1, 2, 3, 4, 5], [3, 0, 5, 1, 4, 2]]), epsilon)


def test_rank_lists_keep_epsilon_per_place_and_reach_it() -> None:
    lists, every = _lists(), np.arange(6)
    rows = lists.channel(every)
    assert np.exp(rows).sum(axis=1) == pytest.approx(1.0)
    for a, b in itertools.combinations(range(6), 2):
        loss = float(np.abs(rows[a] - rows[b]).max())
        assert loss <= lists.epsilon * lists.distance([a], [b])[0] + 1e-12
    alone = RankLists(lists.orders[:1], 0.4)
    assert largest_loss(alone.channel(every)) == pytest.approx(
        alone.guarantee().worst_loss
    )


def test_rank_lists_draw_by_their_law(seed: int) -> None:
    lists, rng = _lists(), np.random.default_rng(seed)
    count = np.bincount(lists.perturb(np.full(50_000, 3), rng), minlength=6)
    right = 50_000 * np.exp(lists.channel([3])[0])
    wrong = 50_000 * np.exp(_lists(0.5).channel([3])[0])
    assert chisquare(count, right).pvalue > ALPHA
    assert chisquare(count, wrong).pvalue < ALPHA


def test_like_words_may_stand_far_apart_in_a_walk() -> None:
    angle = np.array([0.0, 0.2, 0.4, 0.6, -0.25])
    order = walked(np.column_stack([np.cos(angle), np.sin(angle)]), 0)
    assert order.tolist() == [0, 1, 2, 3, 4]
    lists = RankLists(order[None, :], 1.0)
    assert lists.distance([0], [4])[0] == 4.0


def _priors(count: int, seed: int) -> FloatArray:
    return np.random.default_rng(seed).normal(0, 4, (count, 6))


@pytest.mark.parametrize("width", [0.0, 1.0, 30.0])
def test_prior_stays_within_its_bound_at_every_place(width: float, seed: int) -> None:
    law = PriorExponential.balanced(LINE, 0.8, width)
    for prior in _priors(40, seed):
        rows = law.log_law(np.tile(prior, (7, 1)), np.arange(7))
        claim = law.certify(prior)
        for a, b in itertools.combinations(range(6), 2):
            loss = float(np.abs(rows[a] - rows[b]).max())
            assert loss <= law.bound(LINE[a, b]) + 1e-9
            assert loss <= claim.epsilon * LINE[a, b] + 1e-9
            assert loss <= 2 * law.rate * LINE[a, b] + 1e-9
        assert largest_loss(rows[:6]) == pytest.approx(claim.worst_loss)
        unknown = float(np.abs(rows[:6] - rows[6]).max())
        assert unknown == pytest.approx(claim.unknown_loss)
        assert unknown <= law.unknown_bound + 1e-9


def test_a_prior_that_reads_ahead_would_not() -> None:
    """The power arm: a prior that knows the secret breaks the bound."""
    law = PriorExponential.balanced(LINE, 0.8, 30.0)
    knows = 20.0 * np.eye(6)
    rows = law.log_law(knows, np.arange(6))
    assert largest_loss(rows) > law.bound(law.cap)


def test_without_a_prior_the_balanced_law_loses_no_factor_two() -> None:
    law = PriorExponential.balanced(LINE, 0.8, 0.0)
    assert law.certify(np.zeros(6)).epsilon == pytest.approx(0.8, rel=1e-3)
    assert law.spread < 1e-3


def test_exact_balancing_forgets_any_prior(seed: int) -> None:
    """Weights that flatten the normaliser are the same whatever they start from."""
    kernel = np.exp(-0.8 * LINE)
    flat = np.linalg.solve(kernel, np.ones(6))
    for prior in np.exp(_priors(5, seed)):
        weights = prior.copy()
        for _ in range(4000):
            weights = weights / (kernel @ weights) ** 0.9
        assert kernel @ weights == pytest.approx(np.ones(6), rel=1e-3)
        assert weights == pytest.approx(flat, rel=2e-2)


def test_prior_draws_by_its_law(seed: int) -> None:
    law = PriorExponential.balanced(LINE, 0.8, 2.0)
    prior, rng = _priors(1, 3)[0], np.random.default_rng(seed)
    x = np.full(40_000, 1)
    count = np.bincount(law.draw(np.tile(prior, (len(x), 1)), x, rng), minlength=6)
    right = len(x) * np.exp(law.log_law(prior[None], x[:1])[0])
    wrong = len(x) * np.exp(law.log_law(np.zeros((1, 6)), x[:1])[0])
    assert chisquare(count, right).pvalue > ALPHA
    assert chisquare(count, wrong).pvalue < ALPHA
