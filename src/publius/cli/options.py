"""Options that commands of every material share."""

import click

json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON.")
escape_option = click.option(
    "--escape-formulas",
    "escapes",
    is_flag=True,
    help="Put an apostrophe before cells of csv and tsv that begin with = + - @, a tab "
    "or a carriage return: spreadsheets would compute them.",
)
seed_option = click.option(
    "--seed",
    type=click.IntRange(min=0),
    help="For tests only: marks the release INSECURE.",
)
