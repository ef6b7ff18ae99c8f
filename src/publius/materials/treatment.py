"""What is done to a material: the contract between the pipeline and its treatments."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Generic, Protocol, runtime_checkable

import pyarrow as pa

from publius.accounting.spending import Charge
from publius.core.arrays import FloatArray, IdArray
from publius.core.errors import ParameterError
from publius.core.guarantee import Guarantee, Scope
from publius.core.visible import visible_name
from publius.materials.form import Form
from publius.reporting.rendering import Private
from publius.reporting.summary import Exposure, FactsT, Summary
from publius.tables.shards import Cut
from publius.tables.source import Source


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


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Seen:
    """What a report is drawn from.

    Args:
        tables: Reads the released rows, as often as it is called.
        counts: Figures about released values.
        private: Shown on request only.
        originals: What private pictures are drawn from; None for none.
    """

    tables: Callable[[], Iterator[pa.Table]]
    counts: Mapping[str, int]
    private: Private
    originals: list[FloatArray | IdArray] | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Prepared(Generic[FactsT]):
    """A treatment whose public tables or model are in memory.

    Args:
        form: The shape in which protected columns leave.
        make_form: Builds the form anew in another process.
        charge: What one guarantee costs.
        disclosed: Says what a released table tells, whatever the mechanism is.
        facts: The guarantee and the disclosed figures → what this release tells.
        beside: The report, and other public files that lie beside the data.
        cut: After how much a shard ends.
        tells_length: Whether a released text tells how long its original was.
        is_on_gpu: Whether a model runs on a GPU where there is one.
        is_seen_early: Whether somebody else sees what is drawn before it is committed.
        is_writing: Whether a language model writes what leaves: slowly, in threads of
            its own, and in memory that more rows do not add to.
    """

    form: Form
    make_form: Callable[[], Form]
    charge: Charge
    disclosed: Callable[[Source], Scope]
    facts: Callable[[Guarantee, Exposure], FactsT]
    beside: Callable[[Summary[FactsT], Seen], dict[str, bytes]]
    cut: Cut = field(default_factory=Cut)
    tells_length: bool = False
    is_on_gpu: bool = False
    is_seen_early: bool = False
    is_writing: bool = False

    def summary(self, outcome: Outcome) -> Summary[FactsT]:
        """Return the facts about the release."""
        guarantee = self.charge.guarantee.covering(outcome.scope)
        facts = self.facts(guarantee, outcome.exposure)
        return Summary(facts, outcome.is_secure, outcome.files)


class Treatment(Protocol[FactsT]):
    """Checked settings, before anything heavy is loaded."""

    @property
    def settings(self) -> object:
        """The settings, with the defaults that were put in."""
        ...

    @property
    def is_typed(self) -> bool:
        """Whether protected columns may hold something else than strings."""
        ...

    @property
    def needs_rows(self) -> bool:
        """Whether a release without a row is refused."""
        ...

    def refuse(self, file_format: str) -> None:
        """Raise if the settings do not fit the format of the released table."""
        ...

    def job(self) -> dict[str, object]:
        """Return what must not change when a run is resumed; no secret is in it."""
        ...

    def prepare(self, source: Source, stage: Callable[[str], None]) -> Prepared[FactsT]:
        """Load what the treatment needs for this input; no row is read."""
        ...


@runtime_checkable
class Choosing(Protocol):
    """A treatment that may release some of the rows only."""

    @property
    def is_choosing(self) -> bool:
        """Whether it does."""
        ...

    def chosen(self, source: Source, stage: Callable[[str], None]) -> Source:
        """Return the source with the rows that are released; it may be read once."""
        ...


def disclosed_texts(source: Source, *, tells_length: bool) -> Scope:
    """Say what a released table of texts tells, whatever the mechanism is."""
    void = "empty" if tells_length else "missing; an empty text is drawn for"
    uncovered: tuple[str, ...] = (
        f"How many rows there are, their order, and which cells were {void}.",
    )
    if source.columns.subject is not None:
        most = "How much the author with most of it wrote."
        rows = "How many texts the author with most of them wrote."
        uncovered += (most if tells_length else rows,)
    return Scope(uncovered=(*uncovered, *kept_columns(source)))


def kept_columns(source: Source) -> tuple[str, ...]:
    """Say which columns leave unprotected."""
    if not source.columns.keep:
        return ()
    names = ", ".join(map(visible_name, source.columns.keep))
    return (f"The columns that were asked to be kept: {names}.",)


def refuse_geojson(file_format: str) -> None:
    """Refuse a format that holds nothing but places."""
    if file_format == "geojson":
        raise ParameterError("GeoJSON holds places; choose another --format")
