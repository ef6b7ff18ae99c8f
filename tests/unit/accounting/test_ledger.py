"""The ledger: charged once, by one at a time, in a private file."""

import math
import sqlite3
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from publius.accounting import Ledger, ledger_file
from publius.accounting.accounts import by_metric
from publius.accounting.spending import Budget, Charge, Cost, Spending
from publius.core.errors import BudgetError, DataError, OutputError, ParameterError
from publius.core.guarantee import Flat, Guarantee, Landmarks, Linear, Scope, Unit

GUARANTEE = Guarantee(
    "hop", Unit.TOKEN, (Linear(2.0, 8.0),), Scope(("a",), ("b",)), Landmarks(1, 4, 9)
)
COST = Cost(9.0, 2.0)
CHARGE = Charge("m.v1", GUARANTEE, COST)
NOISY = Charge("n.v1", GUARANTEE, Cost(0.0, 0.0, 0.25))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "ledger.db"


def test_losses_add_up_across_releases(path: Path) -> None:
    with Ledger.open(path) as ledger:
        assert ledger.charge("one", CHARGE, {"ann": 3, "bob": 1})
        assert ledger.charge("two", CHARGE, {"ann": 1, "eve": 0})
    with Ledger.open(path) as ledger:
        assert ledger.lost("ann") == Spending(((COST, 4),))
        assert ledger.lost("ann").epsilon() == 36
        assert ledger.lost("ann").near_epsilon() == 8
        assert ledger.lost("eve") == Spending()
        assert ledger.subjects() == 2


def test_charging_n_times_is_n_charges(path: Path) -> None:
    charges = [CHARGE, NOISY, Charge("x.v1", GUARANTEE, Cost(0.1, 0.1))]
    with Ledger.open(path) as ledger:
        for n in range(7):
            for k, charge in enumerate(charges):
                ledger.charge(f"{n}.{k}", charge, {"often": 3})
        for k, charge in enumerate(charges):
            ledger.charge(f"once.{k}", charge, {"once": 21})
        assert ledger.lost("often") == ledger.lost("once")
        assert ledger.lost("often") == Spending.of((b.cost, 21) for b in charges)


def test_the_same_run_is_charged_once(path: Path) -> None:
    with Ledger.open(path) as ledger:
        assert ledger.charge("job", CHARGE, {"ann": 3})
        assert not ledger.charge("job", CHARGE, {"ann": 3})
        assert ledger.lost("ann").count == 3


@pytest.mark.parametrize(
    ("charge", "subjects"),
    [(CHARGE, {"ann": 2}), (NOISY, {"ann": 3}), (CHARGE, {"bob": 3})],
)
def test_a_run_does_not_turn_into_another(
    path: Path, charge: Charge, subjects: dict[str | None, int]
) -> None:
    with Ledger.open(path) as ledger:
        ledger.charge("job", CHARGE, {"ann": 3})
        with pytest.raises(DataError, match="something else"):
            ledger.charge("job", charge, subjects)
        assert ledger.lost("ann") == Spending(((COST, 3),))


def test_a_charge_is_taken_back(path: Path) -> None:
    with Ledger.open(path) as ledger:
        ledger.charge("kept", CHARGE, {"ann": 1})
        ledger.charge("gone", CHARGE, {"ann": 3, "bob": 1, "somebody": 1})
        ledger.take_back("gone")
        ledger.take_back("never")
        assert b"somebody" not in path.read_bytes()
        assert ledger.lost("ann").count == 1
        assert ledger.lost("bob") == Spending()
        assert len(ledger.charges()) == 1


def test_over_budget_nobody_is_charged(path: Path) -> None:
    with Ledger.open(path) as ledger:
        ledger.charge("one", CHARGE, {"secret name": 2}, budget=Budget(20))
        with pytest.raises(BudgetError) as raised:
            ledger.charge("two", CHARGE, {"secret name": 1, "bob": 1, None: 3})
        assert str(raised.value).startswith("2 of 3 subjects")
        assert "ε = 20" in str(raised.value)
        assert "secret" not in str(raised.value)
        assert ledger.lost("bob") == Spending()
        assert len(ledger.charges()) == 1
        assert ledger.refused() == [(None, 27, 6), ("secret name", 27, 6)]
        ledger.charge("three", CHARGE, {"bob": 2})  # up to the budget
        assert ledger.refused() == []


