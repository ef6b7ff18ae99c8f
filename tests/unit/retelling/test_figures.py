"""The figures of the page are those that were measured."""

import json
import re
from pathlib import Path

DOCS = Path(__file__).parents[3] / "docs"


def test_the_page_tells_what_was_measured() -> None:
    arms = json.loads((DOCS / "measurements" / "like.json").read_text())["arms"]
    page = (DOCS / "explanation" / "retelling.md").read_text("utf-8")
    table = page.partition("<!-- figures -->")[2].partition("<!-- end -->")[0]
    rows = re.findall(r"^\| ([\w. ]+) \|((?: [.\d]+ \|)+)$", table, re.MULTILINE)
    assert {name for name, _ in rows} == set(arms)
    for name, cells in rows:
        told = cells.replace("|", " ").split()
        kinds = ("topic", "author", "rating", "critic")
        assert told == [f"{arms[name][k]['value']:.3f}".lstrip("0") for k in kinds]
