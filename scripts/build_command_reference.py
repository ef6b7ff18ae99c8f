"""Write docs/reference/commands.md and the manual page from the commands' own help.

python scripts/build_command_reference.py
"""

from pathlib import Path

import click

from publius.cli.frame import COMMANDS, EXIT_CODES, GROUPS, cli

PAGE = Path(__file__).parents[1] / "docs" / "reference" / "commands.md"
MANUAL = Path(__file__).parents[1] / "docs" / "man" / "publius.1"
WIDTH = 100

HEAD = """# Commands

Every command has `--help`; all but `serve` and `studio` have `--json`. Exit codes:
0 done, 1 bad data or setting, 2 usage, 3 claim refuted or budget exhausted, 130
stopped by Ctrl-C (what was committed can be continued with `--resume`). Results go to
standard output, messages to standard error. Settings may come from the table `[words]`
of `publius.toml` in the current folder; flags win. This page is made from the commands'
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
    texts = []
    for inner in command.list_commands(context):
        listed = command.get_command(context, inner)
        if listed is not None:
            texts += sections(listed, inner, context)
    return texts


def page() -> str:
    """Return the whole page."""
    return "\n".join([HEAD, *sections(cli, "publius", None)])


def manual() -> str:
    """Return the manual page: every command with the names of its options."""
    grouped = {name for names in GROUPS.values() for name in names}
    others = {"More": tuple(sorted(COMMANDS.keys() - grouped))}
    listed = "".join(
        f".SS {_roff(title)}\n" + "".join(_entry(name) for name in names)
        for title, names in (GROUPS | others).items()
    )
    return (
        ".TH PUBLIUS 1\n"
        ".SH NAME\npublius \\- publish without being recognised\n"
        ".SH SYNOPSIS\n.B publius\n[\\-\\-help] [\\-\\-version] COMMAND [ARGUMENTS]\n"
        f".SH DESCRIPTION\n{_roff((cli.help or '').partition('Example:')[0])}\n"
        f".SH COMMANDS\nEach has \\-\\-help.\n{listed}"
        f".SH EXIT STATUS\n{_roff(EXIT_CODES)}\n"
        ".SH FILES\n.TP\n.I publius.toml\nSettings, in the current folder; flags win.\n"
    )


def _entry(name: str) -> str:
    """Return a command, its line and the options of it and of its subcommands."""
    told = f".TP\n.B {name}\n{_roff(COMMANDS[name])}\n"
    command = cli.get_command(click.Context(cli), name)
    if not isinstance(command, click.Group):
        return told + _options("Options", command)
    inner = sorted(command.commands.items())
    return told + "".join(_options(f"{name} {sub}", one) for sub, one in inner)


def _options(head: str, command: click.Command | None) -> str:
    params = [] if command is None else command.params
    flags = [one.opts[0] for one in params if isinstance(one, click.Option)]
    return f".br\n{_roff(head)}: {_roff(', '.join(flags) or 'none')}.\n"


def _roff(text: str) -> str:
    """Escape a text for a manual page, on one line."""
    line = " ".join(text.split()).replace("\\", "\\e").replace("-", "\\-")
    return f"\\&{line}" if line.startswith((".", "'")) else line


if __name__ == "__main__":
    PAGE.write_text(page(), "utf-8")
    MANUAL.parent.mkdir(exist_ok=True)
    MANUAL.write_text(manual(), "utf-8")
