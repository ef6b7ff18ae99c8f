import dataclasses

import numpy as np
import pytest
from scipy.stats import chisquare

from publius.core.arrays import UNKNOWN
from publius.core.config import WordSettings
from publius.core.errors import DataError, RefutedError
from publius.core.folded_space import FoldedSpace, Graph, TwoLengthSpace
from publius.core.guarantee import Guarantee
from publius.core.mechanism import Finite, Invertible, Pulling
from publius.core.rng import seeded
from publius.core.stating import state_bound
from publius.mechanisms.exponential import Exponential
from publius.mechanisms.folded_exponential import FoldedExponential
from publius.mechanisms.profile import DRAWS as PROFILE_DRAWS
from publius.mechanisms.profile import profile
from publius.reporting.statements import word_statements

SYMBOLS, WORDS = 12, 30
ALPHA = 1e-9
DRAWS = 300_000


def folded(epsilon: float = 2.0) -> FoldedExponential:
    """Return a small space: the last two symbols are classes of several words."""
    rng = np.random.default_rng(0)
    graphs = []
    for count in (14, 16):
        edges = rng.integers(0, SYMBOLS, (count, 2)).T
        graphs.append(Graph(edges[:, edges[0] != edges[1]], SYMBOLS))
    symbols = TwoLengthSpace(graphs[0], graphs[1], 4, "small")
    fold = np.concatenate([np.arange(10), [10] * 5, [11] * 5, rng.integers(0, 10, 10)])
    spoken = np.concatenate([np.arange(10), [10, 11, 12], [15, 16]])
    counts = np.array([1] * 10 + [3, 2])
    inner = Exponential.calibrated(symbols, epsilon)
    return FoldedExponential(
        inner, FoldedSpace(symbols, fold), spoken, counts, (1.5, 3)
    )


@pytest.fixture(scope="module")
def mechanism() -> FoldedExponential:
    return folded()


def test_abilities(mechanism: FoldedExponential) -> None:
    assert isinstance(mechanism, Finite | Pulling | Invertible)
    assert mechanism.name == "folded-exponential.v1"


def test_rows_are_probabilities_over_allowed_words(
    mechanism: FoldedExponential,
) -> None:
    prob = np.exp(mechanism.channel(np.append(np.arange(WORDS), UNKNOWN)))
    assert prob.sum(axis=1) == pytest.approx(1)
    written = np.zeros(WORDS, dtype=bool)
    written[mechanism.spoken] = True
    assert (prob[:, ~written] == 0).all()
    assert (prob[:, written] > 0).all()


def test_the_certificate_is_the_largest_loss_of_the_channel(
    mechanism: FoldedExponential,
) -> None:
    law = mechanism.channel(np.arange(WORDS))[:, mechanism.spoken]
    loss = np.abs(law[:, None] - law[None]).max(axis=2)
    distance = mechanism.space.rows(np.arange(WORDS))
    apart = distance > 0
    # The certificate bounds levels and totals apart, so that it may be a little above.
    exact = (loss[apart] / distance[apart]).max()
    assert exact <= mechanism.certificate.epsilon <= exact * 1.05
    assert loss.max() <= mechanism.certificate.worst_loss
    assert loss[~apart].max() == 0
    bottom = mechanism.channel(np.array([UNKNOWN]))[:, mechanism.spoken]
    assert np.abs(law - bottom).max() <= mechanism.certificate.unknown_loss


def test_both_near_figures_are_told(mechanism: FoldedExponential) -> None:
    guarantee = mechanism.guarantee()
    said = word_statements(guarantee, WordSettings(metric="like"))
    told = next(line for line in said if "nearest words by vector" in line)
    # Distances of 1.5 on average lose at most 1.5 ε on average: the bound is linear.
    assert guarantee.vector_level == pytest.approx(1.5 * mechanism.certificate.epsilon)
    assert f"loses {state_bound(guarantee.vector_level)} on average" in told
    assert Guarantee.from_json(guarantee.to_json()) == guarantee
    plain = word_statements(mechanism.inner.guarantee(), WordSettings())
    assert not [line for line in plain if "by vector" in line]


