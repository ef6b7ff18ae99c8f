"""publius ledger: what each subject has already lost, across releases."""

import math
from collections.abc import Sequence

import click
from rich.text import Text

from publius.accounting.accounts import ChargedRelease, Subject
from publius.accounting.ledger import Ledger
from publius.accounting.spending import Budget, Spending
from publius.cli import show
from publius.cli.configuration import config_place
from publius.cli.options import Verbs, json_option
from publius.cli.tables import Cell, print_table
from publius.core.config import read_ledger_settings
from publius.core.errors import ParameterError
from publius.core.stating import state_bound, state_floor
from publius.core.visible import visible_name
from publius.services import ledger as services

UNNAMED = "(nobody named)"
WORDS = ("subject", "charged", "mechanism")
"""Columns that hold no figures."""

_file = click.argument("file", metavar="[FILE]", type=click.Path(), required=False)
_delta = click.option(
    "--delta",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    metavar="D",
    help="At which ε is stated [that of the budget, or 1e-6].",
)


@click.group("ledger", cls=Verbs)
def command() -> None:
    """Tell what each subject has already lost, across releases.

    A ledger is begun and charged by --ledger FILE of release, times and places. FILE
    may be left out where publius.toml names it. A ledger holds names: keep it private.
    """


@command.command("show")
@_file
@click.option("--subject", metavar="NAME", help="One subject, release by release.")
@click.option(
    "--unnamed",
    is_flag=True,
    help="All rows of which nobody says whose they are, as one subject.",
)
@click.option(
    "--refused",
    is_flag=True,
    help="Who would have lost more than the budget, if the last release was refused.",
)
@click.option(
    "--limit",
    type=click.IntRange(min=1),
    default=20,
    show_default=True,
    metavar="N",
    help="Show the N who lost most.",
)
@_delta
@json_option
def show_(
    file: str | None,
    subject: str | None,
    unnamed: bool,
    refused: bool,
    limit: int,
    delta: float | None,
    as_json: bool,
) -> None:
    """Show what subjects have lost, and what is left of the budget.

    Example:  publius ledger show ledger.db --limit 50

    Example:  publius ledger show ledger.db --subject "Ann Lee"
    """
    if (subject is not None) + unnamed + refused > 1:
        raise click.UsageError("give one of --subject, --unnamed and --refused")
    with _opened(file) as ledger:
        if refused:
            _show_refused(services.refused(ledger), limit, as_json=as_json)
        elif subject is not None or unnamed:
            statement = services.statement(ledger, subject, delta=delta)
            _show_subject(statement, as_json=as_json)
        else:
            most = services.balance(ledger, limit=limit, delta=delta)
            _show_all(most, as_json=as_json)


@command.command("releases")
@_file
@_delta
@json_option
def releases(file: str | None, delta: float | None, as_json: bool) -> None:
    """List the releases that were charged, oldest first.

    Example:  publius ledger releases ledger.db
    """
    with _opened(file) as ledger:
        history = services.releases(ledger, delta=delta)
    if as_json:
        show.as_json(history.to_json())
        return
    charges, stated = history.charges, history.delta
    names = ("charged", "mechanism", "subjects", "guarantees", "near ε", "worst ε")
    rows = []
    for entry in charges:
        when, mechanism, guarantees = _facts(entry)
        lost = _both(entry.worst, stated)
        rows.append((when, mechanism, f"{entry.subjects:,}", guarantees, *lost))
    _print(names, rows)
    _say("near and worst: what the subject with most guarantees lost. Dates are UTC.")
    _say_uncovered(charges)


@command.command("merge")
@_file
@json_option
def merge(file: str | None, as_json: bool) -> None:
    """Join accounts whose names differ in case, blanks or Unicode form only.

    What each of them lost is added up under the oldest spelling: nobody's loss gets
    smaller. This cannot be undone; copy the ledger first if they may be several people.

    Example:  publius ledger merge ledger.db
    """
    with _opened(file) as ledger:
        count = ledger.merge_alike()
    if as_json:
        show.as_json({"joined": count})
    else:
        _say(f"Accounts that were joined to another: {count:,}.")


def _opened(file: str | None) -> Ledger:
    if file is None:
        settings = read_ledger_settings({}, config_place())
        if settings is None:
            raise ParameterError(
                "name the file of the ledger, as in publius ledger show losses.db, or "
                "in [ledger] of publius.toml"
            )
        file = settings.file
    return Ledger.open(file, create=False)