def test_a_budget_holds_until_another_is_given(path: Path) -> None:
    with Ledger.open(path) as ledger:
        assert ledger.budget == Budget()
        ledger.charge("one", CHARGE, {"ann": 2}, budget=Budget(20, 30, 1e-5))
    with Ledger.open(path) as ledger:
        assert ledger.budget == Budget(20, 30, 1e-5)
        with pytest.raises(BudgetError):
            ledger.charge("two", CHARGE, {"ann": 1}, budget=Budget(26))
        assert ledger.budget == Budget(20, 30, 1e-5)
        assert ledger.charge("two", CHARGE, {"ann": 1}, budget=Budget(27))
        assert ledger.budget == Budget(27)


def test_the_near_budget_is_a_limit_of_its_own(path: Path) -> None:
    with Ledger.open(path) as ledger:
        ledger.charge("one", CHARGE, {"ann": 2}, budget=Budget(near=5))
        with pytest.raises(BudgetError, match="near"):
            ledger.charge("two", CHARGE, {"ann": 1})


def test_no_bound_is_never_taken_for_nothing(path: Path) -> None:
    free = Guarantee("m", Unit.TOKEN, (Flat(math.inf),))
    charge = Charge("x.v1", free, Cost.of(free))
    with Ledger.open(path) as ledger:
        ledger.charge("one", charge, {"ann": 1})
        ledger.charge("two", CHARGE, {"ann": 1})
        assert ledger.lost("ann").epsilon() == math.inf
        assert ledger.charges()[0].worst.epsilon() == math.inf
        with pytest.raises(BudgetError):
            ledger.charge("three", charge, {"bob": 1}, budget=Budget(1e12))


def test_rows_of_nobody_are_one_subject_of_their_own(path: Path) -> None:
    with Ledger.open(path) as ledger:
        ledger.charge("one", CHARGE, {None: 2, "None": 5, "": 1})
        ledger.charge("two", CHARGE, {None: 1})
        assert ledger.lost(None).count == 3
        assert ledger.lost("None").count == 5
        account = ledger.account(None)
        assert account is not None
        assert (account.name, account.releases) == (None, 2)
        assert ledger.account("nobody") is None


def test_those_who_lost_most_come_first(path: Path) -> None:
    with Ledger.open(path) as ledger:
        ledger.charge("one", CHARGE, {"b": 2, "a": 2, "c": 9, "d": 1})
        found = [account.name for account in ledger.accounts(3, 1e-6)]
        assert found == ["c", "a", "b"]


def test_releases_are_listed_as_they_were_charged(path: Path) -> None:
    with Ledger.open(path) as ledger:
        ledger.charge("one", CHARGE, {"ann": 2, "bob": 5})
        ledger.charge("two", NOISY, {"bob": 1})
        ledger.charge("none", CHARGE, {})
        first, second, empty = ledger.charges()
        assert first.charge == CHARGE
        assert (first.subjects, first.guarantees, first.most) == (2, 7, 5)
        assert second.charge == NOISY
        assert (empty.subjects, empty.guarantees, empty.most) == (0, 0, 0)
        assert [c.guarantees for c in ledger.history("bob")] == [5, 1]
        assert [c.charge.mechanism for c in ledger.history("ann")] == ["m.v1"]


def test_only_losses_under_one_metric_are_added_per_unit(path: Path) -> None:
    other = Guarantee("angle", Unit.TOKEN, (Linear(3.0),))
    with Ledger.open(path) as ledger:
        ledger.charge("one", CHARGE, {"ann": 2})
        ledger.charge("two", CHARGE, {"ann": 3})
        ledger.charge("three", Charge("y.v1", other, Cost(9, 9)), {"ann": 1})
        found = by_metric(ledger.history("ann"))
    assert [(f.metric, f.guarantees, f.loss) for f in found] == [
        ("hop", 5, 10.0),
        ("angle", 1, 3.0),
    ]


