"""Options that charge a ledger, and how a release speaks of it."""

import click

from publius.accounting.ledger import Ledger
from publius.cli import show
from publius.cli.configuration import config_place
from publius.cli.options import F, with_options
from publius.core.config import LedgerSettings, read_ledger_settings

_OPTIONS = (
    click.option("--ledger", metavar="FILE", type=click.Path(),
                 help="Charge everybody for this release in this PRIVATE file, before "
                      "anything is drawn."),
    click.option("--budget", type=float, metavar="L",
                 help="--ledger: release nothing (exit 3) if anybody would lose more "
                      "than ε = L in all, between any two contents [what the ledger "
                      "says]."),
    click.option("--near-budget", type=float, metavar="L",
                 help="--ledger: the same between near words, places or times only "
                      "[what the ledger says]."),
    click.option("--fold-names", is_flag=True, default=None,
                 help="--ledger: names that differ in case, blanks or Unicode form "
                      "only are one person."),
)  # fmt: skip


def ledger_options(function: F) -> F:
    """Add the options that charge a ledger."""
    return with_options(_OPTIONS, function)


def ledger_settings(flags: dict[str, object]) -> LedgerSettings | None:
    """Take these options out of the flags; publius.toml says what is not given."""
    given = {name: flags.pop(name) for name in ("budget", "near_budget", "fold_names")}
    return read_ledger_settings({"file": flags.pop("ledger"), **given}, config_place())


def tell_charged(settings: LedgerSettings | None) -> None:
    """Say that everybody was charged, and where to look."""
    if settings is None:
        return
    show.say(
        "Everybody was charged before anything was drawn: publius ledger show "
        f"{settings.file}"
    )


def warn_of_names(settings: LedgerSettings | None) -> None:
    """Say how many accounts may be of somebody who has another one."""
    if settings is None:
        return
    with Ledger.open(settings.file, create=False) as ledger:
        count = ledger.alike()
    if count == 0:
        return
    accounts = f"{count:,} accounts have names that differ"
    if count == 1:
        accounts = "1 account has a name that differs"
    show.warn(
        f"{accounts} from another's only in case, blanks or Unicode form: each has a "
        "budget of its own. If they are the same people, give --fold-names from now "
        f"on, and join what they lost so far with: publius ledger merge {settings.file}"
    )
