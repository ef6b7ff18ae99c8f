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
setting, 2 usage, 3 claim refuted or budget exhausted. Results go to standard output,
messages to standard error. Settings may come from the table `[words]` of
`publius.toml` in the current folder; flags win. This page is made from the commands'
own help by `scripts/build_command_reference.py`.
"""


def sections(command: click.Command, path: str) -> list[str]:
    """Return the help of a command and of its subcommands."""
    context = click.Context(command, info_name=path, max_content_width=WIDTH)
    found = []
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            inner = command.get_command(context, name)
            if inner is not None:
                found += sections(inner, f"{path} {name}")
        return found
    context.terminal_width = WIDTH
    return [f"## `{path}`\n\n```\n{command.get_help(context)}\n```\n"]


def page() -> str:
    """Return the whole page."""
    return "\n".join([HEAD, *sections(cli, "publius")])


if __name__ == "__main__":
    PAGE.write_text(page(), "utf-8")
