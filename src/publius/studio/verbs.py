"""Every verb as HTTP offers it: which fields may be sent, and how they are read."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from publius.core.declared import types_of
from publius.core.errors import UnknownNameError
from publius.core.watch import Watch
from publius.services.attack import AttackRequest, attack
from publius.services.audit import AuditRequest, audit
from publius.services.calibrate import CalibrateRequest, calibrate
from publius.services.certify import CertifyRequest, certify
from publius.services.compare import CompareRequest, compare
from publius.services.evaluate import EvaluateRequest, evaluate
from publius.services.explain import ExplainRequest, explain
from publius.services.leakage import LeakageRequest, leakage
from publius.services.link import LinkRequest, link
from publius.services.release import (
    PlacesRequest,
    RetoldRequest,
    RewriteRequest,
    TextRequest,
    TimesRequest,
    release,
    release_places,
    release_retold,
    release_times,
    rewrite,
)
from publius.services.retell import RetellRequest, retell
from publius.services.trial import TryRequest, try_text
from publius.services.verb import Result, Verb, request_from
from publius.studio import reading
from publius.studio.desk import Desk
from publius.studio.problems import PUBLIC
from publius.studio.reading import SHARED, Read
from publius.studio.recognise import recognise

Call = Callable[[Watch], Result]


@dataclass(frozen=True, slots=True, eq=False)
class Endpoint:
    """One verb of the service.

    Args:
        name: In the address.
        verb: What is called.
        readers: How each field is read; others cannot be sent.
        takes_settings: Settings of words may be sent too.
        writes: Field that gets a new private folder; empty if it writes nothing.
    """

    name: str
    verb: Verb[Any, Result]
    readers: Mapping[str, Read]
    takes_settings: bool = True
    writes: str = ""

    @property
    def kind(self) -> type[object]:
        """Return the type of its request."""
        kind: type[object] = self.verb.request
        return kind

    @property
    def is_charged(self) -> bool:
        """Say whether the server's ledger is charged before it draws."""
        return self.writes == "out" and "ledger" in types_of(self.kind)

    @property
    def summary(self) -> str:
        """Return what it does, in one sentence."""
        return (self.verb.__doc__ or "").strip().partition("\n")[0]

    def call(
        self,
        given: Mapping[str, object],
        desk: Desk,
        folder: Path | None = None,
        *,
        resume: bool = False,
    ) -> Call:
        """Return the call that a JSON object asks for; everything is checked first.

        Args:
            given: Fields and settings by name.
            desk: Files that were sent, and the ledger that releases are charged in.
            folder: For what it writes; None for a new one.
            resume: Continue what was begun in that folder.
        """
        read = reading.read_fields(given, self.readers, desk.uploads)
        if not self.takes_settings:
            own = {f.name for f in fields(self.kind)}  # type: ignore[arg-type]
            for name in read.keys() - own:
                raise UnknownNameError("field", name, self.readers)
        if self.writes:
            read[self.writes] = folder or desk.uploads.new_folder()
        if self.is_charged and desk.ledger is not None:
            read["ledger"] = desk.ledger
        if resume:
            read["resume"] = True
        request = request_from(self.kind, read)
        return lambda watch: self.verb(request, watch=watch)


def _plain(kind: type[object], *names: str) -> dict[str, Read]:
    return dict.fromkeys(names, reading.plain(kind))


def _table(kind: type[object], *columns: str) -> dict[str, Read]:
    """Return the fields that releases of all materials have."""
    return {
        "table": reading.table,
        "keep": reading.columns,
        **dict.fromkeys(columns, reading.column),
        **_plain(kind, "format", "input_format", "encoding", "seed", "workers"),
    }


