"""One line about writers, from what was measured."""

from dataclasses import replace

import pytest

from publius.core.estimate import Estimate
from publius.reporting.measured import Measured, Measurement
from publius.reporting.recognition import recognition
from publius.reporting.verdict import verdict


def measured(released: float, original: float = 0.996, n: int = 1000) -> Measured:
    def row(name: str, share: float) -> Measurement:
        return Measurement(
            name,
            Estimate.share(round(share * n), n),
            Estimate.share(round(original * n), n),
            0.02,
            names_writers=True,
        )

    use = Measurement("METEOR", Estimate.share(9, 10))
    return Measured(n, (row("static", released / 2), row("adaptive", released), use))


def test_the_strongest_attacker_counts() -> None:
    line, help_ = verdict(measured(0.96))
    assert line == (
        "96 of 100 texts can still be attributed to their author (99.6 before, 2 by "
        "guessing); this setting does not hide writers."
    )
    best = recognition("tf")
    assert best.options in help_
    assert f"{100 * best.released:.1f} of 100" in help_
    assert recognition("text").options + " (" not in help_


@pytest.mark.parametrize(
    ("released", "original", "said"),
    [
        (0.3, 0.996, "in part"),
        (0.02, 0.996, "no better than guessing"),
        (0.02, 0.02, "says nothing about the setting"),
    ],
)
def test_other_outcomes(released: float, original: float, said: str) -> None:
    assert said in verdict(measured(released, original))[0]


def test_where_no_attack_could_be_tried_the_notes_say_why() -> None:
    use = Measurement("METEOR", Estimate.share(1, 2))
    (line,) = verdict(Measured(3, (use,), ("The author column: one class.",)))
    assert line.endswith("was not measured. The author column: one class.")


def test_what_would_help_on_these_texts_stands_before_what_helped_elsewhere() -> None:
    def form(name: str, found: int) -> Measurement:
        return Measurement(name, Estimate.share(found, 100), names_writers=True)

    helps = (form("--as bag", 70), form("--as tf", 10))
    _, here, elsewhere = verdict(replace(measured(0.96), helps=helps))
    assert here == (
        "What would help, measured on these texts: --as tf (10 of 100); --as bag (70 "
        "of 100)."
    )
    assert "Reuters" in elsewhere
    assert len(verdict(replace(measured(0.02), helps=helps))) == 1
