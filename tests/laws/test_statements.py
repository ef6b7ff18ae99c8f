"""Sentences about losses agree with the guarantee, for every setting of words.

The grid is every mechanism, with hops and Euclidean distance, by what happens to
unknown words, by what is protected, by form and by whether equal
words are replaced alike.
"""

import math
import re
from dataclasses import replace
from functools import cache
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from publius.core.config import WordSettings
from publius.core.errors import ParameterError
from publius.core.guarantee import Flat, Guarantee, Landmarks, Linear, Unit
from publius.core.loss import Loss
from publius.core.mechanism import Finite
from publius.core.rng import seeded
from publius.materials.words.assemble import WORD_MECHANISMS, plan, resolved, word_space
from publius.reporting.statements import TEMPLATES, say, word_statements

SIZE = 40
ROUNDING = 1e-9
CASES = (
    *((name, "") for name in sorted(WORD_MECHANISMS)),
    ("exponential", "euclidean"),
    ("exponential", "hop:k=3:cap=4"),
)
FORMS = (("text", 0), ("bag", 0), ("bag", 7))
ALIKE = ("no", "text", "corpus")
REPEATS = [1, 2, 5, 20]
every_case = pytest.mark.parametrize(
    ("name", "metric"), CASES, ids=lambda part: str(part) or "own"
)


