"""What every word mechanism of the table must do, whoever added it.

The guarantee is recomputed from the channel by its definition, draws follow the channel
with a power arm, and each mechanism has a card. Mechanisms without a channel are noise
on points: their law tests are named in tests/statistical/test_registered.py.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import ArrayLike
from scipy.stats import chisquare

from publius.core.arrays import UNKNOWN, FloatArray, IdArray, Rng
from publius.core.config import WordSettings
from publius.core.guarantee import Guarantee
from publius.core.mechanism import Finite
from publius.core.rng import seeded
from publius.materials.words.assemble import (
    WORD_MECHANISMS,
    resolved,
    sanitizer,
    word_embedding,
    word_mechanism,
    word_space,
)
from publius.mechanisms.words.entry import WordEntry

ALPHA = 1e-9
DRAWS = 300_000
SIZE = 40
ROUNDING = 1e-9
CARDS = Path(__file__).parents[2] / "docs" / "mechanisms"
PARTS = ("**Law.**", "**Guarantee.**", "**Planted fault.**")


@pytest.fixture(scope="module")
def ball(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write words with points inside the unit ball."""
    path = tmp_path_factory.mktemp("ball") / "ball.txt"
    points = seeded(5).uniform(-0.5, 0.5, (SIZE, 3))
    rows = (f"word{chr(97 + i // 26)}{chr(97 + i % 26)} {p[0]} {p[1]} {p[2]}"
            for i, p in enumerate(points))  # fmt: skip
    path.write_text("\n".join(rows) + "\n")
    return path


def settings_of(name: str, ball: Path) -> WordSettings:
    settings = WordSettings(mechanism=name, vocabulary=SIZE, epsilon=5.0)
    if WORD_MECHANISMS[name].metric == "hyperbolic":
        settings = replace(settings, embedding=str(ball))
    return resolved(settings)


every_mechanism = pytest.mark.parametrize("name", sorted(WORD_MECHANISMS))


@every_mechanism
def test_it_has_a_name_with_a_version_and_a_card(name: str, ball: Path) -> None:
    built = word_mechanism(settings_of(name, ball))
    law, _, version = built.name.partition("+")[0].rpartition(".v")
    assert version.isdigit()
    card = CARDS / f"{law.replace('-', '_')}.md"
    text = card.read_text("utf-8")
    assert text.startswith(f"# {law}.v{version}\n")
    assert all(part in text for part in PARTS)


@every_mechanism
def test_its_guarantee_and_space_speak_of_the_same_words(name: str, ball: Path) -> None:
    settings = settings_of(name, ball)
    built, size = word_mechanism(settings), word_embedding(settings).size
    assert word_space(settings).size == size
    guarantee = built.guarantee()
    assert guarantee.scope.covered
    drawn = built.perturb(np.array([[0, UNKNOWN], [size - 1, 3]]), seeded(0))
    assert drawn.shape == (2, 2)
    assert ((drawn >= 0) & (drawn < size)).all()
    assert built.perturb(np.zeros((0,), dtype=np.int64), seeded(0)).shape == (0,)


def losses(built: Finite) -> Iterator[tuple[int, int, float]]:
    """Yield the loss of every pair of words, and of ⊥ against every word."""
    ids = np.append(np.arange(built.size), UNKNOWN)
    rows = built.channel(ids)
    for i in range(len(ids)):
        for j in range(i):
            possible = np.isfinite(rows[i]) | np.isfinite(rows[j])
            gap = np.abs(rows[i][possible] - rows[j][possible])
            yield int(ids[i]), int(ids[j]), float(gap.max())


def refutes(built: Finite, guarantee: Guarantee, distance: FloatArray) -> bool:
    """Say whether some pair loses more than a guarantee allows."""
    for x, other, loss in losses(built):
        bound = (
            guarantee.landmarks.unknown_loss
            if UNKNOWN in (x, other)
            else min(guarantee.at(float(distance[x, other])).pure, guarantee.worst_loss)
        )
        if loss > bound + ROUNDING:
            return True
    return False


