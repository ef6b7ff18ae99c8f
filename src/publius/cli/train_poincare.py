"""publius embeddings train-poincare: hyperbolic vectors from a hierarchy."""

import importlib
import time
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path

import click

from publius.cli import show
from publius.cli.options import F, json_option, usual_option
from publius.core.errors import OutputError, ParameterError
from publius.core.rng import seeded
from publius.embeddings.catalogue import DEFAULT_EMBEDDING, load_embedding
from publius.embeddings.poincare_checkpoint import load_checkpoint, save_checkpoint
from publius.embeddings.poincare_numpy import NumpyTrainer
from publius.embeddings.poincare_pairs import Hierarchy, read_pairs
from publius.embeddings.poincare_quality import reconstruction
from publius.embeddings.poincare_training import (
    State,
    TrainerOf,
    TrainingPlan,
    train,
)
from publius.embeddings.poincare_words import (
    first_senses,
    read_word_map,
    word_embedding,
    write_words,
)
from publius.embeddings.store import SUFFIX, Provenance
from publius.embeddings.wordnet import LICENCE, WORDNET, noun_hierarchy

DEFAULTS = TrainingPlan()


def _setting(name: str, told: str | None = None) -> Callable[[F], F]:
    """Return the option of a setting of the plan."""
    return usual_option(name, getattr(DEFAULTS, name), told)


@click.command("train-poincare")
@click.argument("pairs", type=click.Path(path_type=Path))
@click.option(
    "-o",
    "--output",
    required=True,
    type=click.Path(path_type=Path),
    help="Folder to write, X.publius.",
)
@_setting("dim")
@_setting("epochs")
@_setting("rate")
@_setting("burn_in", "First epochs, at a tenth of the rate.")
@_setting("batch", "Names per step.")
@_setting("negatives", "Names drawn per step that are not above the others.")
@_setting("frugal", "First share of the epochs, with an eighth of the negatives.")
@_setting("sharpness", "Factor of distances in the loss.")
@_setting("slack", "Wrong names that a pair is forgiven at last; at first, all.")
@_setting("seed", "Of the training, which is public.")
@click.option(
    "--backend",
    type=click.Choice(["numpy", "torch"]),
    default="numpy",
    show_default=True,
    help="torch uses a graphics processor if there is one.",
)
@click.option("--close", is_flag=True, help="Add every pair that follows from others.")
@click.option(
    "--root", default="", metavar="NAME",
    help="Put this name above all that have none above them, such as the parts of a "
    "forest.",
)  # fmt: skip
@click.option("--open-cycles", is_flag=True,
              help="Leave out pairs of names that are above each other.")  # fmt: skip
@click.option(
    "--words",
    type=click.Path(path_type=Path),
    help="Public map, word,name per line [first sense of WordNet names].",
)
@click.option(
    "--licence", default="", help="Terms of the pairs, kept with the vectors."
)
@click.option("--resume", is_flag=True, help="Go on from the last checkpoint.")
@json_option
def train_poincare(
    pairs: Path,
    output: Path,
    backend: str,
    close: bool,
    root: str,
    open_cycles: bool,
    words: Path | None,
    licence: str,
    resume: bool,
    as_json: bool,
    **settings: float,
) -> None:
    """Train vectors in the Poincaré ball on pairs of a name and a more general one.

    PAIRS is CSV or TSV, plain or gzipped: london.n.01,city.n.01; or the word wordnet
    for the nouns of WordNet (publius embeddings get wordnet), usually with --close.
    Every tenth epoch leaves a checkpoint beside the output; --resume goes on from it.

    Example:  publius embeddings train-poincare pairs.csv -o nouns.publius
    """  # fmt: skip
    if output.suffix != SUFFIX:
        raise ParameterError(f"the output must be a folder that ends in {SUFFIX}")
    if output.exists():
        raise OutputError(f"{output} exists already; remove it first")
    plan = TrainingPlan(**settings)  # type: ignore[arg-type]  # click gives whole numbers
    checkpoint = output.with_suffix(".checkpoint")
    is_wordnet = str(pairs) == WORDNET
    if is_wordnet and (root or open_cycles):
        raise ParameterError(
            "the nouns of WordNet have one root and no cycle; leave --root and "
            "--open-cycles out"
        )
    hierarchy = (
        noun_hierarchy()
        if is_wordnet
        else read_pairs(pairs, root, opens_cycles=open_cycles)
    )
    hierarchy = hierarchy.closed() if close else hierarchy
    chosen = read_word_map(words) if words else first_senses(hierarchy.names)
    start = time.monotonic()
    state = _trained(hierarchy, plan, backend, checkpoint, resume=resume)
    seconds = time.monotonic() - start
    ranked = load_embedding(DEFAULT_EMBEDDING).vocabulary.words
    embedding = word_embedding(
        hierarchy, state, chosen, ranked=ranked, name=output.stem
    )
    rule = words.name if words else "first sense of each lemma of one word"
    provenance = Provenance(
        f"trained on {pairs.name}, {hierarchy.pairs} pairs of {hierarchy.size} names",
        licence or (LICENCE if is_wordnet else ""),
        f"Poincaré ball of {plan.dim} dimensions; words: {rule}",
    )
    write_words(embedding, hierarchy, state, chosen, output, provenance)
    checkpoint.unlink(missing_ok=True)
    quality = reconstruction(state.points, hierarchy, None, seeded(plan.seed))
    result: dict[str, object] = {
        "embedding": str(output),
        "names": hierarchy.size,
        "pairs": hierarchy.pairs,
        "words": embedding.size,
        "fingerprint": embedding.fingerprint,
        "seconds": seconds,
        "mean_rank": asdict(quality.mean_rank),
        "average_precision": asdict(quality.average_precision),
        "plan": asdict(plan),
    }
    if as_json:
        show.as_json(result)
        return
    rank, precision = quality.mean_rank, quality.average_precision
    show.say(
        f"{embedding.size:,} words of {hierarchy.size:,} names, {plan.dim} dimensions "
        f"→ {output} ({seconds:,.0f} s)"
    )
    show.say(
        f"Reconstruction: mean rank {rank.value:.2f} "
        f"[{rank.low:.2f}, {rank.high:.2f}], "
        f"MAP {precision.value:.3f} [{precision.low:.3f}, {precision.high:.3f}] "
        f"on {rank.n:,} names."
    )
    show.say(f"Words and names: {output / 'words.csv'} ({rule}).")


def _trained(
    hierarchy: Hierarchy,
    plan: TrainingPlan,
    backend: str,
    checkpoint: Path,
    *,
    resume: bool,
) -> State:
    state = None
    if checkpoint.exists():
        if not resume:
            raise OutputError(
                f"{checkpoint} is left of a training that stopped; go on with --resume "
                "or remove it"
            )
        state = load_checkpoint(checkpoint, plan, hierarchy)
    with show.stages() as watch:

        def tell(epoch: int, loss: float) -> None:
            text = f"epoch {epoch} of {plan.epochs}, loss {loss:.3f}"
            watch.stage(text)

        return train(
            hierarchy,
            plan,
            _backend(backend),
            state=state,
            progress=tell,
            save=lambda now: save_checkpoint(checkpoint, now, plan, hierarchy),
        )


def _backend(name: str) -> TrainerOf:
    if name == "numpy":
        return NumpyTrainer
    try:
        module = importlib.import_module("publius.embeddings.poincare_torch")
    except ImportError as missing:
        raise ParameterError(
            f"the torch backend needs {missing.name!r}; install publius[torch]"
        ) from None
    trainer: TrainerOf = module.TorchTrainer
    return trainer
