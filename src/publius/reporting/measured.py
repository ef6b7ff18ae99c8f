"""What was measured on the texts of a release; it must stay private."""

from dataclasses import dataclass

from publius.core.estimate import Estimate
from publius.core.guarantee import JsonValue
from publius.numerics.scores import estimate_json


@dataclass(frozen=True, slots=True)
class Measurement:
    """One figure before and after.

    Args:
        name: What was measured.
        released: On released texts.
        original: The same on originals, where that says something.
        chance: What guessing the largest class gives.
        names_writers: An attack that names who wrote a text.
    """

    name: str
    released: Estimate
    original: Estimate | None = None
    chance: float | None = None
    names_writers: bool = False

    def to_json(self) -> dict[str, JsonValue]:
        """Return plain values."""
        before = self.original
        return {
            "measure": self.name,
            "original": None if before is None else estimate_json(before),
            "released": estimate_json(self.released),
            "chance": self.chance,
        }


@dataclass(frozen=True, slots=True)
class Measured:
    """Attacks on a release, and what it is still good for.

    Args:
        documents: How many were looked at.
        rows: The figures.
        notes: What was left out, and why.
        helps: What the strongest attack finds if the same texts are drawn in another
            form; named by the options of that form.
    """

    documents: int
    rows: tuple[Measurement, ...]
    notes: tuple[str, ...] = ()
    helps: tuple[Measurement, ...] = ()

    def to_json(self) -> dict[str, JsonValue]:
        """Return plain values."""
        return {
            "documents": self.documents,
            "measures": [row.to_json() for row in self.rows],
            "notes": list(self.notes),
            "helps": [row.to_json() for row in self.helps],
        }