def test_only_the_owner_can_read_it(path: Path) -> None:
    Ledger.open(path).close()
    assert path.stat().st_mode & 0o777 == 0o600
    assert [entry.name for entry in path.parent.iterdir()] == ["ledger.db"]
    path.chmod(0o640)
    with pytest.raises(OutputError, match="chmod 600"):
        Ledger.open(path)


def private(path: Path, content: bytes) -> Path:
    path.write_bytes(content)
    path.chmod(0o600)
    return path


def test_something_else_is_refused_and_left_alone(path: Path) -> None:
    text = private(path, b"not a database, but somebody's diary" * 99)
    with pytest.raises(DataError, match="not a ledger"):
        Ledger.open(text)
    assert text.read_bytes().startswith(b"not a database")


def test_another_database_is_refused_and_left_alone(path: Path) -> None:
    private(path, b"")
    with sqlite3.connect(path) as other:
        other.execute("PRAGMA journal_mode = WAL")
        other.execute("CREATE TABLE t (x)")
    other.close()
    before = path.read_bytes()
    with pytest.raises(DataError, match="not a ledger"):
        Ledger.open(path)
    assert path.read_bytes() == before


def test_a_newer_ledger_is_refused(path: Path) -> None:
    Ledger.open(path).close()
    with sqlite3.connect(path) as connection:
        connection.execute("PRAGMA user_version = 4")
    connection.close()
    with pytest.raises(DataError, match="version 4"):
        Ledger.open(path)


def test_a_missing_ledger_is_only_begun_where_it_is_asked(path: Path) -> None:
    with pytest.raises(DataError, match="no ledger"):
        Ledger.open(path, create=False)
    with pytest.raises(DataError, match="is a folder, not a ledger"):
        Ledger.open(path.parent)
    with pytest.raises(OutputError, match="cannot make"):
        Ledger.open(path / "there" / "ledger.db")
    private(path, b"")  # an empty file is nothing else yet
    Ledger.open(path).close()
    Ledger.open(path, create=False).close()


