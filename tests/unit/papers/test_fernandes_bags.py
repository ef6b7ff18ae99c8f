"""Distances of bags beside the paper's."""

from pathlib import Path

import pytest

from publius.papers import Request, experiment
from publius.papers.fernandes import READABLE


def test_the_printed_bound_is_refuted_inside_its_range() -> None:
    outcome = experiment("fernandes-theorem3").run(Request(Path(), quick=True))
    first = outcome.rows[0]
    assert (first["dimension"], first["words"], first["at"]) == (2, 2, "x = n/e")
    assert float(first["drawn high"] or 0) < float(first["published"] or 0)
    for row in outcome.rows:
        assert float(row["drawn high"] or 0) >= float(row["corrected"] or 0)


@pytest.mark.shared
def test_three_nearest_authors(shared: Path) -> None:
    asked = Request(shared / "data", quick=True)
    rows = experiment("fernandes-table2").run(asked).rows
    assert len(rows) == 5
    for row in rows:
        assert (
            0 < float(row["d1"] or 0) <= float(row["d2"] or 0) <= float(row["d3"] or 0)
        )
        assert len({row["a1"], row["a2"], row["a3"]}) == 3


def test_readable_text_from_bags_is_told() -> None:
    assert "--order shuffle" in READABLE
    assert "retelling" in READABLE.lower()
