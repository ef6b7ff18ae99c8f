"""What an attack on a release found, in a line that nobody can overlook; private."""

from collections.abc import Sequence

from publius.reporting.measured import Measured, Measurement
from publius.reporting.recognition import Recognition, recognition, settings_measured

HIDDEN = 0.5
"""Whoever leaves a larger share of what exceeds guessing does not hide writers."""

HELPS = 0.25
"""A form that is suggested leaves at most this share, on the texts of the package."""

SHOWN = "this setting does not hide writers"
PARTLY = "this setting hides writers in part"
UNKNOWN = "How many texts can still be attributed to their author was not measured."


def verdict(measured: Measured) -> list[str]:
    """Return what was found about writers, and what would help.

    The strongest attacker counts; where none could be tried, the notes say why. These
    lines are measured on secrets: they belong on the terminal of whoever releases and
    in the private report, nowhere else.
    """
    worst = strongest(measured.rows)
    if worst is None:
        return [" ".join((UNKNOWN, *measured.notes))]
    judged = _judged(worst)
    untouched = None if worst.original is None else worst.original.value
    beside = {"before": untouched, "by guessing": worst.chance}
    aside = ", ".join(
        f"{_of_hundred(share)} {what}"
        for what, share in beside.items()
        if share is not None
    )
    line = (
        f"{_of_hundred(worst.released.value)} of 100 texts can still be attributed to "
        f"their author ({aside}); {judged}."
    )
    if judged not in (SHOWN, PARTLY):
        return [line]
    return [line, *_helping_here(measured.helps), helping()]


def strongest(rows: Sequence[Measurement]) -> Measurement | None:
    """Return the attack on writers that finds most; None if there is none."""
    attacks = [row for row in rows if row.names_writers]
    return max(attacks, key=lambda row: row.released.value, default=None)


def shows_writers(rows: Sequence[Measurement]) -> bool:
    """Say whether an attack finds writers whom another form might hide."""
    worst = strongest(rows)
    return worst is not None and _judged(worst) in (SHOWN, PARTLY)


def _helping_here(helps: Sequence[Measurement]) -> list[str]:
    """Return what the attacked forms of the same texts give away."""
    if not helps:
        return []
    found = sorted(helps, key=lambda row: row.released.value)
    listed = "; ".join(
        f"{row.name} ({_of_hundred(row.released.value)} of 100)" for row in found
    )
    return [f"What would help, measured on these texts: {listed}."]


def helping() -> str:
    """Return which forms hid writers where the package measured it."""
    known = [recognition(name) for name in settings_measured()]
    best = sorted((one for one in known if _left(one) <= HELPS), key=_left)
    listed = "; ".join(
        f"{one.options} ({_of_hundred(one.released)} of 100, "
        f"{_of_hundred(one.untouched)} before)"
        for one in best
    )
    return (
        f"What hid writers on Reuters articles, measured: {listed or 'nothing'}. Other "
        "texts give other figures."
    )


def _left(one: Recognition) -> float:
    return (one.released - one.chance) / (one.untouched - one.chance)


def _judged(row: Measurement) -> str:
    chance = row.chance or 0.0
    before = 1.0 if row.original is None else row.original.value
    if row.original is not None and row.original.low <= chance:
        return (
            "writers can hardly be told apart in the originals either, so that this "
            "says nothing about the setting"
        )
    if row.released.low <= chance:
        return (
            "this attack does no better than guessing: the setting hides writers from "
            "it"
        )
    if (row.released.value - chance) / (before - chance) > HIDDEN:
        return SHOWN
    return PARTLY


def _of_hundred(share: float) -> str:
    """Write a share of texts, with a decimal where a whole number would say all."""
    return f"{100 * share:.1f}".removesuffix(".0")
