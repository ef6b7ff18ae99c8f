"""What a mechanism is, and the abilities some of them have."""

from typing import Protocol, TypeVar, runtime_checkable

from publius.core.arrays import FloatArray, IdArray, Rng
from publius.core.guarantee import Guarantee

X_contra = TypeVar("X_contra", contravariant=True)
Z_co = TypeVar("Z_co", covariant=True)
Z = TypeVar("Z")


class Mechanism(Protocol[X_contra, Z_co]):
    """A randomised map with a guarantee."""

    @property
    def name(self) -> str:
        """Registered name with its version: a law never changes under a name."""
        ...

    def guarantee(self) -> Guarantee:
        """Return the guarantee of one call, per row."""
        ...

    def perturb(self, x: X_contra, rng: Rng) -> Z_co:
        """Draw one output for each row."""
        ...


class Tractable(Mechanism[X_contra, Z], Protocol[X_contra, Z]):
    """A mechanism whose law has a closed form."""

    def log_prob(self, z: Z, x: X_contra) -> FloatArray:
        """Return the log-density or log-probability of each `z` given its `x`."""
        ...


@runtime_checkable
class Finite(Mechanism[IdArray, IdArray], Protocol):
    """A mechanism from the words of a vocabulary (or ⊥) to its words."""

    @property
    def size(self) -> int:
        """Number of words."""
        ...

    def channel(self, x: IdArray) -> FloatArray:
        """Return log P(z | x) for every word z, one row per id; UNKNOWN is allowed."""
        ...


@runtime_checkable
class Pulling(Finite, Protocol):
    """A finite mechanism that sums over its inputs faster than row by row."""

    def pull(self, values: FloatArray) -> FloatArray:
        """Return the sum over x of ``P(z | x) * values[x]`` for every output z."""
        ...


@runtime_checkable
class Invertible(Finite, Protocol):
    """A finite mechanism that tells quickly which inputs make an output likely."""

    def likeliest(
        self, z: IdArray, log_prior: FloatArray, most: int
    ) -> tuple[IdArray, FloatArray]:
        """Return the inputs with the largest ``log_prior(x) + log P(z | x)``.

        Both results are ``(len(z), most)``, in no order; ids are -1 and weights -inf
        where there are fewer inputs.
        """
        ...


@runtime_checkable
class SpotChecked(Protocol):
    """A mechanism on words whose stored tables can be compared with the words."""

    @property
    def size(self) -> int:
        """Number of words."""
        ...

    def spot_check(self, ids: IdArray) -> None:
        """Raise RefutedError unless the law of these words is the guaranteed one."""
        ...


class Nearest(Protocol):
    """Find the closest of a fixed set of public points."""

    def nearest(self, points: FloatArray) -> IdArray:
        """Return the id of the closest public point to each row."""
        ...
