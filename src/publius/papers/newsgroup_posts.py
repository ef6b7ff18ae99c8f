"""Posts of 20 Newsgroups and the scenarios of the thesis's chapter 5."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from publius.core.arrays import BoolArray, IdArray
from publius.papers.documents import read_columns
from publius.papers.experiment import Request

FILE = "topic/20ng_12groups.jsonl.gz"
SCENARIOS = ("Top 5/Any", "Top 10/Any", "Top 5/Multi", "Top 10/Multi")
LEAST = (8, 4)
"""Posts that a suspect must have for training and for the test."""


@dataclass(frozen=True, slots=True, eq=False)
class Posts:
    """Posts with author, topic and side of the split."""

    texts: list[str]
    authors: list[str]
    topics: list[str]
    is_train: BoolArray

    @classmethod
    def read(cls, request: Request) -> "Posts":
        """Read the posts without their footers; what is empty then is left out."""
        read = read_columns(request, FILE, "text", ("author", "topic", "split"))
        whole = cls(
            [without_footer(text) for text in read["text"]],
            read["author"],
            read["topic"],
            np.array([side == "train" for side in read["split"]]),
        )
        kept = [i for i, text in enumerate(whole.texts) if text.strip()]
        return whole.only(kept)

    def only(self, rows: Sequence[int] | IdArray) -> "Posts":
        """Return some posts."""
        places = [int(i) for i in rows]
        return Posts(
            [self.texts[i] for i in places],
            [self.authors[i] for i in places],
            [self.topics[i] for i in places],
            self.is_train[places],
        )


def without_footer(text: str) -> str:
    """Remove what follows the last blank or dashed line, most often a signature."""
    lines = text.strip().split("\n")
    last = max(
        (i for i, line in enumerate(lines) if not line.strip().strip("-")), default=0
    )
    return "\n".join(lines[:last]) if last > 0 else text


def suspects(posts: Posts, scenario: str) -> IdArray:
    """Return the places of the posts of the authors of a scenario."""
    count = int(scenario.split()[1].partition("/")[0])
    groups: dict[str, set[str]] = {}
    sides: dict[str, Counter[bool]] = {}
    for author, topic, side in zip(
        posts.authors, posts.topics, posts.is_train.tolist(), strict=True
    ):
        groups.setdefault(author, set()).add(topic)
        sides.setdefault(author, Counter())[side] += 1
    least = 2 if scenario.endswith("Multi") else 1
    usable = [
        author
        for author, seen in sides.items()
        if len(groups[author]) >= least
        and seen[True] >= LEAST[0]
        and seen[False] >= LEAST[1]
    ]
    usable.sort(key=lambda a: (-sum(sides[a].values()), a))
    chosen = set(usable[:count])
    return np.flatnonzero([author in chosen for author in posts.authors])
