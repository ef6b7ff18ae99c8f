"""Options that commands of every material share."""

import click


class Verbs(click.Group):
    """Commands of one subject, each listed with its whole first sentence."""

    def format_commands(
        self, ctx: click.Context, formatter: click.HelpFormatter
    ) -> None:
        """List the commands; click would cut their sentences to the width."""
        told = [
            (name, command.get_short_help_str(limit=10_000))
            for name in self.list_commands(ctx)
            if (command := self.get_command(ctx, name)) is not None
        ]
        with formatter.section("Commands"):
            formatter.write_dl(told)


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
