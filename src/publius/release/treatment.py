"""What is done to texts: the contract between the pipeline and its treatments."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Protocol, TypeVar

from publius.accounting.spending import Bill
from publius.core.guarantee import JsonValue, Scope
from publius.engines.words import Form
from publius.reporting.rendering import Private
from publius.reporting.summary import Exposure


@dataclass(frozen=True, slots=True)
class Outcome:
    """What every treatment's summary is told by the run.

    Args:
        scope: What a released table tells whatever the treatment is.
        exposure: Disclosed figures.
        is_secure: False when a seed was given.
        files: SHA-256 of each released file.
    """

    scope: Scope
    exposure: Exposure
    is_secure: bool
    files: Mapping[str, str]


class Summary(Protocol):
    """The facts about a finished release that may be published with it."""

    def to_json(self) -> dict[str, JsonValue]:
        """Return the manifest."""
        ...


SummaryT = TypeVar("SummaryT", bound=Summary)


class Prepared(Protocol[SummaryT]):
    """A treatment whose public tables or model are in memory."""

    @property
    def form(self) -> Form:
        """The shape in which texts leave."""
        ...

    @property
    def make_form(self) -> Callable[[], Form]:
        """Builds the form anew in another process."""
        ...

    @property
    def tells_length(self) -> bool:
        """Whether a released text tells how long its original was."""
        ...

    def bill(self) -> Bill:
        """Return what one promise costs."""
        ...

    def summary(self, outcome: Outcome) -> SummaryT:
        """Return the facts about the release."""
        ...

    def beside(self, summary: SummaryT, private: Private) -> dict[str, bytes]:
        """Return the report, and other public files that lie beside the data."""
        ...


class Treatment(Protocol[SummaryT]):
    """Checked settings, before anything heavy is loaded."""

    def refuse(self, file_format: str) -> None:
        """Raise if the settings do not fit the format of the released table."""
        ...

    def job(self) -> dict[str, object]:
        """Return what must not change when a run is resumed; no secret is in it."""
        ...

    def prepare(
        self, size_bytes: int | None, stage: Callable[[str], None]
    ) -> Prepared[SummaryT]:
        """Load what the treatment needs for an input of this size."""
        ...
