"""Which file of settings a command reads: the one named, or publius.toml here."""

from pathlib import Path

import click

_KEY = "publius.config"


def config_place() -> Path:
    """Return the file that --config names, or else the current folder."""
    context = click.get_current_context(silent=True)
    return Path.cwd() if context is None else context.meta.get(_KEY, Path.cwd())


def choose_config(context: click.Context, file: Path) -> None:
    """Let the commands of a context read this file of settings."""
    context.meta[_KEY] = file.resolve()


def _chosen(
    context: click.Context, _option: click.Parameter, value: Path | None
) -> None:
    if value is not None:
        choose_config(context, value)


config_option = click.option(
    "--config",
    metavar="FILE",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    expose_value=False,
    is_eager=True,
    callback=_chosen,
    help="Settings, instead of publius.toml in this folder.",
)