@pytest.fixture(scope="module")
def ball(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write words with points inside the unit ball."""
    path = tmp_path_factory.mktemp("ball") / "ball.txt"
    points = seeded(5).uniform(-0.5, 0.5, (SIZE, 3))
    rows = (f"word{chr(97 + i // 26)}{chr(97 + i % 26)} {p[0]} {p[1]} {p[2]}"
            for i, p in enumerate(points))  # fmt: skip
    path.write_text("\n".join(rows) + "\n")
    return path


def settings_of(name: str, metric: str, ball: Path) -> WordSettings:
    settings = WordSettings(mechanism=name, metric=metric, vocabulary=SIZE, epsilon=5.0)
    if WORD_MECHANISMS[name].metric == "hyperbolic":
        settings = replace(settings, embedding=str(ball))
    return resolved(settings)


@cache
def grid(settings: WordSettings) -> list[tuple[WordSettings, Guarantee, list[str]]]:
    """Return every setting that is allowed with its guarantee and sentences."""
    found = []
    policies = product(("uniform", "mask", "refuse"), ("content", "all"), FORMS, ALIKE)
    for oov, protect, (form, length), alike in policies:
        shape = {"form": form, "length": length, "consistent": alike}
        try:
            chosen = replace(settings, oov=oov, protect=protect, **shape)  # type: ignore[arg-type]
        except ParameterError:
            continue
        guarantee = plan(chosen).guarantee
        found.append((chosen, guarantee, word_statements(guarantee, chosen)))
    return found


def figure(key: str, said: list[str], name: str) -> float | None:
    """Return a figure of a sentence as a reader reads it; None if it is not said."""
    parts = re.split(r"\{(\w+)\}", TEMPLATES[key].text)
    pattern = "".join(
        re.escape(part) if place % 2 == 0 else f"(?P<{part}>.+?)"
        for place, part in enumerate(parts)
    )
    # A place that stands twice is named once.
    pattern = pattern.replace("(?P<one>.+?)", "(?:text|corpus)")
    for line in said:
        match = re.fullmatch(pattern, line)
        if match:
            return float(match[name].replace(",", ""))
    return None


@every_case
def test_no_finite_bound_where_the_loss_is_infinite(
    name: str, metric: str, ball: Path
) -> None:
    for _, guarantee, said in grid(settings_of(name, metric, ball)):
        bounded = any(line.startswith("Between two ") for line in said)
        assert bounded == math.isfinite(guarantee.worst_loss)
        assert bounded != any(line.startswith("No bound") for line in said)
        assert not any("eno bound" in line or "e^no" in line for line in said)


@every_case
def test_every_number_is_at_least_the_true_bound(
    name: str, metric: str, ball: Path
) -> None:
    settings = settings_of(name, metric, ball)
    mechanism = plan(settings).channel
    for chosen, guarantee, said in grid(settings):
        is_word = guarantee.unit is not Unit.DOCUMENT
        is_alike = chosen.consistent != "no"
        key = "equal.any" if is_alike else "word.any" if is_word else "text.any"
        worst = figure(key, said, "loss")
        if worst is None:
            continue
        assert worst >= guarantee.worst_loss
        if is_word and isinstance(mechanism, Finite):
            log_prob = mechanism.channel(np.arange(mechanism.size))
            gap = log_prob.max(axis=0) - log_prob.min(axis=0)
            assert worst >= float(gap.max()) - ROUNDING
        if is_word and not is_alike:
            listed = re.findall(r"([\d.,]+) for k = (\d+)", " ".join(said))
            assert [int(k) for _, k in listed] == REPEATS
            for loss, count in listed:
                stated = float(loss.replace(",", ""))
                assert (
                    stated
                    >= guarantee.at(
                        guarantee.landmarks.diameter, changed=int(count)
                    ).pure
                    - ROUNDING
                )
        assert is_word or chosen.length == 7


@every_case
def test_the_near_figure_holds_for_every_word(
    name: str, metric: str, ball: Path
) -> None:
    settings = settings_of(name, metric, ball)
    for _, guarantee, said in grid(settings):
        stated = figure("word.near", said, "loss")
        if stated is None or guarantee.unit is Unit.DOCUMENT:
            continue
        rows = word_space(settings).rows(np.arange(SIZE))
        tenth = np.sort(rows, axis=1)[:, min(10, SIZE - 1)]
        assert stated >= max(guarantee.at(float(d)).pure for d in tenth)


def test_a_median_is_never_told_as_a_bound() -> None:
    far = Landmarks(near=1.0, diameter=4.0, unknown_loss=9.0)
    guarantee = Guarantee("euclidean@ff", Unit.TOKEN, (Linear(2.0),), landmarks=far)
    said = word_statements(guarantee, WordSettings())
    assert figure("word.near", said, "loss") is None
    assert figure("word.any", said, "loss") == 8
    assert "the median word loses at most 2; words with fewer" in " ".join(said)
    near = replace(guarantee, landmarks=replace(far, near_most=3.0))
    assert figure("word.near", word_statements(near, WordSettings()), "loss") == 6


@every_case
def test_a_mask_states_no_bound_for_unknown_words(
    name: str, metric: str, ball: Path
) -> None:
    for chosen, guarantee, said in grid(settings_of(name, metric, ball)):
        stated = figure("unknown.any", said, "loss")
        if chosen.oov != "uniform":
            assert stated is None
            assert say(f"unknown.{chosen.oov}") in said
            assert not any("at all" in line for line in guarantee.scope.covered)
        elif guarantee.unit is not Unit.DOCUMENT:
            unknown = guarantee.landmarks.unknown_loss
            assert (stated is None) == math.isinf(unknown)
            assert stated is None or stated >= unknown


@every_case
def test_equal_draws_are_never_told_as_single_places(
    name: str, metric: str, ball: Path
) -> None:
    for chosen, _, said in grid(settings_of(name, metric, ball)):
        is_alike = chosen.consistent != "no"
        assert (say("equal.implied") in said) == is_alike
        if is_alike:
            assert not any("in one protected word" in line for line in said)
            assert not any("stands k times" in line for line in said)
            assert any("equal is not hidden" in line for line in said)


@every_case
def test_what_is_covered_has_a_bound(name: str, metric: str, ball: Path) -> None:
    for chosen, guarantee, _ in grid(settings_of(name, metric, ball)):
        covered = guarantee.scope.covered
        unknown = guarantee.landmarks.unknown_loss
        is_bounded = math.isfinite(guarantee.worst_loss)
        if any(line.startswith("Which vocabulary word") for line in covered):
            assert is_bounded
        if any("in the vocabulary at all" in line for line in covered):
            assert math.isfinite(unknown)
            assert chosen.oov == "uniform"
        whole = any("and how many there are" in line for line in covered)
        assert whole == (guarantee.unit is Unit.DOCUMENT and is_bounded)
        if guarantee.unit is Unit.DOCUMENT and not is_bounded:
            assert covered == ()
            assert "no bound holds" in guarantee.scope.uncovered[0]


@every_case
def test_what_a_mechanism_leaves_open_is_said_in_every_form(
    name: str, metric: str, ball: Path
) -> None:
    settings = settings_of(name, metric, ball)
    left = plan(settings).channel.guarantee().scope.uncovered
    for _, guarantee, _ in grid(settings):
        assert set(left) <= set(guarantee.scope.uncovered)


@every_case
def test_layout_is_told_where_it_leaves(name: str, metric: str, ball: Path) -> None:
    for chosen, guarantee, _ in grid(settings_of(name, metric, ball)):
        told = " ".join(guarantee.scope.uncovered)
        is_text, is_masked = chosen.form == "text", chosen.oov == "mask"
        is_counted = chosen.form == "bag" and not chosen.length
        passes = is_text and chosen.protect == "content"
        assert ("capital letters" in told) == is_text
        assert ("Stop words (a public list" in told) == passes
        assert ("Where a word was unknown" in told) == (is_text and is_masked)
        assert ("The number of protected words" in told) == is_counted
        assert ("How many of them were unknown" in told) == (is_counted and is_masked)


class Failing(Flat):
    """A term whose bound may fail."""

    def at(self, distance: float) -> Loss:
        """Return the loss with a slack."""
        return Loss(pure=self.loss * (distance > 0), slack=1e-12)


def test_slack_is_stated() -> None:
    marks = Landmarks(1.0, 1.0, 1.0, 1.0)
    guarantee = Guarantee("x@ff", Unit.TOKEN, (Failing(1.0),), landmarks=marks)
    said = word_statements(guarantee, WordSettings())
    assert said[-1].endswith("probability of at most 1e-12.")
    plain = replace(guarantee, terms=(Flat(1.0),))
    assert "probability" not in " ".join(word_statements(plain, WordSettings()))