def test_a_ledger_is_begun_once(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Ledger.open(path) as ledger:
        ledger.charge("one", CHARGE, {"ann": 1})
    whole = ledger_file._number  # as if another had just begun it
    empty = {"page_count": 0}
    monkeypatch.setattr(
        ledger_file, "_number", lambda c, name: empty.get(name, whole(c, name))
    )
    with Ledger.open(path) as ledger:
        assert ledger.lost("ann").count == 1


def test_a_busy_ledger_says_so(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("publius.accounting.ledger_file.PATIENCE", 0.01)
    with Ledger.open(path) as ledger:
        other = sqlite3.connect(path, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(OutputError, match="another release"):
            ledger.charge("one", CHARGE, {"ann": 1})
        other.close()
        assert ledger.charge("one", CHARGE, {"ann": 1})


def test_a_damaged_ledger_says_so(path: Path) -> None:
    with Ledger.open(path) as ledger:
        other = sqlite3.connect(path, isolation_level=None)
        other.execute("DROP TABLE refused")
        other.close()
        with pytest.raises(OutputError, match="cannot be read"):
            ledger.refused()


def read(ledger: Ledger) -> object:
    return ledger.lost("ann"), ledger.charges(), ledger.budget


@pytest.mark.parametrize(
    "harm",
    [
        "UPDATE releases SET pure = -1",
        "UPDATE releases SET near = 'much'",
        "UPDATE releases SET guarantee = '{}'",
        "UPDATE terms SET delta = 7",
        "DELETE FROM terms",
    ],
)
def test_values_that_no_ledger_holds_are_refused(path: Path, harm: str) -> None:
    with Ledger.open(path) as ledger:
        ledger.charge("one", CHARGE, {"ann": 1})
        with sqlite3.connect(path) as other:
            other.execute(harm)
        other.close()
        with pytest.raises(DataError, match="damaged"):
            read(ledger)


def test_nobody_is_left_out_silently(path: Path) -> None:
    with Ledger.open(path) as ledger:
        with sqlite3.connect(path) as other:
            other.execute("DELETE FROM subjects")
        other.close()
        with pytest.raises(DataError, match="damaged"):
            ledger.charge("one", CHARGE, {"ann": 1, None: 1})
        assert ledger.charges() == []


def test_names_that_are_no_text_are_not_quoted(path: Path) -> None:
    with Ledger.open(path) as ledger:
        with pytest.raises(DataError) as raised:
            ledger.charge("one", CHARGE, {"secret\ud800": 1})
        assert "secret" not in str(raised.value)
        assert ledger.charges() == []


@pytest.mark.parametrize("count", [-1, 0.5, math.nan])
def test_impossible_counts_are_refused(path: Path, count: float) -> None:
    with Ledger.open(path) as ledger, pytest.raises(ParameterError, match="count"):
        ledger.charge("one", CHARGE, {"ann": count})  # type: ignore[dict-item]


RIVAL = """
import sys
from publius.accounting import Charge, Budget, Cost, Ledger
from publius.core.errors import BudgetError
from publius.core.guarantee import Flat, Guarantee, Unit
charge = Charge("m.v1", Guarantee("m", Unit.TOKEN, (Flat(1.0),)), Cost(1.0, 1.0))
path, name = sys.argv[1:]
sys.stdin.readline()
done = 0
for number in range(15):
    with Ledger.open(path) as ledger:
        try:
            done += ledger.charge(f"{name}{number}", charge, {"ann": 1, name: 1},
                                  budget=Budget(20.0))
        except BudgetError:
            pass
print(done)
"""


def test_two_releases_at_once_never_pass_the_budget(path: Path) -> None:
    rivals = [
        subprocess.Popen(  # noqa: S603 - our own program
            [sys.executable, "-c", RIVAL, str(path), name],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for name in ("x", "y")
    ]
    with ThreadPoolExecutor(2) as pool:
        said = list(pool.map(lambda rival: rival.communicate("go\n")[0], rivals))
    assert sum(map(int, said)) == 20
    with Ledger.open(path) as ledger:
        assert ledger.lost("ann").epsilon() == 20
        assert len(ledger.charges()) == 20


VERSION_2 = ("ALTER TABLE charges RENAME COLUMN guarantees TO promises",)
VERSION_1 = (*VERSION_2, "ALTER TABLE releases DROP COLUMN ended")


@pytest.mark.parametrize(("version", "changes"), [(1, VERSION_1), (2, VERSION_2)])
def test_an_older_ledger_is_mended(
    path: Path, version: int, changes: tuple[str, ...]
) -> None:
    with Ledger.open(path) as ledger:
        ledger.charge("before", CHARGE, {"ann": 2})
    with sqlite3.connect(path) as connection:
        for change in (*changes, f"PRAGMA user_version = {version}"):
            connection.execute(change)
    connection.close()
    for _ in range(2):
        with Ledger.open(path, create=False) as ledger:
            ledger.charge("run", CHARGE, {"ann": 1}, end="here")
            ledger.end("run", "here")
            assert ledger.lost("ann").count == 3


def test_a_run_ends_once(path: Path) -> None:
    with Ledger.open(path) as ledger:
        ledger.charge("run", CHARGE, {"ann": 1})
        ledger.end("run", "here")
        ledger.end("run", "here")
        assert not ledger.charge("run", CHARGE, {"ann": 1}, end="here")
        for attempt in (
            lambda: ledger.end("run", "there"),
            lambda: ledger.charge("run", CHARGE, {"ann": 1}),
        ):
            with pytest.raises(OutputError, match="ended in another copy"):
                attempt()