@every_mechanism
def test_no_pair_of_words_loses_more_than_is_guaranteed(name: str, ball: Path) -> None:
    settings = settings_of(name, ball)
    built = word_mechanism(settings)
    if not isinstance(built, Finite):
        pytest.skip("noise on points: its own law tests are registered")
    rows = built.channel(np.append(np.arange(built.size), UNKNOWN))
    np.testing.assert_allclose(np.exp(rows).sum(axis=1), 1.0, atol=1e-9)
    distance = word_space(settings).rows(np.arange(built.size))
    assert not refutes(built, built.guarantee(), distance)


def p_value(counts: IdArray, log_prob: FloatArray) -> float:
    prob = np.exp(log_prob)
    if counts[prob == 0].any():
        return 0.0
    rare = prob * counts.sum() < 5
    bins = np.append(counts[~rare], counts[rare].sum())
    expected = np.append(prob[~rare], prob[rare].sum()) * counts.sum()
    used = expected > 0
    return float(chisquare(bins[used], expected[used]).pvalue)


@pytest.mark.statistical
@every_mechanism
def test_draws_follow_the_channel_and_another_epsilon_is_rejected(
    name: str, ball: Path, seed: int
) -> None:
    settings = settings_of(name, ball)
    built = word_mechanism(settings)
    if not isinstance(built, Finite):
        pytest.skip("noise on points: its own law tests are registered")
    # The last word is sensitive for the mechanisms that know such words.
    word = built.size - 1
    drawn = built.perturb(np.full(DRAWS, word), seeded(1000 + seed))
    counts = np.bincount(drawn, minlength=built.size)
    assert p_value(counts, built.channel(np.array([word]))[0]) > ALPHA
    other = word_mechanism(replace(settings, epsilon=1.1 * settings.epsilon))
    assert isinstance(other, Finite)
    assert p_value(counts, other.channel(np.array([word]))[0]) < ALPHA


@dataclass(frozen=True)
class HalfTheLoss:
    """A planted fault: the mechanism guarantees half of what it loses."""

    inner: Finite
    name = "exponential.v1"

    @property
    def size(self) -> int:
        return self.inner.size

    def guarantee(self) -> Guarantee:
        guarantee = self.inner.guarantee()
        terms = tuple(
            replace(term, epsilon=term.epsilon / 2) for term in guarantee.terms
        )  # type: ignore[attr-defined,type-var]
        return replace(guarantee, terms=terms)

    def channel(self, x: ArrayLike) -> FloatArray:
        return self.inner.channel(np.asarray(x))

    def perturb(self, x: ArrayLike, rng: Rng) -> IdArray:
        return self.inner.perturb(np.asarray(x), rng)


def test_a_mechanism_that_guarantees_too_much_is_caught(ball: Path) -> None:
    settings = settings_of("exponential", ball)
    built = word_mechanism(settings)
    assert isinstance(built, Finite)
    fault = HalfTheLoss(built)
    distance = word_space(settings).rows(np.arange(built.size))
    assert refutes(fault, fault.guarantee(), distance)


PAGE = CARDS.parent / "how-to" / "add-a-mechanism.md"


def test_the_mechanism_of_the_how_to_page_passes(
    ball: Path, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    """The code of the page is run, registered by the page's own line, and checked."""
    blocks = PAGE.read_text("utf-8").split("```python\n")[1:]
    module, line = (block.split("```")[0] for block in blocks[:2])
    names: dict[str, object] = {"WordEntry": WordEntry}
    exec(module, names)  # noqa: S102 - the code of our own documentation
    entry = eval(f"{{{line.strip()}}}", names)  # noqa: S307
    ((name, added),) = entry.items()
    monkeypatch.setitem(WORD_MECHANISMS, name, added)
    test_its_guarantee_and_space_speak_of_the_same_words(name, ball)
    test_no_pair_of_words_loses_more_than_is_guaranteed(name, ball)
    test_draws_follow_the_channel_and_another_epsilon_is_rejected(name, ball, seed)
    released = sanitizer(settings_of(name, ball)).release(["people"], seeded(0))
    assert released.perturbed.tolist() == [1]
