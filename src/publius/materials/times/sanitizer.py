"""Release repeating times: read, move on their circle, write in one layout."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from numpy.typing import ArrayLike

from publius.core.arrays import FloatArray, IdArray, Rng
from publius.core.errors import ParameterError
from publius.core.guarantee import Guarantee, Scope
from publius.core.mechanism import Mechanism
from publius.materials.quantity import DAY, duration_text
from publius.materials.times.clock import Clock

PERSON = (
    "Repeated records: the loss of a person with k records is k times that of one.",
    "Sequences: that two records belong together, their order and number are not "
    "hidden.",
)


@dataclass(frozen=True, slots=True)
class TimeSanitizer:
    """Release times on a clock through a mechanism on its steps.

    Args:
        clock: How times are read and written.
        mechanism: On the residues of the clock's steps.
    """

    clock: Clock
    mechanism: Mechanism[IdArray, IdArray]

    def __post_init__(self) -> None:
        wanted = f"circular:modulus={self.clock.modulus}"
        metric = self.mechanism.guarantee().metric
        if metric != wanted:
            raise ParameterError(
                f"the mechanism protects {metric!r} but this clock is {wanted!r}"
            )

    def release(
        self, times: Sequence[str], rng: Rng, *, first_row: int = 1
    ) -> list[str]:
        """Return a noisy time for each written time, in the clock's layout."""
        steps = self.clock.read(times, first_row=first_row)
        return self.clock.write(self.mechanism.perturb(steps, rng))

    def release_numbers(
        self, times: ArrayLike, rng: Rng, *, first_row: int = 1
    ) -> FloatArray | IdArray:
        """Return a noisy time for each number of units since the period began."""
        steps = self.clock.read_numbers(times, first_row=first_row)
        return self.clock.write_numbers(self.mechanism.perturb(steps, rng))

    def guarantee(self) -> Guarantee:
        """Return the guarantee for one record, in steps of the clock."""
        clock = self.clock
        step, period = duration_text(clock.resolution), duration_text(clock.period)
        verb = "cut" if clock.resolution % DAY == 0 else "rounded"
        told = (
            f"One step is {step}; the circle of {period} has {clock.modulus} steps.",
            f"Times are {verb} to {step} first; the guarantee is theirs.",
            "Clocks are read as they are written; dates and zones beyond the period "
            "are dropped.",
            f"Every time is written in one layout, {clock.layout}, whatever its own "
            "was.",
        )
        # Steps of another length or period must not be added to these.
        guarantee = replace(
            self.mechanism.guarantee(), metric=f"circular:period={period}:step={step}"
        )
        return guarantee.covering(Scope(uncovered=PERSON, assumptions=told))
