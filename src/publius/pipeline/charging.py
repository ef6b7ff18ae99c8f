"""Charge a ledger before anything is drawn, once per run."""

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Protocol

import pyarrow as pa

from publius.accounting.accounts import Subject
from publius.accounting.ledger import Ledger
from publius.accounting.spending import Budget, Charge
from publius.core.config import LedgerSettings
from publius.core.errors import DataError, OutputError, ParameterError
from publius.core.guarantee import Scope
from publius.core.watch import Watch
from publius.materials.form import Form
from publius.materials.treatment import Prepared
from publius.pipeline.request import ReleaseRequest
from publius.tables.read import STDIN
from publius.tables.shards import Cut, shards
from publius.tables.source import Source

CHARGED = Scope(
    covered=(
        "Repetition: a ledger was charged with what this release costs at worst, "
        "before anything of it was drawn.",
    )
)
"""All that a manifest says about a ledger."""


class Working(Protocol):
    """Where the names of a run are kept as long as it can be resumed."""

    @property
    def is_bare(self) -> bool:
        """Whether nothing that was drawn is kept."""
        ...

    def run_name(self) -> str:
        """Return a random name of this run, which a resumed run has too."""
        ...

    def last_name(self) -> str | None:
        """Return the name of the run's end; None while something is left to draw."""
        ...

    def draw_last_name(self) -> str:
        """Return a random name of the run's end."""
        ...

    def law(self, digest: str) -> str:
        """Return a digest of the law that the run began with, which is this or none."""
        ...


@dataclass(frozen=True, slots=True)
class Charging:
    """A ledger that the run of a folder is charged to.

    Args:
        settings: The file and the budget; None charges nothing.
        ledger: Opened; None if nothing is charged.
        watch: Told that charging begins.
    """

    settings: LedgerSettings | None = None
    ledger: Ledger | None = None
    watch: Watch = field(default_factory=Watch)

    @classmethod
    @contextmanager
    def opened(
        cls, settings: LedgerSettings | None, watch: Watch
    ) -> Iterator["Charging"]:
        """Open the ledger before anything heavy is loaded."""
        if settings is None:
            yield cls()
            return
        with Ledger.open(settings.file) as ledger:
            yield cls(settings, ledger, watch)

    @property
    def scope(self) -> Scope:
        """What the manifest says."""
        return Scope() if self.ledger is None else CHARGED

    def rehearse(
        self, charge: Charge, count: Callable[[], Mapping[Subject, int]]
    ) -> None:
        """Raise if the budget would refuse a new run, before room is made for it."""
        if self.ledger is None or self.settings is None:
            return
        self.watch.stage("asking the ledger")
        subjects = count()
        self.ledger.rehearse(
            charge.covering(self.scope),
            self.ledger.spelled(subjects) if self.settings.fold_names else subjects,
            _budget(self.settings, self.ledger.budget),
        )

    @contextmanager
    def before(
        self,
        folder: Working,
        charge: Charge,
        count: Callable[[], Mapping[Subject, int]],
        *,
        is_seen_early: bool = False,
    ) -> Iterator[Mapping[Subject, int] | None]:
        """Charge every subject, then let the block draw.

        A run that is killed stays charged. One that has drawn everything is noted as
        ended, so that no copy of its folder can be finished for the same charge. One
        that fails while nothing that it drew is on the disk gives the charge back:
        nobody can have seen anything.

        Args:
            folder: Where the run's own name is kept as long as it can be resumed.
            charge: What one guarantee costs.
            count: Counts the guarantees of each subject in one more pass.
            is_seen_early: Somebody else sees what is drawn before it is committed, so
                that no charge is given back.

        Yields:
            What was charged; None without a ledger.

        Raises:
            OutputError: A part of the run was drawn under another law.
        """
        digest = _digest_of(charge)
        if folder.law(digest) != digest:
            raise OutputError(
                "cannot resume: the law changed since the run began, by another "
                "embedding or version; use what it began with, or another folder"
            )
        if self.ledger is None or self.settings is None:
            yield None
            folder.draw_last_name()
            return
        self.watch.stage("charging the ledger")
        subjects, job = count(), folder.run_name()
        budget = _budget(self.settings, self.ledger.budget)
        folds = self.settings.fold_names
        self.ledger.charge(
            job,
            charge.covering(self.scope),
            self.ledger.spelled(subjects) if folds else subjects,
            budget=budget,
            end=folder.last_name(),
        )
        is_done = False
        try:
            yield subjects
            is_done = True
            self.ledger.end(job, folder.draw_last_name())
        finally:
            if not is_done and not is_seen_early and folder.is_bare:
                with suppress(OutputError):  # then the charge stands
                    self.ledger.take_back(job)


def _digest_of(charge: Charge) -> str:
    """Return a digest of a guarantee, without its sentences."""
    guarantee = replace(charge.guarantee, scope=Scope()).to_json()
    told = json.dumps([charge.mechanism, guarantee], sort_keys=True)
    return hashlib.sha256(told.encode()).hexdigest()


def check_ledger(
    settings: LedgerSettings | None, *, path: str, out: Path, seed: int | None
) -> None:
    """Raise before anything is read if the ledger cannot be charged for this run."""
    if settings is None:
        return
    if path == STDIN:
        raise ParameterError(
            "--ledger reads the input twice and cannot do so with standard input"
        )
    if seed is not None:
        raise ParameterError(
            "--seed makes the noise foreseeable, so that no loss has a bound; leave "
            "out --seed or --ledger"
        )
    if Path(settings.file).resolve().is_relative_to(out.resolve()):
        raise ParameterError(
            "the ledger holds names and must not lie in the released folder"
        )


def check_counts(
    counted: Mapping[Subject, int] | None, spent: Mapping[Subject, int]
) -> None:
    """Raise if the rows that were drawn are not those that were charged."""
    if counted is not None and Counter(counted) != Counter(spent):
        raise DataError("the input was changed while it was being released")


def count_guarantees(source: Source, form: Form, cut: Cut) -> Counter[Subject]:
    """Count in one pass how many guarantees of each author a release will spend."""
    spent: Counter[Subject] = Counter()
    author = source.columns.subject
    for shard in shards(source.batches(), cut):
        costs = form.costs(shard.table).tolist()
        if author is None:
            spent[None] += sum(costs)
            continue
        for name, cost in zip(authors(shard.table.column(author)), costs, strict=True):
            spent[name] += cost
    return spent


def rehearse_charge(
    request: ReleaseRequest[object],
    source: Source,
    prepared: Prepared[Any],
    watch: Watch,
) -> None:
    """Raise if a ledger would refuse the release for which another is removed."""
    charge = prepared.charge.covering(prepared.disclosed(source))
    with Charging.opened(request.ledger, watch) as charging:
        charging.rehearse(
            charge, lambda: count_guarantees(source, prepared.form, prepared.cut)
        )


def authors(column: pa.Array) -> list[Subject]:
    """Return whose each row is; None where the cell is missing or empty."""
    return [subject(name) for name in column.to_pylist()]


def subject(name: object) -> Subject:
    """Return the exact text of a name; None if nobody is named."""
    return None if name is None else str(name) or None


def _budget(settings: LedgerSettings, holds: Budget) -> Budget | None:
    """Return the budget that is to hold from now on: what is not given stays."""
    if settings.budget is settings.near_budget is settings.delta is None:
        return None
    return Budget(
        holds.worst if settings.budget is None else settings.budget,
        holds.near if settings.near_budget is None else settings.near_budget,
        holds.delta if settings.delta is None else settings.delta,
    )
