"""A damaged ledger: only errors of Publius escape, and they quote nobody."""

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from publius.accounting import Budget, Charge, Cost, Ledger
from publius.core.errors import PubliusError
from publius.core.guarantee import Gaussian, Guarantee, Linear, Unit

GUARANTEE = Guarantee("m", Unit.TOKEN, (Linear(1.0), Gaussian(2.0)))
CHARGE = Charge("m.v1", GUARANTEE, Cost(3.0, 1.0, 0.5))
SECRET = "secretname"  # noqa: S105 - a word, not a password


@pytest.fixture(scope="module")
def ledger_path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("ledger") / "whole.db"
    with Ledger.open(path) as ledger:
        for job in ("one", "two"):
            ledger.charge(job, CHARGE, {SECRET: 3, None: 1}, budget=Budget(1e6))
    return path


def read_all(path: Path) -> None:
    """Do everything that can be done with a ledger."""
    with Ledger.open(path, create=False) as ledger:
        ledger.charges()
        ledger.accounts(5, ledger.budget.delta)
        ledger.history(SECRET)
        ledger.refused()
        ledger.charge("one", CHARGE, {SECRET: 3, None: 1})
        ledger.charge("three", CHARGE, {SECRET: 1, "another": 1})
        ledger.take_back("two")


def said(path: Path) -> str:
    """Return the error that a ledger gives, if it gives one."""
    try:
        read_all(path)
    except PubliusError as error:
        return str(error)
    return ""


@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(changes=st.lists(st.tuples(st.floats(0, 1), st.integers(0, 255)), max_size=40))
def test_damage_is_refused_in_one_line(
    tmp_path: Path, ledger_path: Path, changes: list[tuple[float, int]]
) -> None:
    whole = ledger_path.read_bytes()
    damaged = bytearray(whole)
    # Most of the file is empty: damage what is written.
    places = [place for place, byte in enumerate(whole) if byte]
    for where, byte in changes:
        damaged[places[int(where * (len(places) - 1))]] = byte
    path = tmp_path / "damaged.db"
    path.write_bytes(bytes(damaged))
    path.chmod(0o600)
    assert SECRET not in said(path)
    (tmp_path / "damaged.db-journal").unlink(missing_ok=True)


@given(content=st.binary(max_size=200))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_anything_else_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "other.db"
    path.write_bytes(content)
    path.chmod(0o600)
    with pytest.raises(PubliusError):
        read_all(path)
    assert path.read_bytes() == content
