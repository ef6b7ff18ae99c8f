"""Bounds of the thesis, from formulas."""

from pathlib import Path

import numpy as np
import pytest

from publius.assessment.attacks import Known, Writeprints
from publius.core.errors import UnknownNameError
from publius.papers import Request, experiment
from publius.papers.syntf import ATTACKS


def rows(name: str, folder: Path = Path()) -> list[dict[str, object]]:
    outcome = experiment(name).run(Request(folder, quick=True))
    return [dict(row) for row in outcome.rows]


def test_theorem_221_is_the_integral() -> None:
    for row in rows("thesis-theorem2.21"):
        assert row["stated"] == pytest.approx(row["integrated"], rel=1e-5)


def test_figure_51_bends_with_the_size_of_the_output_space() -> None:
    for row in rows("thesis-5.1"):
        assert row["L = 2"] == pytest.approx(float(str(row["epsilon"])) / 2)
        bounds = [float(str(row[f"L = {n}"])) for n in ("2", "100", "30,000")]
        assert bounds == sorted(bounds)
        assert bounds[-1] < float(str(row["standard"]))


def test_figure_62_shows_the_missing_square() -> None:
    at = {(row["delta"], row["sigma"]): row for row in rows("thesis-6.2")}
    one = at[1e-6, 1.0]
    assert one["published epsilon"] == 34.539
    assert one["Mironov"] == pytest.approx(49.539, abs=1e-3)
    assert one["exact"] == pytest.approx(45.786, abs=1e-3)
    for sigma, order in ((1.0, 1.876), (14.2, 13.398), (38.8, 34.996)):
        assert at[1e-6, sigma]["order"] == pytest.approx(order, rel=4e-3)
        assert at[1e-6, sigma]["published order"] == order


@pytest.mark.shared
def test_figure_79a_has_all_laws(shared: Path) -> None:
    found = rows("thesis-7.9a", shared / "data")
    kinds = {(row["guarantee"], row["model and law"]) for row in found}
    assert len(kinds) == 18
    small = [r for r in found if r["model and law"] == "local-Pur"]
    assert float(str(small[0]["ours"])) > float(str(small[-1]["ours"]))


def test_writeprints_are_read_on_both_scales() -> None:
    """Every feature of known texts lies in [0, 1]; the other scale has unit rows."""
    texts = [
        "I saw the house. It was old!",
        "You never wrote; why, then?",
        "Go on.",
    ] * 3
    known = Known(texts, np.arange(9) % 3, 3)
    rng = np.random.default_rng(0)
    plain = Writeprints(scaling="range").train(known, rng).features(texts).toarray()
    assert plain.min() == 0
    assert plain.max() == 1
    roots = Writeprints().train(known, rng).features(texts)
    np.testing.assert_allclose(np.linalg.norm(roots, axis=1), 1)
    assert {a.name for a in ATTACKS} == {"writeprints", "writeprints_range", "word_svm"}
    with pytest.raises(UnknownNameError, match="scaling"):
        Writeprints(scaling="none")
