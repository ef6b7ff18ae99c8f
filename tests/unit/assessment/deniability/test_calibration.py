"""What ε means, and the way back from a meaning to ε."""

import math
from dataclasses import replace

import numpy as np
import pytest

from publius.assessment.deniability import calibration
from publius.assessment.deniability.calibration import find_target, measure
from publius.core.config import WordSettings
from publius.core.errors import ParameterError
from publius.materials.words.assemble import WordMechanism, resolved, word_mechanism

SMALL = WordSettings(vocabulary=150, epsilon=3.0)


def test_a_row_of_a_finite_mechanism_is_exact() -> None:
    row = measure(SMALL)
    mechanism = word_mechanism(resolved(SMALL))
    prob = np.exp(mechanism.channel(np.arange(150)))  # type: ignore[attr-defined]
    assert row["unchanged"] == pytest.approx(np.diagonal(prob).mean())
    assert row["unchanged_low"] == row["unchanged_high"]
    wanted = -np.log2(prob.max(axis=1)).mean()
    assert row["min_entropy_bits"] == pytest.approx(wanted)
    assert row["draws_per_word"] == 0
    assert row["beta"] is not None
    assert row["worst_loss"] == pytest.approx(mechanism.guarantee().worst_loss)


@pytest.mark.slow
def test_a_row_of_a_drawn_mechanism_has_intervals() -> None:
    row = measure(replace(SMALL, mechanism="laplace", epsilon=20.0))
    for name in ("unchanged", "moved", "cosine", "near_share"):
        low, value, high = (row[f"{name}{end}"] for end in ("_low", "", "_high"))
        assert low is not None
        assert value is not None
        assert high is not None
        assert low < value < high
    assert row["beta"] is None


@pytest.mark.parametrize(
    ("mechanism", "name", "wanted"),
    [
        ("exponential", "unchanged", 0.5),
        ("exponential", "beta", 2.0),
        ("santext", "unchanged", 0.5),
        ("santext", "moved", 0.5),
        ("custext", "unchanged", 0.3),
        ("syntf", "unchanged", 0.2),
        ("syntf", "near", 0.5),
        pytest.param("laplace", "unchanged", 0.4, marks=pytest.mark.slow),
    ],
)
def test_a_target_is_met(mechanism: str, name: str, wanted: float) -> None:
    start = 20.0 if mechanism == "laplace" else SMALL.epsilon
    settings = replace(SMALL, mechanism=mechanism, epsilon=start)
    row = find_target(settings, name, wanted)
    found = row[calibration.QUANTITIES[name].key]
    assert found == pytest.approx(wanted, rel=0.03)
    # The ε that is printed is the ε that was measured.
    assert measure(replace(settings, epsilon=float(row["epsilon"] or 0))) == row


@pytest.mark.slow
def test_a_target_that_is_jumped_over_is_approached_from_the_private_side() -> None:
    row = find_target(SMALL, "explanations", 20.0)
    assert (row["explanations"] or 0) >= 20.0
    more = measure(replace(SMALL, epsilon=1.004 * float(row["epsilon"] or 0)))
    assert (more["explanations"] or 0) <= 20.0


def test_few_evaluations_find_a_target(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def counted(settings: WordSettings, *_: object) -> WordMechanism:
        asked.append(settings.epsilon)
        return word_mechanism(settings)

    monkeypatch.setattr(calibration, "word_mechanism", counted)
    find_target(replace(SMALL, mechanism="santext"), "unchanged", 0.5)
    assert len(asked) <= 8


def test_level_and_epsilon_translate_both_ways() -> None:
    row = find_target(replace(SMALL, neighbours=5), "level", 2.5)
    assert row["level_at_kth_neighbour"] == pytest.approx(2.5, rel=0.02)
    by_level = measure(replace(SMALL, neighbours=5, level=2.5))
    assert by_level["epsilon"] == pytest.approx(row["epsilon"], rel=0.02)
    near = row["kth_neighbour"]
    assert near is not None
    assert row["epsilon"] == pytest.approx(2.5 / near, rel=0.02)


@pytest.mark.parametrize("remap", ["bayes", "rank"])
def test_a_remap_says_what_it_gained(remap: str) -> None:
    plain, remapped = measure(SMALL), measure(replace(SMALL, remap=remap))
    assert remapped["cosine_without_remap"] == plain["cosine"]
    assert remapped["worst_loss"] == plain["worst_loss"]
    assert remapped["level_at_10th_neighbour"] == plain["level_at_10th_neighbour"]
    assert remapped["cosine"] != plain["cosine"]


def test_bayes_remap_gains_for_typical_words() -> None:
    low = replace(SMALL, epsilon=1.5, remap="bayes")
    row = measure(low)
    before, after = row["cosine_without_remap"], row["cosine"]
    assert before is not None
    assert after is not None
    assert after > before + 0.01


def test_syntf_tells_losses_and_utility_bounds() -> None:
    row = measure(replace(SMALL, mechanism="syntf", epsilon=20.0))
    naive, other, tight = (row[f"loss_{n}"] for n in ("naive", "alternative", "tight"))
    assert naive is not None
    assert other is not None
    assert tight is not None
    assert tight < other < naive
    low, value, high = (row[f"good_probability{e}"] for e in ("_lower", "", "_upper"))
    assert low is not None
    assert value is not None
    assert high is not None
    assert low < value < high


def test_mechanisms_without_a_bound_say_so() -> None:
    row = measure(replace(SMALL, mechanism="custext"))
    assert row["worst_loss"] is None
    assert row["level_at_kth_neighbour"] is None


def test_impossible_targets_are_refused() -> None:
    with pytest.raises(ParameterError, match="one of unchanged"):
        find_target(SMALL, "unchangd", 0.5)
    with pytest.raises(ParameterError, match="must lie"):
        find_target(SMALL, "unchanged", 1.0)
    with pytest.raises(ParameterError, match="must be"):
        find_target(SMALL, "level", math.nan)
    with pytest.raises(ParameterError, match="no beta"):
        find_target(replace(SMALL, mechanism="laplace"), "beta", 2.0)
    with pytest.raises(ParameterError, match="no worst"):
        find_target(replace(SMALL, mechanism="custext"), "worst", 2.0)


def test_a_share_of_the_shipped_space_needs_one_certificate(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Two known calibrations give the weights; the decay is searched and certified."""
    monkeypatch.setattr(calibration, "QUICK_SIZE", 0)
    for epsilon in (2.0, 4.0):
        word_mechanism(replace(SMALL, epsilon=epsilon))
    calls = []
    certify = calibration.Calibrator.certify

    def counted(self: object, decay: object) -> object:
        calls.append(decay)
        return certify(self, decay)  # type: ignore[arg-type]

    monkeypatch.setattr(calibration.Calibrator, "certify", counted)
    row = find_target(SMALL, "unchanged", 0.45)
    assert row["unchanged"] == pytest.approx(0.45, abs=0.006)
    assert len(calls) <= 1
    certified = row["certified_epsilon"]
    assert certified is not None
    assert certified <= float(row["epsilon"] or 0)


@pytest.mark.parametrize(
    "name",
    [
        "graded",
        pytest.param("mahalanobis", marks=pytest.mark.slow),
        pytest.param("projection", marks=pytest.mark.slow),
        "santext-plus",
    ],
)
def test_other_mechanisms_can_be_measured(name: str) -> None:
    row = measure(replace(SMALL, mechanism=name, epsilon=8.0))
    assert 0 <= float(row["unchanged"] or 0) <= 1
    assert -1 <= float(row["cosine"] or 0) <= 1
