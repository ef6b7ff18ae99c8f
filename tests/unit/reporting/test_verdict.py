"""One line about writers, from what was measured."""

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


def test_without_authors_there_is_no_verdict() -> None:
    assert verdict(Measured(3, (Measurement("METEOR", Estimate.share(1, 2)),))) == []
