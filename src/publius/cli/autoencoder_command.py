"""publius autoencoder: train, rewrite, info."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import click

from publius import autoencoder
from publius.accounting.gaussian import USUAL_DELTA, asked_sigma, guarantee_epsilon
from publius.autoencoder.architecture import KINDS, NETWORKS, Architecture
from publius.autoencoder.settings import DEVICES, Training, Weights
from publius.cli import show
from publius.cli.given import given_text
from publius.cli.options import Verbs, json_option, seed_option, usual_option
from publius.cli.tables import print_table
from publius.core.errors import ParameterError
from publius.core.rng import secure, seeded
from publius.core.stating import state_bound
from publius.services.autoencoder import SentenceLessons, train_sentences
from publius.tables.columns import Columns
from publius.tables.formats.table import READABLE

STRATEGIES = ("greedy", "beam", "top-k", "nucleus")
SIGMAS = (0.1, 0.3, 1.0, 3.0, 10.0, 38.8)

device_option = click.option(
    "--device",
    type=click.Choice(DEVICES),
    default="auto",
    show_default=True,
    help="Where the network runs; noise is always drawn on the CPU.",
)
model_option = click.option(
    "--model", default="default", metavar="FILE", help="A trained model [default]."
)


@click.group("autoencoder", cls=Verbs)
def command() -> None:
    """Rewrite whole sentences from one noisy vector each."""


@command.command("train")
@click.argument("path", metavar="INPUT", type=click.Path())
@click.option(
    "-o",
    "--out",
    type=click.Path(path_type=Path),
    required=True,
    help="The model to write; its checkpoint and log go beside it.",
)
@click.option("--text", metavar="COLUMN", help="The column to learn from.")
@click.option("--author", metavar="COLUMN", help="Who wrote a row; an AAE needs it.")
@click.option(
    "--label", metavar="COLUMN", help="What a rewritten row should keep telling."
)
@click.option(
    "--from",
    "start",
    metavar="FILE",
    help="Go on from a model of any kind, or 'default'; its sizes are kept.",
)
@click.option(
    "--content-only",
    is_flag=True,
    help="Let the encoder see no function words: less style, no authors needed.",
)
@click.option(
    "--model",
    "kind",
    type=click.Choice(KINDS),
    default="dp-vae",
    show_default=True,
    help="Only dp-vae guarantees anything.",
)
@click.option(
    "--network",
    type=click.Choice(NETWORKS),
    default="gru",
    show_default=True,
)
@usual_option("vocabulary", 8000, "Sub-words.")
@usual_option("width", 256)
@usual_option("hidden", 512)
@usual_option("layers", 1, "Of the encoder and of the decoder.")
@usual_option("latent", 64, "Length of the sentence vector.")
@usual_option(
    "max_tokens", 48, "Sub-words of a sentence; longer ones are cut into pieces."
)
@click.option(
    "--noise",
    type=float,
    nargs=2,
    metavar="LOW HIGH",
    help="Deviations to train with; equal for a fixed one "
    "[0.1 1; 0.01 100 for a dp-aae].",
)
@click.option(
    "--kl",
    type=float,
    help="Weight of the KL term after its annealing [0.02; 0.1 for an AAE].",
)
@click.option(
    "--hide",
    type=click.FloatRange(min=0),
    default=15.0,
    show_default=True,
    help="AAE: weight of hiding authors in the content vector.",
)
@usual_option("epochs", 10)
@click.option("--minutes", type=float, default=0.0, help="Stop after so long.")
@usual_option("batch", 256)
@usual_option("rate", 1e-3, "Largest learning rate.")
@usual_option("word_dropout", 0.3)
@usual_option("patience", 3, "Epochs without progress before stopping; 0 for never.")
@click.option(
    "--precision",
    type=click.Choice(["float32", "float16", "int8"]),
    default="float16",
    show_default=True,
    help="Of the written weights.",
)
@click.option("--resume", is_flag=True, help="Continue an interrupted run.")
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True)
@device_option
@click.option("--input-format", type=click.Choice(READABLE))
@json_option
@click.pass_context
def train_(context: click.Context, /, path: str, out: Path, text: str | None,
           author: str | None, label: str | None, kind: str, start: str | None,
           precision: str, resume: bool, input_format: str | None, as_json: bool,
           **sizes: object) -> None:  # fmt: skip
    """Train a model on PUBLIC text: it may repeat what it was trained on.

    Example:  publius autoencoder train reviews.csv --text body -o reviews.safetensors
    """
    first = None
    if start is not None:
        _refuse(context, SIZES, "with --from")
        first = autoencoder.SentenceVAE.load(start, device="cpu")
    shape, training = _settings(kind, sizes, None if first is None else first.shape)
    if not shape.is_adversarial:
        _refuse(context, ("hide",), f"for a {kind}")
    columns = Columns(() if text is None else (text,), author)
    asked = SentenceLessons(
        path,
        out,
        columns,
        label,
        shape,
        training,
        first,
        precision,
        resume,
        input_format,
    )
    with show.stages() as watch:
        trained = train_sentences(asked, watch)
    show.MESSAGES.print(
        "[yellow]The model may repeat its training text:[/yellow] share it only if "
        "that text is public."
    )
    if as_json:
        show.as_json(trained.to_json())
        return
    show.say(f"{kind} of {trained.texts:,} texts → {out}")


@command.command("rewrite")
@click.argument("text", metavar="TEXT")
@click.option("--sigma", type=float, help="Deviation of the noise.")
@click.option("--epsilon", type=float, help="Instead: ε of one sentence, with --delta.")
@click.option("--delta", type=float, help="δ of one sentence [1e-6].")
@click.option(
    "--sentences",
    type=int,
    metavar="K",
    help="Write exactly K sentences for every text [as many as it has].",
)
@model_option
@click.option(
    "--decoding",
    type=click.Choice(STRATEGIES),
    default="greedy",
    show_default=True,
    help="How words are chosen; it costs no privacy.",
)
@device_option
@seed_option
@json_option
def rewrite(text: str, sigma: float | None, epsilon: float | None,
            delta: float | None, sentences: int | None, model: str, decoding: str,
            device: str, seed: int | None, as_json: bool) -> None:  # fmt: skip
    """Rewrite TEXT, or each line of standard input if it is -.

    Example:  publius autoencoder rewrite "The plot was thin." --sigma 0.3
    """
    loaded = autoencoder.SentenceVAE.load(model, device=device)
    sensitivity = 2 * loaded.shape.bound
    if loaded.shape.kind != "dp-vae" and epsilon is not None:
        raise ParameterError(f"{loaded.shape.kind} guarantees no epsilon; give --sigma")
    noise = asked_sigma(sigma, epsilon, delta, sensitivity=sensitivity)
    delta = USUAL_DELTA if delta is None else delta
    rng = secure() if seed is None else seeded(seed)
    given = given_text(text)
    texts = given.splitlines() if text == "-" else [given]
    out = loaded.rewrite(
        texts,
        rng,
        sigma=noise,
        decoding=autoencoder.Decoding(decoding),
        sentences=sentences,
    )
    spent = int(out.sentences.max(initial=sentences or 0))
    losses: dict[str, object] = {"sigma": noise, "delta": delta}
    if loaded.shape.kind == "dp-vae":
        guarantee = loaded.guarantee(noise)
        losses["epsilon_sentence"] = guarantee_epsilon(guarantee, delta)
        losses["epsilon_longest_text"] = guarantee_epsilon(
            guarantee, delta, changed=spent
        )
    if as_json:
        show.as_json({"texts": out.texts, "longest": spent, **losses})
        return
    for line in out.texts:
        show.say(line)
    whose = "the text with most sentences" if sentences is None else "every text"
    told = _told(losses, f"{whose} ({spent})")
    show.warn(told)


@command.command("info")
@click.argument("model", default="default", metavar="[FILE]")
@json_option
def describe(model: str, as_json: bool) -> None:
    """Describe a model and what it guarantees at several deviations.

    Example:  publius autoencoder info
    """
    loaded = autoencoder.SentenceVAE.load(model)
    facts = loaded.describe()
    bounds = {
        f"{sigma:g}": guarantee_epsilon(loaded.guarantee(sigma), USUAL_DELTA)
        for sigma in SIGMAS
        if loaded.shape.kind == "dp-vae"
    }
    if as_json:
        show.as_json({**facts, "epsilon_at_delta_1e-6": bounds})
        return
    print_table(("", ""), [(key, str(value)) for key, value in facts.items()])
    if not bounds:
        show.RESULTS.print("This kind guarantees nothing.")
        return
    losses = [(sigma, _bound(value)) for sigma, value in bounds.items()]
    print_table(("σ", "ε of a sentence at δ = 1e-6"), losses)


SIZES = ("network", "vocabulary", "width", "hidden", "layers", "latent", "max_tokens")


def _refuse(context: click.Context, names: tuple[str, ...], where: str) -> None:
    """Refuse options that would not be obeyed."""
    given = click.core.ParameterSource.COMMANDLINE
    for name in names:
        if context.get_parameter_source(name) is given:
            option = name.replace("_", "-")
            raise ParameterError(f"--{option} has no meaning {where}; leave it out")


def _settings(
    kind: str, sizes: dict[str, object], start: Architecture | None
) -> tuple[Architecture, Training]:
    """Sort the options into sizes of the network, weights of losses, and the rest."""
    own = {name: sizes.pop(name) for name in SIZES}
    layers, kl = own.pop("layers"), sizes.pop("kl")
    own |= {"encoder_layers": layers, "decoder_layers": layers}
    build: Callable[..., Architecture] = Architecture
    shape = replace(
        build(**own) if start is None else start,
        kind=kind,
        content_only=bool(sizes.pop("content_only")),
    )
    strength = sizes.pop("hide")
    hiding: Callable[..., Weights] = Weights.hiding
    weights = hiding(strength) if shape.is_adversarial else Weights()
    if isinstance(kl, float):
        weights = replace(weights, kl=kl)
    if sizes["noise"] is None:
        sizes["noise"] = Training.usual(shape).noise
    train: Callable[..., Training] = Training
    return shape, train(weights=weights, **sizes)


def _told(losses: dict[str, object], text: str) -> str:
    if "epsilon_sentence" not in losses:
        return "This kind of model guarantees nothing about what it rewrites."
    return (
        f"σ = {losses['sigma']:.4g}: one sentence loses ε = "
        f"{_bound(losses['epsilon_sentence'])} at δ = "
        f"{_bound(losses['delta'])}; {text} loses "
        f"ε = {_bound(losses['epsilon_longest_text'])}."
    )


def _bound(value: object) -> str:
    return state_bound(float(str(value)), 4)
