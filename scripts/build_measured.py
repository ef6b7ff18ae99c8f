"""Write the tables of measured figures into the pages that show them.

python scripts/build_measured.py

Each stands between two comments, the first of which names it; a test compares them
with docs/measurements.
"""

import json
import re
from collections.abc import Callable, Sequence
from itertools import pairwise
from pathlib import Path
from statistics import mean, median
from typing import Any

DOCS = Path(__file__).parents[1] / "docs"

Figures = dict[str, Any]


def table(head: str, rows: Sequence[Sequence[str]], *, right: int = 0) -> str:
    """Return a table whose cells are aligned right from a column on."""
    line = "|".join("---" if i < right else "---:" for i in range(len(rows[0])))
    body = (f"| {' | '.join(row)} |" for row in rows)
    return "\n".join([f"| {head} |", f"|{line}|", *body])


def rooms(measured: Figures) -> str:
    """Return what entering a room was counted to be, at both ends."""
    names = {
        "words": "one text",
        "places": "one place",
        "sentences": "one text, rewritten",
    }
    before, after = measured["rooms"]["before"], measured["rooms"]["after"]
    kinds = ("functions", "files", "changes_of_room")
    rows = [
        [told, *(f"{before[name][k]} → {after[name][k]}" for k in kinds)]
        for name, told in names.items()
    ]
    return table("walk | functions | files | changes of room", rows, right=1)


def engines(measured: Figures) -> str:
    """Return the processor seconds of every engine and size, and of a further MB."""
    rows = []
    for name in ("local", "spark", "ray"):
        runs = [run for run in measured["figures"] if run["engine"] == name]
        cells = [name]
        for kind, form in (("workers_cpu_s", "#.3g"), ("overhead_cpu_s", ".2f")):
            cells += [format(run[kind], form) for run in runs]
            cells.append(", ".join(_slopes(runs, kind)))
        rows.append(cells)
    further = "each further MB, to 100, to 1,000"
    head = (
        f"engine | tasks: 10 MB | 100 MB | 1,000 MB | {further} "
        f"| all else: 10 MB | 100 MB | 1,000 MB | {further}"
    )
    return table(head, rows, right=1)


def _slopes(runs: Sequence[Figures], kind: str) -> list[str]:
    told = []
    for one, other in pairwise(runs):
        grown = other[kind] - one[kind]
        slope = max(0.0, grown / (other["bytes"] - one["bytes"]) * 1e6)
        told.append(f"{slope:.1g}" if slope < 1e-3 else f"{slope:.3f}")
    return told


def faults(measured: Figures) -> str:
    """Return what a simulated cluster drew twice under both rules."""
    names = {
        "calm": "none",
        "stragglers": "stragglers",
        "stragglers, speculation": "stragglers, second copies",
        "stragglers, speculation, losses": "stragglers, second copies, losses",
    }
    runs = {(run["faults"], run["rule"]): run for run in measured["figures"]}
    rows = []
    for name, told in names.items():
        ours, former = runs[name, "by_rows"], runs[name, "by_number"]
        drawn = [str(run["parts_drawn_twice"]) for run in (ours, former)]
        shared = str(former["noises_of_two_parts"])
        time = f"{ours['seconds']:.1f}"
        rows.append([told, f"{ours['attempts']:,}", time, *drawn, shared])
    head = (
        "faults | attempts | time | drawn twice, by key and rows | drawn twice, by "
        "number | noise shared by two parts, by number"
    )
    return table(head, rows, right=1)


def context(measured: Figures) -> str:
    """Return how released posts read after each remap."""
    rows = [
        [
            name,
            f"{arm['perplexity']:.0f} ({arm['low']:.0f} to {arm['high']:.0f})",
            f"{arm['similarity']:.3f} ({arm['similarity_low']:.3f} to "
            f"{arm['similarity_high']:.3f})",
        ]
        for name, arm in measured["arms"].items()
    ]
    return table("drawn on | perplexity | similarity", rows, right=3)


