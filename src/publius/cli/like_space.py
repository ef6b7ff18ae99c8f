"""publius embeddings like: the default metric for vectors of any language."""

from pathlib import Path

import click

from publius.cli import show
from publius.cli.options import json_option
from publius.core.errors import DataError, ParameterError
from publius.embeddings.like_build import Lexicon
from publius.services.embeddings import LikeRequest, make_like

WORDS = 50_000


@click.command("like")
@click.argument("source", type=click.Path(path_type=Path))
@click.option(
    "--out",
    "-o",
    "target",
    type=click.Path(path_type=Path),
    required=True,
    metavar="FOLDER",
    help="Folder to write; use it as --embedding.",
)
@click.option(
    "--stop-words",
    type=click.Path(path_type=Path),
    required=True,
    metavar="FILE",
    help="Public list of the language's stop words, one per line: they pass "
    "a release unless --protect all is given.",
)
@click.option(
    "--class",
    "classes",
    metavar="NAME=FILE",
    multiple=True,
    help="Words that are one symbol, such as given-name=names.txt; may be "
    "repeated. negation=FILE keeps negations apart.",
)
@click.option(
    "--never",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Words that are read and never written.",
)
@click.option(
    "--vocabulary",
    type=int,
    default=WORDS,
    show_default=True,
    metavar="N",
    help="Only the N most frequent words.",
)
@click.option("--symbols", type=int, metavar="N",
              help="Words and classes that can be written [a quarter of the words, at "
                   "most 12,000].")  # fmt: skip
@json_option
def like(source: Path, target: Path, stop_words: Path, classes: tuple[str, ...],
         never: Path | None, vocabulary: int, symbols: int | None,
         as_json: bool) -> None:  # fmt: skip
    """Make the metric like for word2vec, GloVe or fastText vectors of any language.

    Numbers are classes by their digits. Words that differ in capital letters only are
    one. Vectors and lists must be public: nothing about them is protected.

    Example:  publius embeddings like de.vec --stop-words de.txt -o german.publius
    """
    listed = dict(_class(text) for text in classes)
    lexicon = Lexicon(
        stop_words=_words(stop_words),
        classes={name: _words(path) for name, path in listed.items()},
        blocked=frozenset() if never is None else _words(never),
    )
    if len(listed) < len(classes):
        raise ParameterError("a class was given twice")
    asked = LikeRequest(source, target, lexicon, vocabulary, symbols)
    with show.stages() as watch:
        stored = make_like(asked, watch)
    if as_json:
        show.as_json(stored.to_json())
        return
    made = stored.embedding
    show.say(
        f"{made.size:,} words of {made.dim} dimensions with the metric like → {target}"
    )


def _class(text: str) -> tuple[str, Path]:
    name, equals, path = text.partition("=")
    if not (name and equals and path):
        raise ParameterError("a class is written NAME=FILE")
    return name, Path(path)


def _words(path: Path) -> frozenset[str]:
    try:
        lines = path.read_text("utf-8").splitlines()
    except FileNotFoundError:
        raise DataError(f"there is no list of words {str(path)!r}") from None
    except (OSError, UnicodeDecodeError):
        raise DataError(f"{path.name} cannot be read as a list of words") from None
    words = frozenset(line.strip().lower() for line in lines) - {""}
    if not words:
        raise DataError(f"{path.name} holds no word")
    return words
