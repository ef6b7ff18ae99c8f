import math

import numpy as np
import pytest

from publius.core.guarantee import Flat, Guarantee, Landmarks, Linear, Unit
from publius.reporting.figures import calibration_curves
from publius.reporting.svg import odds_curve, unchanged_histogram


def guarantee(marks: Landmarks, loss: float = 2.0) -> Guarantee:
    return Guarantee("hop@ff", Unit.TOKEN, (Linear(loss),), landmarks=marks)


@pytest.mark.parametrize(
    "given",
    [
        guarantee(Landmarks(1.0, 4.0, 8.0)),
        guarantee(Landmarks()),
        guarantee(Landmarks(0.0, 0.0, 0.0)),
        Guarantee(
            "d@x", Unit.DOCUMENT, (Flat(3.0),), landmarks=Landmarks(1.0, 1.0, 3.0)
        ),
    ],
)
def test_odds_curve_is_an_svg_for_every_guarantee(given: Guarantee) -> None:
    assert odds_curve(given).startswith("<svg")
    assert odds_curve(given) == odds_curve(given)


def test_the_tenth_word_is_marked_where_there_is_one() -> None:
    assert "tenth nearest, median word" in odds_curve(
        guarantee(Landmarks(1.0, 4.0, 8.0))
    )
    assert "tenth nearest, median word" not in odds_curve(
        guarantee(Landmarks(math.nan, 4.0, 8.0))
    )


@pytest.mark.slow
def test_histogram_and_curves() -> None:
    assert unchanged_histogram(np.array([0.0, 0.5, 1.0])).startswith("<svg")
    row = {
        "epsilon": 1.0, "unchanged": 0.2, "unchanged_max": 0.5, "distinct_outputs": 9.0,
        "distinct_outputs_min": 4.0, "explanations": 8.0, "explanations_min": 1.0,
    }  # fmt: skip
    drawn = calibration_curves([row, {**row, "epsilon": 2.0}])
    assert drawn == calibration_curves([row, {**row, "epsilon": 2.0}])
    assert b"worst word" in drawn
    assert b"before the remap" not in drawn
    remapped = {**row, "moved": 1.0, "moved_without_remap": 2.0}
    assert b"before the remap" in calibration_curves([remapped])
    assert calibration_curves([row], "pdf").startswith(b"%PDF")
    assert calibration_curves([row], "png").startswith(b"\x89PNG")
    assert calibration_curves([row], "png") == calibration_curves([row], "png")