PLACES = {
    "foursquare_nyc": "Foursquare New York",
    "gowalla_nyc": "Gowalla New York",
    "gowalla_world": "Gowalla, world",
}
EVERY, AGAIN = (
    "every record",
    "one draw per place of a person, used again (not offered)",
)
SHOWN = (
    (EVERY, "1 per place"),
    (EVERY, "0.1 per place"),
    (AGAIN, "0.1 per place"),
    ("--trajectories 5", "10 per person"),
    ("--trajectories 5", "1 per person"),
    ("--trajectories 10", "1 per person"),
    ("--trajectories 20", "1 per person"),
)
"""Ways to release journeys that the page shows; the file has more."""


def journeys(measured: Figures) -> str:
    """Return how many people were named, by the stronger of two attackers."""
    runs = {(r["data"], r["way"], _level(r)): r for r in measured["results"]}
    first = [runs[data, EVERY, "1 per place"]["all_of_a_person"] for data in PLACES]
    untouched = [_share(people["original_static"][0]) for people in first]
    rows = [["originals", "", "all", "0", *untouched]]
    for way, level in SHOWN:
        shown = [runs[data, way, level] for data in PLACES]
        told = (
            f"`{way}`" if way.startswith("--") else way.removesuffix(" (not offered)")
        )
        named = [_named(r["all_of_a_person"], is_bold=way == AGAIN) for r in shown]
        rows.append([told, level, _leaving(shown), _moved(shown), *named])
    people = (
        f"{told}, {one['people']:,} people"
        for told, one in zip(PLACES.values(), first, strict=True)
    )
    head = "released | level | records that leave | moved by (median) | "
    return table(head + " | ".join(people), rows, right=2)


def _level(run: Figures) -> str:
    if "level_of_a_place" in run:
        return f"{run['level_of_a_place']:g} per place"
    return f"{run['level_of_a_person']:g} per person"


def _leaving(runs: Sequence[Figures]) -> str:
    shares = [run["share_of_records_released"] for run in runs]
    if min(shares) == 1:
        return "all"
    return f"{100 * min(shares):.0f} to {100 * max(shares):.0f} %"


def _moved(runs: Sequence[Figures]) -> str:
    metres = median(run["median_distance_m"] for run in runs)
    return f"{metres:.0f} m" if metres < 1000 else f"{metres / 1000:.1f} km"


def _named(people: Figures, *, is_bold: bool) -> str:
    value, low, high = max(people["released_adaptive"], people["released_static"])
    told = f"**{_share(value)}**" if is_bold else _share(value)
    return f"{told} ({_share(low)} to {_share(high)})"


def _share(value: float) -> str:
    return f"{value:.{2 if value >= 0.005 else 3}f}".removeprefix("0")


EQUAL = 386
"""Largest loss of a text in the table of equal losses: no setting hits 384 exactly."""
WITHIN, NEURAL = "author within a topic", "author, neural"


def rivals_equal(measured: Figures) -> str:
    """Return retelling and its rivals at one certified loss."""
    rows = measured["small"]["rows"]
    return _rivals([row for row in rows if (row["loss"] or 0) <= EQUAL])


def rivals_larger(measured: Figures) -> str:
    """Return rivals at larger losses."""
    rows = measured["small"]["rows"]
    return _rivals([row for row in rows if (row["loss"] or 0) > EQUAL])


ANCHOR, ALIKE = "words, like, ε = 3", 0.04
"""Rivals are told at equal attack whose author is found as often as this one's."""


def rivals_alike(measured: Figures) -> str:
    """Return rivals whose authors are found about as often, the smallest loss first."""
    rows = measured["small"]["rows"]
    anchors = {row["corpus"]: row["author"] for row in rows if row["name"] == ANCHOR}
    alike = [
        row
        for row in rows
        if row["loss"] is not None
        and abs(row["author"] - anchors[row["corpus"]]) <= ALIKE
    ]
    told = [
        [
            row["corpus"],
            row["name"],
            _with_interval(row, "author"),
            f"{row['loss']:,.0f}",
            _with_interval(row, "topic" if "topic" in row else "rating"),
            _two(row, "similarity"),
            f"{row['perplexity, SmolLM2']:,.0f}",
            f"{row['perplexity, trigrams']:,.0f}",
        ]
        for row in sorted(alike, key=lambda row: (row["corpus"], row["loss"]))
    ]
    head = (
        "corpus | rival | author | loss per text | topic or rating | similar | SmolLM2 "
        "| trigrams"
    )
    return table(head, told, right=2)


