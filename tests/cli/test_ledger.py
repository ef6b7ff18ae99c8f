"""publius ledger, and releases that charge it."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from publius.accounting import Charge, Cost, Ledger
from publius.core.guarantee import Gaussian, Guarantee, Unit

ROWS = "body,user\nThe people said: vote!,ann\nthe world,bob\npeople of the world,ann\n"
SMALL = ("--author", "user", "--vocabulary", 60)
Command = Callable[..., Any]


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "in.csv"
    path.write_text(ROWS)
    return path


def charge(publius: Command, table: Path, out: str, *options: object) -> Any:
    return publius("release", table, *SMALL, "--ledger", "led.db", "-o", out, *options)


def shown(publius: Command, *options: object) -> Any:
    done = publius("ledger", "show", "led.db", "--json", *options)
    assert done.code == 0, done.err
    return json.loads(done.out)


def test_two_releases_of_the_same_authors_add_up(publius: Command, table: Path) -> None:
    first = charge(publius, table, "one", "--budget", 400)
    assert first.code == 0, first.err
    assert "publius ledger show led.db" in first.out
    loss = json.loads((table.parent / "one" / "manifest.json").read_text())["losses"]
    assert charge(publius, table, "two", "--epsilon", 1).code == 0
    other = json.loads((table.parent / "two" / "manifest.json").read_text())["losses"]
    found = shown(publius)
    assert (found["subjects"], found["releases"], found["budget"]) == (2, 2, 400)
    ann, bob = found["accounts"]
    assert (ann["subject"], ann["releases"]) == ("ann", 2)
    total = loss["busiest_author"] + other["busiest_author"]
    assert ann["epsilon"] == pytest.approx(total)
    assert ann["left"] == pytest.approx(400 - total)
    assert bob["epsilon"] < ann["epsilon"]
    assert any("Stop words" in line for line in found["uncovered"])


def test_a_spent_budget_is_exit_3_and_names_nobody(
    publius: Command, table: Path
) -> None:
    refused = charge(publius, table, "one", "--budget", 20)
    assert refused.code == 3
    assert "1 of 2 subjects" in refused.err
    assert "ann" not in refused.err + refused.out
    assert not (table.parent / "one").exists()
    assert shown(publius)["accounts"] == []
    assert [row["subject"] for row in shown(publius, "--refused")["refused"]] == ["ann"]
    assert "ann" in publius("ledger", "show", "led.db", "--refused").out
    near = charge(publius, table, "one", "--near-budget", 1)
    assert near.code == 3
    assert charge(publius, table, "one").code == 0  # a refused budget does not hold
    assert "not refused" in publius("ledger", "show", "led.db", "--refused").out


def test_tables_say_what_they_mean(publius: Command, table: Path) -> None:
    charge(publius, table, "one", "--budget", 400, "--near-budget", 100)
    said = publius("ledger", "show", "led.db").out
    for part in ("ann", "bob", "near ε", "Budget: ε = 400", "odds", "Stop words"):
        assert part in said
    one = publius("ledger", "show", "led.db", "--subject", "ann").out
    assert "exponential.v1" in one
    assert "distance of 1" in one
    assert "bob" not in one
    listed = publius("ledger", "releases", "led.db").out
    assert "exponential.v1" in listed
    assert "ann" not in listed
    row = json.loads(publius("ledger", "releases", "led.db", "--json").out)["releases"]
    assert (row[0]["subjects"], row[0]["guarantee"]["unit"]) == (2, "token")


def test_subjects_who_were_never_charged_lost_nothing(
    publius: Command, table: Path
) -> None:
    charge(publius, table, "one")
    assert "Never charged" in publius("ledger", "show", "led.db", "--subject", "x").out
    found = shown(publius, "--unnamed")
    assert (found["subject"], found["epsilon"], found["charges"]) == (None, 0, [])


def test_names_cannot_steer_the_terminal(publius: Command, table: Path) -> None:
    table.write_text("body,user\nworld,[red]\x1b[31mann\n")
    charge(publius, table, "one")
    said = publius("ledger", "show", "led.db").out
    assert "\x1b" not in said
    assert "[red]" in said


def test_no_bound_is_shown_as_such(publius: Command, table: Path) -> None:
    done = charge(publius, table, "one", "--mechanism", "santext-plus")
    assert done.code == 0, done.err
    assert "no bound" in publius("ledger", "show", "led.db").out
    account = shown(publius)["accounts"][0]
    assert (account["epsilon"], account["is_bounded"]) == (None, False)
    assert charge(publius, table, "two", "--budget", 1e9).code == 3


def test_settings_come_from_publius_toml(publius: Command, table: Path) -> None:
    settings = table.parent / "publius.toml"
    settings.write_text('[ledger]\nfile = "led.db"\nbudget = 20\ndelta = 1e-5\n')
    asked = ("release", table, *SMALL, "-o", "one")
    assert publius(*asked).code == 3
    assert publius(*asked, "--budget", 400).code == 0
    found = json.loads(publius("ledger", "show", "--json").out)
    assert (found["budget"], found["delta"]) == (400, 1e-5)
    settings.write_text("[ledger]\nbudget = 20\n")
    done = publius(*asked)
    assert done.code == 1
    assert "--ledger" in done.err
    settings.write_text("[ledger]\nbuget = 20\n")
    assert "did you mean 'budget'" in publius(*asked).err


@pytest.mark.parametrize(
    "asked",
    [
        ("times", "t.csv", "--column", "wake"),
        ("places", "p.csv", "--near-budget", 10),
    ],
)
def test_times_and_places_charge_people(
    publius: Command, tmp_path: Path, asked: tuple[object, ...]
) -> None:
    (tmp_path / "t.csv").write_text("id,wake\n7,06:30\n8,07:10\n7,06:45\n")
    (tmp_path / "p.csv").write_text("id,lat,lon\n7,48,11\n8,49,12\n7,48,12\n")
    ledger = ("--user", "id", "--ledger", "led.db")
    for out in ("one", "two"):
        done = publius(*asked, *ledger, "-o", out)
        assert done.code == 0, done.err
    first = shown(publius)["accounts"][0]
    assert (first["subject"], first["releases"], first["guarantees"]) == ("7", 2, 4)
    assert first["near_epsilon"] == pytest.approx(4)
    losses = json.loads((tmp_path / "one" / "manifest.json").read_text())["losses"]
    assert first["epsilon"] == pytest.approx(2 * losses["busiest_person_worst"])
    assert publius(*asked, *ledger, "-o", "three", "--near-budget", 5).code == 3
    assert not (tmp_path / "three").exists()


def test_bad_rows_of_times_cost_nobody(publius: Command, tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("id,wake\n7,06:30\n8,rubbish\n")
    asked = ("times", "t.csv", "--column", "wake", "--user", "id", "-o", "out")
    assert publius(*asked, "--ledger", "led.db").code == 1
    assert shown(publius)["accounts"] == []


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (("show", "none.db"), 1, "no ledger"),
        (("show",), 1, "name the file"),
        (("show", "in.csv"), 1, "not a ledger"),
        (("show", "led.db", "--subject", "a", "--unnamed"), 2, "one of"),
        (("releases", "none.db"), 1, "no ledger"),
    ],
)
def test_mistakes_are_one_line(
    publius: Command,
    table: Path,
    arguments: tuple[str, ...],
    code: int,
    said: str,
) -> None:
    table.chmod(0o644)
    done = publius("ledger", *arguments)
    assert done.code == code
    assert said in done.err
    assert done.err.count("\n") == 1


def test_normal_noise_is_told_with_its_delta(publius: Command, tmp_path: Path) -> None:
    guarantee = Guarantee("m", Unit.SENTENCE, (Gaussian(2.0),))
    with Ledger.open(tmp_path / "led.db") as ledger:
        ledger.charge("one", Charge("n.v1", guarantee, Cost(0, 0, 0.25)), {None: 4})
    said = publius("ledger", "show", "led.db", "--delta", 1e-3).out
    assert "(nobody named)" in said
    assert "plus δ = 0.001" in " ".join(said.split())
    assert "distance of 1" not in publius("ledger", "show", "led.db", "--unnamed").out
    tight, loose = (
        shown(publius, "--delta", delta)["accounts"][0]["epsilon"]
        for delta in (1e-9, 1e-3)
    )
    assert tight > loose > 0


def test_names_that_differ_in_form_are_counted_never_quoted(
    publius: Command, table: Path
) -> None:
    table.write_text("body,user\nworld,Ann\nworld,ANN\nworld,Bob\n")
    done = charge(publius, table, "one")
    assert "1 account has a name" in done.err
    assert "--fold-names" in done.err
    assert "ANN" not in done.err + done.out
    assert publius("ledger", "merge", "led.db").out.strip().endswith("1.")
    again = charge(publius, table, "two", "--fold-names", "--json")
    assert again.code == 0
    assert "has a name" not in again.err
    assert shown(publius)["subjects"] == 2
