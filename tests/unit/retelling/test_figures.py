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


def test_the_page_tells_what_favoured_words_gain() -> None:
    found = json.loads((DOCS / "measurements" / "retelling.json").read_text())
    arms = found["favoured_words"]["arms (order:epsilon:strength)"]
    page = (DOCS / "explanation" / "retelling.md").read_text("utf-8")
    table = page.partition("<!-- favoured -->")[2].partition("<!-- end -->")[0]
    rows = re.findall(r"^\| (\w+), (\d) \(\d+\) \|(.*)\|$", table, re.MULTILINE)
    assert len(rows) == 4
    for order, epsilon, cells in rows:
        made = arms[f"{order}:{epsilon}:2"]
        used, similarity, gain, words, perplexity = cells.split("|")
        for told, (value, _) in (
            (used.split("→")[1], made["coverage"]),
            (similarity.split("→")[1], made["similarity"]),
            (gain.split("±")[0], made["similarity_gain_paired"]),
            (words, made["words_similarity"]),
        ):
            assert float(told) == value
        assert int(perplexity.split("→")[1]) == round(made["perplexity"][0])