def rivals_of_words(measured: Figures) -> str:
    """Return the rivals that need no language model, on more texts."""
    rows = sorted(measured["rivals"]["rows"], key=lambda row: row["corpus"])
    return _rivals(rows, apart=True)


def _rivals(rows: Sequence[Figures], *, apart: bool = False) -> str:
    told = []
    for row in rows:
        loss = "none" if row["loss"] is None else f"{row['loss']:,.0f}"
        use = "topic" if "topic" in row else "rating"
        kinds = [_two(row, WITHIN), _two(row, NEURAL)]
        told.append(
            [
                row["corpus"],
                row["name"],
                loss,
                _with_interval(row, use),
                _with_interval(row, "author"),
                *(kinds if apart else ["".join(kinds)]),
                _two(row, "similarity"),
                f"{row['perplexity, SmolLM2']:,.0f}",
                f"{row['perplexity, trigrams']:,.0f}",
                _two(row, "told from originals"),
                f"{row['register']:.3f}",
            ]
        )
    head = (
        "corpus | rival | loss per text | topic or rating | author | "
        f"{'within | neural' if apart else 'within; neural'} | similar | SmolLM2 | "
        "trigrams | told | register"
    )
    return table(head, told, right=2)


def subjects(measured: Figures) -> str:
    """Return what a subject alone gives away of an author, for every corpus."""
    told = [
        [
            row["corpus"],
            str(row["authors"]),
            *(
                _with_interval(row, kind)
                for kind in ("author", "by subject alone", "within a subject")
            ),
            _two(row, "busiest within"),
        ]
        for row in measured["subjects"]["rows"]
    ]
    head = (
        "corpus | authors | author found | by subject alone | within a subject | "
        "busiest there"
    )
    return table(head, told, right=1)


def inverter(measured: Figures) -> str:
    """Return how many words attackers find who know the channel."""
    told = [
        [
            f"{row['rival']} (worst loss of a word {row['loss'] / 32:.0f})",
            row["attacker"],
            f"{row['share']:.3f} ({row['low']:.3f}–{row['high']:.3f})",
        ]
        for row in measured["inverter"]["rows"]
    ]
    return table("rival | attacker | words found", told, right=2)


RETOLD = {
    "posts: topic": "topic",
    "posts: author": "author (33)",
    "critics: rating": "rating",
    "critics: author": "critic (4)",
    "c50: author": "C50 (25)",
    "imdb62: author": "IMDb62 (20)",
    "enron: author": "Enron (47)",
    "blogs: author": "blogs (48)",
}


def retold(measured: Figures) -> str:
    """Return what is recognised after retelling by default, the mean of its draws."""
    return _recognised(measured["default_writer"]["arms"])


def retold_from_fewer(measured: Figures) -> str:
    """Return the same where common words are left out and long texts cut."""
    usual = measured["default_writer"]["arms"]
    beside = {name: usual[name] for name in ("untouched", "shuffle, 3", "shuffle, 4")}
    return _recognised(beside | measured["fewer_words"]["arms"])


def _recognised(arms: Figures) -> str:
    told = []
    for name, arm in arms.items():
        draws = arm["draws"]
        cells = [f"{name} ({len(draws)} draws)" if len(draws) > 1 else name]
        for kind in RETOLD:
            values = [draw[kind]["value"] for draw in draws if kind in draw]
            cells.append(f"{mean(values):.3f}".lstrip("0") if values else "")
        used = [draw["used"][0] for draw in draws if "used" in draw]
        told.append([*cells, f"{mean(used):.2f}".lstrip("0") if used else ""])
    head = " | ".join(RETOLD.values())
    return table(f"retold, order and ε | {head} | words used", told, right=1)


