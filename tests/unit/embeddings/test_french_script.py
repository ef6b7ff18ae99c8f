"""The script that makes a French space: elisions and classes of public lists."""

import gzip
import importlib.util
import io
import json
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

pytest.importorskip("spacy")
srsly = pytest.importorskip("srsly")

from spacy.strings import hash_string

from publius.embeddings.catalogue import load_embedding
from publius.embeddings.like import like_table

SCRIPTS = Path(__file__).parents[3] / "scripts"
NAMES = "anna marie jean paul pierre louise jeanne claire luc alice"
WORDS = (
    "de la et homme maison arbre école rue ville porte table chaise hiver été jour "
    "nuit pain lait pomme soupe chien chat oiseau cheval aimer aime manger parler "
    "rire aller rouge vert bleu noir blanc grand petit pas jamais lundi mardi paris "
    f"lyon {NAMES}"
).split()


@pytest.fixture
def script(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """Load the script, with small packages in the place of those of the registry."""
    monkeypatch.syspath_prepend(str(SCRIPTS))
    place = importlib.util.spec_from_file_location(
        "build_french", SCRIPTS / "build_french.py"
    )
    assert place is not None
    assert place.loader is not None
    made = importlib.util.module_from_spec(place)
    place.loader.exec_module(made)
    rng = np.random.default_rng(0)
    middle = {name: number for number, name in enumerate(NAMES.split())}
    rows = rng.normal(size=(len(WORDS), 12)).astype(np.float32)
    for number, word in enumerate(WORDS):
        if word in middle:
            rows[number] = rows[0] + rng.normal(size=12) / 50
    raw = io.BytesIO()
    np.save(raw, rows)
    keys = {hash_string(word): number for number, word in enumerate(WORDS)}
    members = {
        "key2row": srsly.msgpack_dumps(keys),
        "vectors": raw.getvalue(),
        "large_fr.msgpack.gz": gzip.compress(
            srsly.msgpack_dumps([{"format": "cB"}, *([word] for word in WORDS)])
        ),
        "__init__.py": f"first_names = {NAMES.title().split()!r}".encode(),
        "cities15000.json": json.dumps({}).encode(),
    }
    for module in (made, sys.modules["name_lists"]):
        monkeypatch.setattr(
            module, "member", lambda _, name, __: members[name.rpartition("/")[2]]
        )
    return made


def test_a_word_behind_an_apostrophe_is_read_as_the_word(
    script: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "french.publius"
    monkeypatch.setattr(sys, "argv", ["build_french.py", "-o", str(out)])
    script.main()
    embedding = load_embedding(str(out))
    words, table = embedding.vocabulary.words, like_table(embedding)
    assert words[:2] == ("de", "la")
    ids = embedding.vocabulary.encode(["homme", "l'homme", "d'homme", "j'aime", "aime"])
    symbols = table.fold[ids].tolist()
    assert symbols[0] == symbols[1] == symbols[2]
    assert symbols[3] == symbols[4]
    assert embedding.vocabulary.encode(["l'maison", "n'homme"]).tolist() == [-1, -1]
    written = [words[number] for number in table.spoken.tolist() if number < len(words)]
    assert not any("'" in word for word in written)
    assert {"c'est", "n'était", "qu'il", "ne"} <= embedding.language.stop_words
    assert not {"pas", "jamais", "l'homme"} & embedding.language.stop_words


def test_classes_are_those_of_the_lists(script: ModuleType) -> None:
    embedding = script.read(None, 500)
    made = script.lexicon(embedding, None)
    assert made.classes["given-name"] == set(NAMES.split())
    assert made.classes["weekday"] == {"lundi", "mardi"}
    assert made.classes["negation"] == {"pas", "jamais"}
    assert made.negation == "pas"
