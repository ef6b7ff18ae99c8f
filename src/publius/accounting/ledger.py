"""What every subject has already lost, across releases: one private file."""

import heapq
import json
import sqlite3
from collections.abc import Iterator, Mapping
from dataclasses import astuple
from datetime import UTC, datetime
from itertools import groupby
from pathlib import Path
from typing import Any, NoReturn, Self

from publius.accounting.accounts import Account, ChargedRelease, Subject
from publius.accounting.ledger_file import explained, foreign, intact, open_file
from publius.accounting.names import alike, spelled
from publius.accounting.spending import Budget, Charge, Cost, Spending
from publius.core.arrays import at_least
from publius.core.errors import BudgetError, DataError, OutputError
from publius.core.guarantee import Guarantee

_SPENT = """
SELECT s.name, r.pure, r.near, r.gaussian, r.slack, SUM(c.guarantees), COUNT(*)
FROM charges c JOIN releases r ON r.id = c.release JOIN subjects s ON s.id = c.subject
WHERE {which}
GROUP BY c.subject, r.pure, r.near, r.gaussian, r.slack
ORDER BY c.subject
"""

_CHARGED = """
SELECT r.charged, r.mechanism, r.guarantee, r.pure, r.near, r.gaussian, r.slack,
       COUNT(c.subject), IFNULL(SUM(c.guarantees), 0), IFNULL(MAX(c.guarantees), 0)
FROM releases r {joined}
GROUP BY r.id
ORDER BY r.id
"""