def test_all_words_that_explain_a_word_are_found(mechanism: FoldedExponential) -> None:
    ids = mechanism.spoken
    found = profile(mechanism, ids, WORDS, seeded(0))
    law = np.exp(mechanism.channel(np.arange(WORDS))[:, ids])
    assert found.asked == 0
    assert (
        found.explanations.tolist() == (law >= 1 / PROFILE_DRAWS).sum(axis=0).tolist()
    )


def test_half_the_noise_is_caught() -> None:
    planted = folded(4.0)
    law = planted.channel(np.arange(WORDS))[:, planted.spoken]
    loss = np.abs(law[:, None] - law[None]).max(axis=2)
    distance = planted.space.rows(np.arange(WORDS))
    assert (loss[distance > 0] / distance[distance > 0]).max() > 2.0


def test_pairs_of_the_certificate_are_words(mechanism: FoldedExponential) -> None:
    named, inner = mechanism.certificate, mechanism.inner.certificate
    assert mechanism.space.fold[list(named.worst_pair)].tolist() == list(
        inner.worst_pair
    )


def test_pull_is_the_channel_transposed(mechanism: FoldedExponential) -> None:
    values = np.random.default_rng(1).random((WORDS, 3))
    wanted = np.exp(mechanism.channel(np.arange(WORDS))).T @ values
    assert mechanism.pull(values) == pytest.approx(wanted)


def test_likeliest_inputs_are_those_of_the_channel(
    mechanism: FoldedExponential,
) -> None:
    prior = np.log(np.random.default_rng(2).random(WORDS))
    score = mechanism.channel(np.arange(WORDS)) + prior[:, None]
    ids, weight = mechanism.likeliest(mechanism.spoken, prior, 7)
    for row, word in enumerate(mechanism.spoken):
        assert sorted(weight[row]) == pytest.approx(sorted(score[:, word])[-7:])
        assert weight[row] == pytest.approx(score[ids[row], word])
    unwritten, none = mechanism.likeliest(np.array([13]), prior, 7)
    assert (unwritten == -1).all()
    assert np.isneginf(none).all()


def test_the_guarantee_tells_both_near_figures(mechanism: FoldedExponential) -> None:
    told = " ".join(mechanism.guarantee().scope.assumptions)
    assert "cannot be told apart" in told
    assert "distance 1.50 on average and 3 at most" in told
    assert mechanism.guarantee().metric == "like:cap=4@small"


def test_nothing_in_gives_nothing_out(mechanism: FoldedExponential) -> None:
    assert mechanism.perturb(np.zeros(0, dtype=np.int64), seeded(0)).shape == (0,)


def test_a_law_of_other_symbols_is_refused(mechanism: FoldedExponential) -> None:
    other = TwoLengthSpace(
        mechanism.space.symbols.near, mechanism.space.symbols.wide, 4, "other"
    )
    space = FoldedSpace(other, mechanism.space.fold)
    with pytest.raises(DataError, match="not of these symbols"):
        dataclasses.replace(mechanism, space=space)


def test_a_certificate_that_guarantees_too_much_is_found(
    mechanism: FoldedExponential,
) -> None:
    inner = mechanism.inner
    claim = dataclasses.replace(
        inner.certificate, epsilon=0.5 * inner.certificate.epsilon
    )
    false = dataclasses.replace(inner, certificate=claim)
    mechanism.spot_check(np.arange(WORDS))
    with pytest.raises(RefutedError):
        dataclasses.replace(mechanism, inner=false).spot_check(np.arange(WORDS))


def p_value(drawn: FoldedExponential, stated: FoldedExponential, word: int) -> float:
    """Compare draws of one mechanism with the channel of another."""
    sample = drawn.perturb(np.full(DRAWS, word), seeded(11))
    share = np.exp(stated.channel(np.array([word]))[0])[stated.spoken]
    counts = np.bincount(sample, minlength=WORDS)
    assert counts.sum() == counts[stated.spoken].sum()
    return float(chisquare(counts[stated.spoken], share / share.sum() * DRAWS).pvalue)


@pytest.mark.statistical
@pytest.mark.parametrize("word", [0, 7, 12, 14, 17, 25, UNKNOWN])
def test_draws_follow_the_channel(word: int, mechanism: FoldedExponential) -> None:
    assert p_value(mechanism, mechanism, word) > ALPHA
    if word != UNKNOWN:  # ⊥ draws from the weights alone
        assert p_value(folded(2.1), mechanism, word) < ALPHA  # 5 % off is rejected