def retold_read(measured: Figures) -> str:
    """Return how retold passages of posts and critics read beside their originals."""
    told = []
    for name, draws in measured["default_writer"]["read"].items():
        first = draws[0]
        for corpus in ("posts", "critics"):
            own = first[corpus]
            like = own.get("passages")
            line = own.get("words in a line")
            flipped = own.get("flipped")
            numbers = own["numbers that were not drawn"]
            told.append(
                [
                    f"{corpus}, {name}",
                    f"{own['perplexity'][0]:,.0f}",
                    f"{own['perplexity of originals'][0]:,.0f}",
                    f"{like['cosine']:.2f} ± {like['half']:.2f}" if like else "",
                    f"{like['other']:.2f}" if like else "",
                    f"{line['cosine']:.2f}" if line else "",
                    f"{flipped[0]:.3f}" if flipped else "",
                    f"{numbers[0]:.3f}",
                ]
            )
    head = (
        "passages of | perplexity | originals | similarity | to another passage | "
        "words in a line | flipped | invented number"
    )
    return table(head, told, right=1)


def judged(measured: Figures) -> str:
    """Return how passages read by a judge that took no part in writing them."""
    found = measured["second_judge"]["passages of"]
    arms = dict.fromkeys(name.partition(", ")[2] for name in found)
    told = [
        [
            arm,
            *(
                f"{one['value']:,.0f} ({one['low']:,.0f} to {one['high']:,.0f})"
                for one in (
                    found[f"{corpus}, {arm}"] for corpus in ("posts", "critics")
                )
            ),
        ]
        for arm in arms
    ]
    return table("passages | posts | critics", told, right=1)


def _two(row: Figures, kind: str) -> str:
    return f"{row[kind]:.2f}" if kind in row else ""


def _with_interval(row: Figures, kind: str) -> str:
    low, high = row[f"{kind} low"], row[f"{kind} high"]
    return f"{row[kind]:.2f} ({low:.2f}–{high:.2f})"


TABLES: dict[str, tuple[str, str, Callable[[Figures], str]]] = {
    "rooms": ("explanation/design.md", "house", rooms),
    "engines": ("explanation/scale.md", "cluster", engines),
    "faults": ("explanation/scale.md", "scale", faults),
    "context": ("mechanisms/remap.md", "context-remap", context),
    "journeys": ("how-to/places.md", "trajectories", journeys),
    "equal loss": ("explanation/rivals.md", "rivals", rivals_equal),
    "equal attack": ("explanation/rivals.md", "rivals", rivals_alike),
    "larger loss": ("explanation/rivals.md", "rivals", rivals_larger),
    "inverter": ("explanation/rivals.md", "rivals", inverter),
    "subjects": ("explanation/rivals.md", "rivals", subjects),
    "retold": ("explanation/retelling.md", "retelling", retold),
    "retold, fewer words": ("explanation/retelling.md", "retelling", retold_from_fewer),
    "retold passages": ("explanation/retelling.md", "retelling", retold_read),
    "retold, judged": ("explanation/retelling.md", "retelling", judged),
    "rivals of words": ("explanation/rivals.md", "rivals", rivals_of_words),
}
"""Every table: the page, the file of figures, and who makes it."""


def page(name: str) -> str:
    """Return a page of the documentation with its tables put in."""
    text = (DOCS / name).read_text("utf-8")
    for mark, (where, figures, made) in TABLES.items():
        if where == name:
            path = DOCS / "measurements" / f"{figures}.json"
            drawn = made(json.loads(path.read_text("utf-8")))
            start, end = f"<!-- measured: {mark} -->", "<!-- end of measured -->"
            framed = f"{start}\n{drawn}\n{end}"
            text, count = re.subn(
                f"{start}.*?{end}", lambda _, new=framed: new, text, flags=re.DOTALL
            )
            if count != 1:
                raise SystemExit(f"{name} must have one table {mark}")
    return text


PAGES = tuple(dict.fromkeys(where for where, _, _ in TABLES.values()))

if __name__ == "__main__":
    for where in PAGES:
        (DOCS / where).write_text(page(where), "utf-8")
