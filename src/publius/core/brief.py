"""How things with large tables are printed: in one line, without the tables."""

from typing import Protocol


class Named(Protocol):
    """What has a registered name and a number of words."""

    @property
    def name(self) -> str:
        """Registered name."""
        ...

    @property
    def size(self) -> int:
        """Number of words."""
        ...


class Placed(Protocol):
    """What has a metric and a number of points."""

    @property
    def id(self) -> str:
        """Metric and fingerprint."""
        ...

    @property
    def size(self) -> int:
        """Number of points."""
        ...


def brief_mechanism(self: Named) -> str:
    """Return class, registered name and number of words."""
    return f"<{type(self).__name__} {self.name}: {self.size:,} words>"


def brief_space(self: Placed) -> str:
    """Return class, metric and number of points."""
    return f"<{type(self).__name__} {self.id}: {self.size:,} points>"
