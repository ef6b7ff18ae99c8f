"""Write docs/reference/commands.md from the commands' own help.

python scripts/build_command_reference.py
"""

from pathlib import Path

import click

from publius.cli.frame import cli

PAGE = Path(__file__).parents[1] / "docs" / "reference" / "commands.md"
WIDTH = 100

HEAD = """# Commands

Every command has `--help`; most have `--json`. Exit codes: 0 done, 1 bad data or
setting, 2 usage, 3 claim refuted or budget exhausted, 130 stopped by Ctrl-C (what was
committed can be continued with `--resume`). Results go to standard output,
messages to standard error. Settings may come from the table `[words]` of
`publius.toml` in the current folder; flags win. This page is made from the commands'
own help by `scripts/build_command_reference.py`.
"""


def sections(
    command: click.Command, name: str, parent: click.Context | None
) -> list[str]:
    """Return the help of a command and of its subcommands."""
    # As the command line itself does: the parent decides how help is asked for.
    context = click.Context(
        command,
        parent,
        info_name=name,
        terminal_width=WIDTH,
        max_content_width=WIDTH,
        **({} if parent else command.context_settings),
    )
    if not isinstance(command, click.Group):
        # A command remembers how it was first asked for help; here it is asked anew.
        vars(command)["_help_option"] = None
        path = context.command_path
        return [f"## `{path}`\n\n```\n{command.get_help(context)}\n```\n"]
    found = []
    for inner in command.list_commands(context):
        listed = command.get_command(context, inner)
        if listed is not None:
            found += sections(listed, inner, context)
    return found


def page() -> str:
    """Return the whole page."""
    return "\n".join([HEAD, *sections(cli, "publius", None)])


if __name__ == "__main__":
    PAGE.write_text(page(), "utf-8")
