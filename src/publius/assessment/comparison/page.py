"""The page of a comparison: what was found first, then every cell."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from publius.assessment.comparison.cell import Job, Rows, samples_of
from publius.assessment.comparison.rows import Cell
from publius.assessment.comparison.writing import cells_of, columns_of, template
from publius.core.guarantee import JsonValue
from publius.core.stating import state_bound
from publius.reporting.made import made
from publius.reporting.verdict import HIDDEN

Row = Mapping[str, Cell]
_EQUAL_PRIVACY = {
    "word": "Equal privacy: every mechanism is set to the same certified level against "
    "the tenth nearest word (median word), the loss that a reader can gain between "
    "these two. The worst loss over all pairs of words stands beside it, because a "
    "mechanism can trade one for the other.",
    "document": "Equal privacy: every mechanism is set to the same certified loss "
    "between any two documents, whatever their words and lengths. Each document leaves "
    "as the same number of words.",
}
_GUARANTEED = {
    "worst_loss": "worst loss",
    "document_loss": "loss per document",
    "kept_words": "words kept",
}
_FIGURES = {
    "trade-off": (
        "Attack against utility",
        "Up and to the left is better. Numbers are levels; crosses are intervals; "
        "dotted lines are what naming the largest class gives.",
    ),
    "attack-by-level": ("Attack by level", "Lower is better."),
    "utility-by-level": ("Utility by level", "Higher is better."),
}


@dataclass(frozen=True, slots=True)
class Card:
    """One cell worth showing first."""

    heading: str
    name: str
    facts: tuple[tuple[str, str], ...]
    is_best: bool = False


def comparison_page(
    job: Job, rows: Rows, pictures: Mapping[str, str], command: str = ""
) -> str:
    """Return one self-contained page; the command would make it again."""
    kinds = [kind for kind in ("attack", "utility") if kind in rows[0]]
    guaranteed = [n for n in _GUARANTEED if any(row.get(n) is not None for row in rows)]
    names, winners = columns_of(rows), _winners(rows)
    return template("comparison.html.j2").render(
        lead=_lead(job, rows),
        finding=finding(rows),
        cards=_cards(rows),
        equal_privacy=_EQUAL_PRIVACY[job.equal_privacy],
        method=f"Attacks: {', '.join(job.attacks)}. Analysts: "
        f"{', '.join(job.classifiers)}. Each learns once from originals (static) and "
        "once from released texts (adaptive); the strongest attack and the best "
        f"analyst count. Vocabulary: {_size(job)} words of "
        f"{job.settings.embedding}.",
        figures=[(*_FIGURES[name], picture) for name, picture in pictures.items()],
        guaranteed=[_GUARANTEED[name] for name in guaranteed],
        measured=[{"attack": "authors found", "utility": "classes found"}[kind]
                  for kind in kinds],
        rows=[_shown(row, guaranteed, kinds, winners) for row in rows],
        excluded=_excluded(job),
        columns=names,
        cells=cells_of(rows, names),
        made=made(),
        command=command,
    )  # fmt: skip


def bargain(rows: Rows) -> tuple[Row | None, bool]:
    """Return the cell that keeps most utility for the authors it still gives away.

    Both are measured from the largest class (0) to the original (1). Cells that hide
    writers come before all others; the second value says whether it is one of them.
    Where nobody can be told apart in the originals either, there is none.
    """
    original = _original(rows)
    if original is None or "utility" not in original or _is_blind(original):
        return None, False
    private = [row for row in rows if row["level"] is not None]
    hiding = [row for row in private if _hides(row, original)]
    best = max(
        hiding or private,
        key=lambda r: _kept(r, original, "utility") - _kept(r, original, "attack"),
        default=None,
    )
    return best, bool(hiding)


def finding(rows: Rows) -> str:
    """Return in one sentence whether any cell hides writers; empty without attack."""
    original = _original(rows)
    private = [row for row in rows if row["level"] is not None]
    if original is None or not private:
        return ""
    if _is_blind(original):
        return (
            "Writers can hardly be told apart in the originals either: this says "
            "nothing about who hides them."
        )
    hiding = sum(_hides(row, original) for row in private)
    if not hiding:
        return (
            "No cell with a level hides writers: each leaves more than half of what "
            "the attack finds in the originals beyond naming the largest class."
        )
    return (
        f"{hiding} of {len(private)} cells with a level hide writers: at most half of "
        "what the attack finds in the originals is left."
    )


def _winners(rows: Rows) -> Rows:
    """Return the cells on the Pareto front that hide writers."""
    original = _original(rows)
    if original is None or _is_blind(original):
        return []
    return [row for row in rows if row.get("front") and _hides(row, original)]


def _original(rows: Rows) -> Row | None:
    """Return the attacked originals, if they were asked for."""
    found = (row for row in rows if row["contender"] == "original" and "attack" in row)
    return next(found, None)


def _is_blind(original: Row) -> bool:
    """Whether the attack finds nothing even in the originals."""
    low = original.get("attack_low", original["attack"])
    return _number(low) <= _number(original["attack_majority"])


def _hides(row: Row, original: Row) -> bool:
    return _kept(row, original, "attack") <= HIDDEN


def _kept(row: Row, original: Row, kind: str) -> float:
    """Return a share on the way from the largest class (0) to the original (1)."""
    floor = _number(original[f"{kind}_majority"])
    reach = _number(original[kind]) - floor
    return max(0.0, _number(row[kind]) - floor) / reach if reach > 0 else 0.0


def _cards(rows: Rows) -> list[Card]:
    by_name = {str(row["contender"]): row for row in rows if row["level"] is None}
    cards = []
    if "original" in by_name:
        cards.append(Card("Untouched", "original", _facts(by_name["original"])))
    best, hides = bargain(rows)
    if best is not None:
        name = f"{best['contender']} at level {_text(best['level'])}"
        heading = "Widest gap between utility and attack"
        if not hides:
            heading = f"No cell with a level hides writers; {heading.lower()}"
        cards.append(Card(heading, name, _facts(best), is_best=hides))
    if "random" in by_name:
        cards.append(Card("Every word random, loss 0", "random",
                          _facts(by_name["random"])))  # fmt: skip
    return cards


def _facts(row: Row) -> tuple[tuple[str, str], ...]:
    names = (("attack", "authors found"), ("utility", "classes found"))
    return tuple((label, _range(row, kind)) for kind, label in names if kind in row)


def _size(job: Job) -> str:
    size = job.settings.vocabulary
    return "all" if size is None else f"{size:,}"


def _lead(job: Job, rows: Rows) -> str:
    contenders = {str(row["contender"]) for row in rows}
    parts = [
        f"{_number(rows[0]['documents']):,.0f} documents",
        f"{len(contenders)} contenders",
        f"{len(rows)} cells",
    ]
    if job.author is not None:
        share = f"{_number(rows[0]['attack_majority']):.0%}"
        parts.append(f"{rows[0]['authors']} authors (largest {share})")
    if job.label is not None:
        share = f"{_number(rows[0]['utility_majority']):.0%}"
        parts.append(f"{rows[0]['classes']} classes (largest {share})")
    return " · ".join(parts)


def _shown(
    row: Row, guaranteed: Sequence[str], kinds: Sequence[str], winners: Rows
) -> dict[str, object]:
    is_front, is_end = row in winners, row["level"] is None
    kind = " ".join(n for n, yes in (("front", is_front), ("end", is_end)) if yes)
    return {
        "name": row["contender"],
        "level": _text(row["level"]),
        "guaranteed": [_guarantee(row, name) for name in guaranteed],
        "meters": [_meter(row, measure) for measure in kinds],
        "is_front": is_front,
        "kind": kind,
    }


def _guarantee(row: Row, name: str) -> str:
    value = row.get(name)
    if name == "kept_words" and value is not None:
        return f"{_number(value):.1%}"
    return _text(value)


def _meter(row: Row, kind: str) -> dict[str, JsonValue]:
    value, low, high = (_number(row[f"{kind}{end}"]) for end in ("", "_low", "_high"))
    return {
        "kind": kind,
        "width": round(100 * value, 1),
        "left": round(100 * low, 1),
        "span": round(100 * (high - low), 1),
        "value": f"{value:.2f}",
        "range": f"{low:.2f} to {high:.2f}",
        "by": str(row[f"{kind}_by"]),
    }


def _excluded(job: Job) -> list[str]:
    """Say what was left out of the attack and of the use, with counts."""
    lines = []
    for kind, sample in samples_of(job).items():
        told = [f"{count:,} {reason}" for reason, count in sample.excluded.items()]
        lines += [f"{kind}: {line}" for line in (*told, *sample.notes)]
    return lines


def _range(row: Row, kind: str) -> str:
    value, low, high = (_number(row[f"{kind}{end}"]) for end in ("", "_low", "_high"))
    return f"{value:.2f} ({low:.2f} to {high:.2f})"


def _text(value: Cell) -> str:
    return state_bound(value) if isinstance(value, float | int) else value or ""


def _number(value: Cell) -> float:
    return float(value) if value is not None else 0.0
