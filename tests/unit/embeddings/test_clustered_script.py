"""The script that makes German and Spanish spaces of clusters and letters."""

import gzip
import importlib.util
import json
import sys
from pathlib import Path
from types import ModuleType

import pytest

from publius.embeddings.catalogue import load_embedding
from publius.embeddings.like import like_table

SCRIPTS = Path(__file__).parents[3] / "scripts"
NAMES = "Anna Marie Hans Paul Peter Luise Johanna Klara Lukas Alice"
KINDS = {
    0b0001: "Haus Häuser Baum Bäume Schule Straße Stadt Tür Tisch Stuhl",
    0b0111: "geht ging läuft lief kommt kam steht stand liegt lag",
    0b1011: "rot rote grün grüne geduldig geduldige groß große klein kleine",
    0b1111: NAMES,
    0b1101: "und der die nicht kein niemals Montag Dienstag Berlin",
}


@pytest.fixture
def script(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """Load the script, with small packages in the place of those of the registry."""
    monkeypatch.syspath_prepend(str(SCRIPTS))
    place = importlib.util.spec_from_file_location(
        "build_clustered", SCRIPTS / "build_clustered.py"
    )
    assert place is not None
    assert place.loader is not None
    made = importlib.util.module_from_spec(place)
    monkeypatch.setitem(sys.modules, "build_clustered", made)
    place.loader.exec_module(made)
    cluster = {word: path for path, own in KINDS.items() for word in own.split()}
    cluster |= {"Haus,": 1, "HAUS": 0b1011, "Xyz": 0}
    rank = {word: -float(place) for place, word in enumerate(cluster)}
    members = {
        "de_lexeme_cluster.json.gz": gzip.compress(json.dumps(cluster).encode()),
        "de_lexeme_prob.json.gz": gzip.compress(json.dumps(rank).encode()),
        "__init__.py": f"first_names = {NAMES.split()!r}".encode(),
        "cities15000.json": json.dumps({}).encode(),
    }
    for module in (made, sys.modules["name_lists"]):
        monkeypatch.setattr(
            module, "member", lambda _, name, __: members[name.rpartition("/")[2]]
        )
    return made


def test_words_of_a_cluster_are_like_and_of_these_those_of_a_stem(
    script: ModuleType,
) -> None:
    embedding = script.read("de", None, 500)
    words = embedding.vocabulary.words
    near = embedding.neighbours(9)
    inside = {word.lower(): path for path, own in KINDS.items() for word in own.split()}
    assert set(words) == set(inside)  # no sign, no word of no cluster, one casing
    for word in ("haus", "rot", "ging", "anna"):
        own = [words[i] for i in near[words.index(word)]]
        assert {inside[other] for other in own} == {inside[word]}
    assert words[near[words.index("geduldig")][0]] == "geduldige"


def test_the_space_is_made_with_its_lists(
    script: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "german.publius"
    monkeypatch.setattr(sys, "argv", ["build_clustered.py", "de", "-o", str(out)])
    script.main()
    embedding = load_embedding(str(out))
    table = like_table(embedding)
    assert {"negation", "given-name", "weekday"} <= set(table.classes)
    assert {"und", "der"} <= (embedding.language.stop_words or frozenset())
    assert "nicht" not in (embedding.language.stop_words or frozenset())
    ids = embedding.vocabulary.encode(["anna", "peter", "kein", "nicht"])
    symbols = table.fold[ids].tolist()
    assert symbols[0] == symbols[1]
    assert symbols[2] == symbols[3] != symbols[0]


@pytest.mark.parametrize("name", ["de", "es"])
def test_lists_are_apart(script: ModuleType, name: str) -> None:
    language = script.LANGUAGES[name]
    for listed in language.lists.values():
        assert not set(listed.split()) & language.stop_words
    assert language.denial in language.lists[script.NEGATION].split()
