"""Link: whose places are these?"""

from dataclasses import dataclass

from publius.assessment.comparison.assess import experiment_rng
from publius.assessment.comparison.visits import (
    Linked,
    VisitRequest,
    Visits,
    read_visits,
)
from publius.assessment.comparison.visits import link as link_visits
from publius.core.config import check_one_of
from publius.core.html import html_table
from publius.core.watch import Watch
from publius.services.attack import KNOWLEDGE
from publius.services.paired import released_input
from publius.services.verb import verb
from publius.tables.formats.memory import as_input


@dataclass(frozen=True, slots=True, eq=False)
class LinkRequest:
    """Which places are linked to people.

    Args:
        table: A path, or a table in memory.
        user: Column that says whose record a row is.
        released: A file or release folder, or two columns of the table, as ``LAT,LON``
            or as a pair; places or a table themselves, or what a release returned.
        lat: Column of latitudes in degrees.
        lon: Column of longitudes in degrees.
        trajectory: Column that tells journeys of a person apart; None takes all.
        knowledge: ``both``, ``adaptive`` or ``static``.
        split: Column that says train or test; None takes the first half of each person.
        least: Records that a person must have.
        input_format: Where the name of the table does not tell.
        seed: Of the intervals; None for a fresh one.
        key: Column that names the same record in both tables; None for the same rows in
            the same order.
    """

    table: object
    user: str
    released: object
    lat: str = "lat"
    lon: str = "lon"
    trajectory: str | None = None
    knowledge: str = "both"
    split: str | None = None
    least: int = 2
    input_format: str | None = None
    seed: int | None = None
    key: str | None = None

    def __post_init__(self) -> None:
        check_one_of("knowledge", self.knowledge, tuple(KNOWLEDGE))


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Linking:
    """How often journeys are linked to their people.

    Args:
        visits: What was attacked; holds places.
        results: One per kind of place and knowledge.
    """

    visits: Visits
    results: tuple[Linked, ...]

    def to_json(self) -> dict[str, object]:
        """Return plain values; no place."""
        visits = self.visits
        return {
            "records": len(visits.users),
            "known": int(visits.is_known.sum()),
            "candidates": visits.people,
            "excluded": dict(visits.excluded),
            "attacks": [result.to_json() for result in self.results],
        }

    def __repr__(self) -> str:
        return f"<Linking of {self.visits.people} people>"

    def _repr_html_(self) -> str:
        rows = [
            (r.target, r.knowledge.value, r.scores.accuracy.value,
             r.scores.accuracy.low, r.scores.accuracy.high)
            for r in self.results
        ]  # fmt: skip
        names = ("target", "attacker", "accuracy", "low", "high")
        return html_table("Journeys linked to their people", names, rows)


@verb(LinkRequest)
def link(request: LinkRequest, watch: Watch) -> Linking:
    """Link released places to people and say how often that succeeds."""
    place, released = (request.lat, request.lon), request.released
    if isinstance(released, tuple | list) and all(isinstance(n, str) for n in released):
        released = ",".join(released)
    asked = VisitRequest(
        as_input(request.table),
        place,
        request.user,
        released_input(released, place),
        request.trajectory,
        request.split,
        request.least,
        request.input_format,
        request.key,
    )
    visits = read_visits(asked)
    kinds = KNOWLEDGE[request.knowledge]
    results = link_visits(
        visits, kinds, experiment_rng(request.seed), progress=watch.stage
    )
    return Linking(visits, tuple(results))