def _show_all(most: services.Balance, *, as_json: bool) -> None:
    if as_json:
        show.as_json(most.to_json())
        return
    budget, subjects, delta = most.budget, most.subjects, most.delta
    accounts, charges = most.accounts, most.charges
    rows = [
        (
            _name(account.name),
            f"{account.releases:,}",
            f"{account.spending.count:,}",
            *_both(account.spending, delta),
            _left(budget, account.spending),
        )
        for account in accounts
    ]
    _print(("subject", "releases", "guarantees", "near ε", "worst ε", "left"), rows)
    shown = len(accounts)
    more = f" The {shown} who lost most are shown." if subjects > shown else ""
    _say(
        f"Subjects: {subjects:,}. Releases: {len(charges):,}. "
        f"Budget: {str(budget) or 'none'}.{more}"
    )
    _say_meaning([account.spending for account in accounts], delta)
    _say_uncovered(charges)


def _show_subject(statement: services.Statement, *, as_json: bool) -> None:
    if as_json:
        show.as_json(statement.to_json())
        return
    account, charges, delta = statement.account, statement.charges, statement.delta
    if not charges:
        _say("Never charged: nothing was lost.")
        return
    rows = [(*_facts(entry), *_both(entry.worst, delta)) for entry in charges]
    _print(("charged", "mechanism", "guarantees", "near ε", "worst ε"), rows)
    near, worst = _both(account.spending, delta)
    left = _left(statement.budget, account.spending)
    _say(f"In all: near ε ≤ {near}, worst ε ≤ {worst}. Left of the budget: {left}.")
    for lost in statement.metrics:
        if lost.loss < math.inf:
            _say(
                f"Under {lost.metric}: {lost.guarantees:,} × one {lost.unit}; if each "
                f"moved by a distance of 1 only, ε ≤ {state_bound(lost.loss)}."
            )
    _say_meaning([account.spending], delta)
    _say_uncovered(charges)


def _show_refused(over: services.Refused, limit: int, *, as_json: bool) -> None:
    if as_json:
        show.as_json(over.to_json())
        return
    subjects = over.rows
    if not subjects:
        _say("The last release was not refused.")
        return
    rows = [
        (_name(name), state_bound(near), state_bound(worst))
        for name, worst, near in subjects[:limit]
    ]
    _print(("subject", "near ε", "worst ε"), rows)
    more = f"; {limit} are shown" if len(subjects) > limit else ""
    _say(
        f"Over the budget if the release had not been refused: {len(subjects):,}{more}."
    )


def _print(names: Sequence[str], rows: Sequence[Sequence[Cell]]) -> None:
    """Print a table whose figures stand under each other."""
    print_table(names, rows, figures=set(names) - set(WORDS))


def _both(spending: Spending, delta: float) -> tuple[str, str]:
    near, worst = spending.near_epsilon(delta), spending.epsilon(delta)
    return state_bound(near), state_bound(worst)


def _left(budget: Budget, spending: Spending) -> str:
    """Write what is left of each limit that there is."""
    worst, near = budget.left(spending)
    parts = {" near": near, "": worst}
    told = (f"{state_floor(p)}{of}" for of, p in parts.items() if p < math.inf)
    return "; ".join(told) or "–"


def _facts(entry: ChargedRelease) -> tuple[str, str, str]:
    """Return the day, the mechanism, and how many guarantees about what."""
    charge = entry.charge
    guarantees = f"{entry.guarantees:,} × {charge.guarantee.unit}"
    return entry.charged[:10], charge.mechanism, guarantees


def _name(name: Subject) -> Text:
    """Write a name as it is, but never what a terminal would obey."""
    if name is None:
        return Text(UNNAMED, style="italic")
    return Text("".join(c if c.isprintable() else "�" for c in visible_name(name)))


def _say_meaning(spendings: Sequence[Spending], delta: float) -> None:
    if any(spending.epsilon(delta) == math.inf for spending in spendings):
        _say("no bound: a release guaranteed nothing there, and all may be lost.")
    _say(
        "worst: whoever sees all of these releases can raise the odds between any two "
        "contents of what a subject gave to them by at most e^ε. near: the same, where "
        "words, places or times were exchanged for near ones only."
    )
    if not all(spending.is_pure for spending in spendings):
        _say(
            "Where noise is normal, this is about conclusions: after one content any "
            "of them is at most e^ε times as probable as after another, plus "
            f"δ = {state_bound(delta)}."
        )


def _say_uncovered(charges: Sequence[ChargedRelease]) -> None:
    lines = services.uncovered(charges)
    if lines:
        _say("No ε counts what the releases do not protect:")
    for line in lines:
        by = (c.charge for c in charges if line in c.charge.guarantee.scope.uncovered)
        _say(f"  · {line} ({', '.join(dict.fromkeys(one.mechanism for one in by))})")


def _say(line: str) -> None:
    show.say(line)