class Ledger:
    """A private file of who was charged for what; use it as a context manager.

    Releases are charged before anything is drawn, in one transaction that no other
    release can come into.
    """

    def __init__(self, path: Path, connection: sqlite3.Connection) -> None:
        self._path = path
        self._connection = connection

    @classmethod
    def open(cls, path: str | Path, *, create: bool = True) -> Self:
        """Open a ledger, or begin one.

        Raises:
            DataError: The file is something else, or is missing.
            OutputError: Others may read it, or it cannot be written.
        """
        return cls(Path(path), open_file(Path(path), create=create))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file."""
        self._connection.close()

    def charge(
        self,
        job: str,
        charge: Charge,
        subjects: Mapping[Subject, int],
        *,
        budget: Budget | None = None,
        end: str | None = None,
    ) -> bool:
        """Charge every subject for a release that is about to be drawn.

        Args:
            job: Names the run; the same run is charged once, however often it is
                resumed.
            charge: What one guarantee costs.
            subjects: How many guarantees are spent on each.
            budget: Holds from now on; None keeps to the one that holds already.
            end: Names the end of the run, if nothing is left to draw.

        Returns:
            False if the run was charged before.

        Raises:
            BudgetError: Somebody would lose more than the budget; nobody was charged.
            DataError: The run was charged before, for something else.
            OutputError: The run has ended in another copy of its folder.
        """
        spent = {name: at_least("count", n, 0) for name, n in subjects.items() if n}
        with explained(self._path):
            over, holds = self._charge(job, charge, spent, budget)
            if over is None:
                self._refuse_ended(job, end)
            if over:
                self._refuse(over, len(spent), holds)
        return over is not None

    def _refuse(self, over: list[Account], count: int, holds: Budget) -> NoReturn:
        self._remember_refused(over, holds.delta)
        raise BudgetError(
            f"{len(over)} of {count} subjects would lose more in all than the "
            f"budget of {holds}; nothing was released and nothing charged: choose a "
            "smaller ε, release fewer rows, or leave out those whom publius ledger "
            "show --refused names"
        )

    def rehearse(
        self,
        charge: Charge,
        subjects: Mapping[Subject, int],
        budget: Budget | None = None,
    ) -> None:
        """Raise what charging a new run would raise, and charge nobody.

        Args:
            charge: What one guarantee costs.
            subjects: How many guarantees are spent on each.
            budget: Would hold; None keeps to the one that holds already.

        Raises:
            BudgetError: Somebody would lose more than the budget.
        """
        spent = {name: at_least("count", n, 0) for name, n in subjects.items() if n}
        with explained(self._path):
            over, holds = self._charge("", charge, spent, budget, is_kept=False)
            if over:
                self._refuse(over, len(spent), holds)

    def end(self, job: str, end: str) -> None:
        """Note that a run has drawn everything; it does so once for its charge.

        Args:
            job: Names the run.
            end: Names its end, drawn where it ended: a copy of an unfinished run ends
                under another name.

        Raises:
            OutputError: The run has ended elsewhere.
        """
        with explained(self._path):
            self._connection.execute(
                "UPDATE releases SET ended = ? WHERE job = ? AND ended IS NULL",
                (end, job),
            )
            self._refuse_ended(job, end)

    def _refuse_ended(self, job: str, end: str | None) -> None:
        """Raise if a run has ended under another name: it would be drawn twice."""
        endings = self._all("SELECT ended FROM releases WHERE job = ?", job)
        if any(ended not in (None, end) for (ended,) in endings):
            raise OutputError(
                "this run has ended in another copy of the folder, and one charge pays "
                "for one release; publish that one, or start anew in another folder"
            )

    def take_back(self, job: str) -> None:
        """Take back the charge of a run that failed before anything of it was kept."""
        with explained(self._path), self._connection as connection:
            connection.execute("BEGIN IMMEDIATE")
            connection.execute("DELETE FROM releases WHERE job = ?", (job,))
            # Whoever was never charged is not named either.
            connection.execute(
                "DELETE FROM subjects WHERE name IS NOT NULL"
                " AND id NOT IN (SELECT subject FROM charges)"
            )

    @property
    def budget(self) -> Budget:
        """The budget that holds; without limits if none was ever set."""
        terms = self._all("SELECT worst, near, delta FROM terms")
        with intact(self._path):
            (written,) = terms
            return Budget(*written)

    def lost(self, subject: Subject) -> Spending:
        """Return what a subject has lost; nothing if it is not known."""
        account = self.account(subject)
        return Spending() if account is None else account.spending

    def account(self, subject: Subject) -> Account | None:
        """Return one subject, or None if it was never charged."""
        with explained(self._path):
            return next(self._accounts("s.name IS ?", subject), None)

    def accounts(self, limit: int, delta: float) -> list[Account]:
        """Return those who lost most, most first; equals by name.

        Args:
            limit: At most so many.
            delta: At which ε is compared.
        """
        with explained(self._path):
            accounts = self._accounts("TRUE")
            return heapq.nsmallest(
                limit,
                accounts,
                key=lambda a: (
                    -a.spending.epsilon(delta),
                    -a.spending.near_epsilon(delta),
                    a.name or "",
                ),
            )

    def subjects(self) -> int:
        """Return how many subjects were ever charged."""
        return int(self._all("SELECT COUNT(DISTINCT subject) FROM charges")[0][0])

    def alike(self) -> int:
        """Return how many accounts have a name that differs from another's in form.

        That is in case, blanks or Unicode form only: they may be of one person.
        """
        with explained(self._path):
            return sum(len(group) - 1 for group in alike(self._names()))

    def spelled(self, subjects: Mapping[Subject, int]) -> dict[Subject, int]:
        """Add up what is spent on names that differ in form, under one spelling each.

        The spelling is that of the oldest account, or of the first such name.
        """
        with explained(self._path):
            return spelled(subjects, self._names())

    def merge_alike(self) -> int:
        """Join accounts whose names differ in form, into the oldest; return how many.

        What each of them lost is added up, so that nobody's loss gets smaller.
        """
        with explained(self._path), self._connection as connection:
            connection.execute("BEGIN IMMEDIATE")
            groups = alike(self._names())
            for first, *others in groups:
                for other in others:
                    self._move(other, first)
            connection.execute("DELETE FROM refused")
            return sum(len(group) - 1 for group in groups)

    def _names(self) -> list[str]:
        """Return all names, those of the oldest accounts first."""
        rows = self._all("SELECT name FROM subjects WHERE name IS NOT NULL ORDER BY id")
        return [str(name) for (name,) in rows]

    def _move(self, name: str, into: str) -> None:
        ids = [
            self._all("SELECT id FROM subjects WHERE name = ?", n) for n in (name, into)
        ]
        (old,), (new,) = ids[0][0], ids[1][0]
        self._connection.execute(
            "INSERT INTO charges SELECT ?, release, guarantees FROM charges"
            " WHERE subject = ? ON CONFLICT (subject, release)"
            " DO UPDATE SET guarantees = guarantees + excluded.guarantees",
            (new, old),
        )
        self._connection.execute("DELETE FROM charges WHERE subject = ?", (old,))
        self._connection.execute("DELETE FROM subjects WHERE id = ?", (old,))

    def charges(self) -> list[ChargedRelease]:
        """Return all releases in the order in which they were charged."""
        return self._charges("LEFT JOIN charges c ON c.release = r.id")

    def history(self, subject: Subject) -> list[ChargedRelease]:
        """Return the releases that a subject was in, with its own guarantees only."""
        return self._charges(
            "JOIN charges c ON c.release = r.id"
            " JOIN subjects s ON s.id = c.subject WHERE s.name IS ?",
            subject,
        )

    def refused(self) -> list[tuple[Subject, float, float]]:
        """Return who would have lost too much, at worst and near, if it was refused.

        A later release that is charged makes the ledger forget them.
        """
        order = "SELECT name, worst, near FROM refused ORDER BY worst DESC, name"
        return [(name, worst, near) for name, worst, near in self._all(order)]

    def _charge(
        self,
        job: str,
        charge: Charge,
        spent: Mapping[Subject, int],
        budget: Budget | None,
        *,
        is_kept: bool = True,
    ) -> tuple[list[Account] | None, Budget]:
        """Write a charge; return who is over which budget, None if it stood there."""
        with self._connection as connection:
            connection.execute("BEGIN IMMEDIATE")
            if self._is_charged(job, charge, spent):
                return None, self.budget
            if budget is not None:
                connection.execute(
                    "UPDATE terms SET worst = ?, near = ?, delta = ?", astuple(budget)
                )
            connection.execute("DELETE FROM refused")
            release = self._write(job, charge, spent)
            holds = self.budget
            over = self._over(release, holds)
            if over or not is_kept:
                connection.rollback()
            return over, holds

    def _is_charged(
        self, job: str, charge: Charge, spent: Mapping[Subject, int]
    ) -> bool:
        costs = self._all(
            "SELECT id, pure, near, gaussian, slack FROM releases WHERE job = ?", job
        )
        if not costs:
            return False
        release, *numbers = costs[0]
        with intact(self._path):
            cost = Cost(*numbers)
        before = self._all(
            "SELECT s.name, c.guarantees FROM charges c"
            " JOIN subjects s ON s.id = c.subject WHERE c.release = ?",
            release,
        )
        if cost != charge.cost or dict(before) != dict(spent):
            raise DataError(
                "this run was charged before for something else; start anew in "
                "another folder"
            )
        return True

    def _write(self, job: str, charge: Charge, spent: Mapping[Subject, int]) -> int:
        cost, now = charge.cost, datetime.now(UTC).isoformat(timespec="seconds")
        guarantee = json.dumps(charge.guarantee.to_json(), ensure_ascii=False)
        row = (job, now, charge.mechanism, guarantee, *astuple(cost))
        release = self._connection.execute(
            "INSERT INTO releases VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?, NULL)", row
        ).lastrowid
        self._connection.executemany(
            "INSERT INTO subjects (name) VALUES (?) ON CONFLICT DO NOTHING",
            ((_checked(name),) for name in spent if name is not None),
        )
        written = self._connection.executemany(
            "INSERT INTO charges SELECT id, ?, ? FROM subjects WHERE name IS ?",
            ((release, count, name) for name, count in spent.items()),
        ).rowcount
        if release is None or max(written, 0) != len(spent):
            raise foreign(self._path)  # nobody may be left out
        return release

    def _over(self, release: int, budget: Budget) -> list[Account]:
        """Return who of a release is over the budget, with all that was lost."""
        charged = self._accounts(
            "c.subject IN (SELECT subject FROM charges WHERE release = ?)", release
        )
        return [account for account in charged if not budget.allows(account.spending)]

    def _remember_refused(self, over: list[Account], delta: float) -> None:
        """Keep the names where only the owner sees them; a message may be logged."""
        lost = (
            (a.name, a.spending.epsilon(delta), a.spending.near_epsilon(delta))
            for a in over
        )
        with self._connection as connection:
            connection.execute("BEGIN IMMEDIATE")
            connection.execute("DELETE FROM refused")
            connection.executemany("INSERT INTO refused VALUES (?, ?, ?)", lost)

    def _accounts(self, which: str, *values: Subject | int) -> Iterator[Account]:
        rows = self._connection.execute(_SPENT.format(which=which), values)
        for name, group in groupby(rows, key=lambda row: row[0]):
            parts = list(group)
            with intact(self._path):
                spending = Spending.of((Cost(*row[1:5]), row[5]) for row in parts)
                account = Account(name, sum(int(row[6]) for row in parts), spending)
            yield account

    def _charges(self, joined: str, *values: Subject) -> list[ChargedRelease]:
        rows = self._all(_CHARGED.format(joined=joined), *values)
        with intact(self._path):
            return [
                ChargedRelease(
                    str(row[0]),
                    Charge(str(row[1]), _guarantee(row[2]), Cost(*row[3:7])),
                    *(int(count) for count in row[7:]),
                )
                for row in rows
            ]

    def _all(self, query: str, *values: Subject | int) -> list[tuple[Any, ...]]:
        with explained(self._path):
            return self._connection.execute(query, values).fetchall()


def _guarantee(written: str) -> Guarantee:
    return Guarantee.from_json(json.loads(written))


def _checked(name: str) -> str:
    """Refuse what is no text; the error of SQLite's driver would quote it."""
    try:
        name.encode()
    except UnicodeEncodeError:
        pass  # its text quotes the name
    else:
        return name
    raise DataError("the name of a subject is not valid Unicode")
