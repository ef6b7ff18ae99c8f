"""Calibrate: what an ε means on public words, and which ε has a wanted meaning."""

from dataclasses import dataclass, field, replace

from publius.assessment.deniability.calibration import Row, find_target, measure
from publius.core.arrays import positive
from publius.core.config import WordSettings
from publius.core.errors import ParameterError
from publius.core.html import html_table
from publius.core.json import finite
from publius.core.watch import Watch
from publius.materials.words.assemble import resolved
from publius.services.verb import verb

GRID = (1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0)
"""Values of ε that are measured unless told otherwise."""


@dataclass(frozen=True, slots=True)
class CalibrateRequest:
    """Which values of ε, or which target.

    Args:
        settings: The mechanism; single settings may be given by name.
        grid: Values of ε to measure; empty measures that of the settings.
        target: Name of a figure and the value that it is to have; None looks for none.
        is_measured: With a target: measure `grid`, or the ε of the settings, too.
    """

    settings: WordSettings = field(default_factory=WordSettings)
    grid: tuple[float, ...] = GRID
    target: tuple[str, float] | None = None
    is_measured: bool = True

    def __post_init__(self) -> None:
        for epsilon in self.grid:
            positive("epsilon", epsilon)
        if self.target is not None:
            pair = self.target if isinstance(self.target, tuple | list) else ()
            if [type(one) is str for one in pair] != [True, False]:
                raise ParameterError(
                    "target must be a name and a number, such as ('worst', 9)"
                )
            positive("target", pair[1])


@dataclass(frozen=True, slots=True, repr=False)
class Calibration:
    """What every measured ε means.

    Args:
        rows: One per ε.
        target: The row that has the wanted figure; None if none was wanted.
    """

    rows: tuple[Row, ...]
    target: Row | None = None

    def to_json(self) -> dict[str, object]:
        """Return plain values."""
        return {"rows": list(self.rows), "found": self.target}

    def __repr__(self) -> str:
        measured = ", ".join(f"{row['epsilon']:g}" for row in self.rows)
        return f"<Calibration of ε = {measured}>"

    def _repr_html_(self) -> str:
        names = [name for name in self.rows[0] if not name.endswith(("_low", "_high"))]
        cells = [[finite(row.get(name)) for name in names] for row in self.rows]
        return html_table("Calibration", names, cells)


@verb(CalibrateRequest)
def calibrate(request: CalibrateRequest, watch: Watch) -> Calibration:
    """Measure how well words are hidden, and how far they move.

    Example:
        >>> import publius as pb
        >>> pb.calibrate(vocabulary=500, grid=(2.0, 4.0))
        <Calibration of ε = 2, 4>
    """
    settings, rows = request.settings, []
    grid = _grid(request)
    total = len(grid) + (request.target is not None)
    begin = watch.counted(total)
    for epsilon in grid:
        begin(f"ε = {epsilon:g}")
        rows.append(measure(replace(settings, epsilon=epsilon, level=None)))
    target_row = None
    if request.target is not None:
        watch.steps(len(grid), total)
        target_row = find_target(settings, *request.target, watch.stage)
        rows.append(target_row)
    return Calibration(tuple(rows), target_row)


def _grid(request: CalibrateRequest) -> tuple[float, ...]:
    if request.target is not None and not request.is_measured:
        return ()
    return request.grid or (resolved(request.settings).rate,)