RELEASES = (
    Endpoint(
        "release",
        release,
        {
            **_table(TextRequest, "text", "author", "label"),
            **_plain(TextRequest, "evaluate"),
        },
        writes="out",
    ),
    Endpoint(
        "rewrite",
        rewrite,
        {
            **_table(RewriteRequest, "text", "author"),
            "sentences": reading.sentences,
        },
        takes_settings=False,
        writes="out",
    ),
    Endpoint(
        "retell-table",
        release_retold,
        {
            **_table(RetoldRequest, "text", "author"),
            "retelling": reading.retelling,
        },
        takes_settings=False,
        writes="out",
    ),
    Endpoint(
        "times",
        release_times,
        {
            **_table(TimesRequest, "column", "user"),
            **_plain(
                TimesRequest,
                *("level", "radius", "period", "resolution", "unit"),
                *("is_local", "is_dropping"),
            ),
        },
        takes_settings=False,
        writes="out",
    ),
    Endpoint(
        "places",
        release_places,
        {
            **_table(PlacesRequest, "lat", "lon", "user"),
            **_plain(PlacesRequest, "level", "radius", "mechanism", "is_dropping"),
            "points": reading.table,
        },
        takes_settings=False,
        writes="out",
    ),
)
"""Verbs that write a release folder."""

ENDPOINTS: dict[str, Endpoint] = {
    one.name: one
    for one in (
        Endpoint(
            "try", try_text, {"text": reading.secret, **_plain(TryRequest, "seed")}
        ),
        Endpoint(
            "retell",
            retell,
            {
                "text": reading.secret,
                "retelling": reading.retelling,
                **_plain(RetellRequest, "seed"),
            },
            takes_settings=False,
        ),
        Endpoint("explain", explain, _plain(ExplainRequest, "word", "best")),
        Endpoint(
            "calibrate",
            calibrate,
            {
                "grid": reading.numbers,
                "target": reading.target,
                **_plain(CalibrateRequest, "is_measured"),
            },
        ),
        Endpoint("certify", certify, _plain(CertifyRequest)),
        Endpoint(
            "audit",
            audit,
            {
                "channel": reading.matrix,
                "metric": reading.metric,
                **_plain(AuditRequest, "epsilon", "confidence"),
            },
            takes_settings=False,
        ),
        Endpoint(
            "leakage",
            leakage,
            {
                **dict.fromkeys(
                    ("channel", "prior", "gain", "refined_by"), reading.matrix
                ),
                **_plain(LeakageRequest, "tolerance"),
            },
            takes_settings=False,
        ),
        Endpoint(
            "attack",
            attack,
            {
                "table": reading.table,
                "released": reading.released,
                "attacks": reading.strings,
                **_plain(
                    AttackRequest,
                    *("author", "text", "knowledge", "key", "split", "least"),
                    *("threshold", "knows_mechanism", "input_format", "seed"),
                ),
            },
        ),
        Endpoint(
            "evaluate",
            evaluate,
            {
                "table": reading.table,
                "released": reading.released,
                "released2": reading.released,
                "classifiers": reading.strings,
                "embedding": reading.embedding,
                **_plain(
                    EvaluateRequest,
                    *("label", "text", "text2", "score", "knowledge", "key", "split"),
                    *("pairs", "read", "input_format", "seed"),
                ),
            },
            takes_settings=False,
        ),
        Endpoint(
            "link",
            link,
            {
                "table": reading.table,
                "released": reading.released,
                **_plain(
                    LinkRequest,
                    *("user", "lat", "lon", "trajectory", "knowledge", "split"),
                    *("least", "input_format", "seed"),
                ),
            },
            takes_settings=False,
        ),
        Endpoint(
            "compare",
            compare,
            {
                "table": reading.table,
                "mechanisms": reading.strings,
                "levels": reading.numbers,
                "attacks": reading.strings,
                "classifiers": reading.strings,
                **_plain(
                    CompareRequest,
                    *("text", "author", "label", "split", "length"),
                    *("equal_privacy", "footing"),
                    *("authors", "least", "workers", "seed"),
                ),
            },
            writes="out",
        ),
        Endpoint("recognise", recognise, {"texts": reading.texts}),
        *RELEASES,
    )
}
"""Verbs by the name in their address."""

PUBLIC |= set(SHARED) | {name for one in ENDPOINTS.values() for name in one.readers}


def endpoint(name: object) -> Endpoint:
    """Look a verb up."""
    if not isinstance(name, str) or name not in ENDPOINTS:
        raise UnknownNameError("verb", str(name), ENDPOINTS)
    return ENDPOINTS[name]
