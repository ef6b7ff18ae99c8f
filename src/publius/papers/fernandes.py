"""Fernandes, Dras & McIver 2019, tables 1 and 3: author and topic under Laplace noise.

The authors' fan fiction was scraped and is not to be had. The twenty candidates of PAN
2018 problem 1 stand in for the 20-author set; prolific bloggers for the 50-author set.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from sklearn.neighbors import KNeighborsClassifier

from publius.assessment.attacks import Known, Koppel
from publius.assessment.attacks.nearest import NearestMean
from publius.assessment.comparison.pictures import lines
from publius.assessment.comparison.rows import Cell, Row
from publius.assessment.evaluation.classify import Task, classify
from publius.core.arrays import BoolArray, Rng
from publius.core.estimate import Estimate
from publius.embeddings.documents import bags, mean_vectors
from publius.embeddings.embedding import Embedding
from publius.embeddings.formats import read_vectors
from publius.mechanisms.laplace import Laplace
from publius.mechanisms.nearest_word import NearestWord
from publius.numerics.scores import as_cells, bootstrap_mean
from publius.papers.documents import (
    PAPER_LENGTH,
    Split,
    WordNoise,
    content_words,
    joined,
    read_columns,
)
from publius.papers.experiment import Experiment, Outcome, Request, by_name, number

FANFIC = "authorship/pan18_fanfic_en.jsonl.gz"
BLOGS = "authorship/blog_shared.jsonl.gz"
NEWSGROUPS = "topic/20ng_12groups.jsonl.gz"
GROUPS = ("rec.sport.baseball", "sci.med")
VECTORS = "vectors/word2vec_gnews_26k_300d.npz"
NONE = "none"
EPSILONS: tuple[float | str, ...] = (NONE, 30.0, 25.0, 20.0, 15.0, 10.0)

PUBLISHED: dict[str, dict[float | str, tuple[int, int, int, int]]] = {
    "20 authors": {
        NONE: (12, 16, 15, 18), 30.0: (8, 18, 16, 18), 25.0: (8, 18, 14, 17),
        20.0: (5, 11, 11, 16), 15.0: (2, 11, 12, 17), 10.0: (0, 15, 11, 19),
    },
    "50 authors": {
        NONE: (19, 36, 27, 43), 30.0: (19, 37, 29, 43), 25.0: (17, 34, 24, 41),
        20.0: (12, 28, 19, 42), 15.0: (9, 22, 13, 42), 10.0: (1, 24, 10, 43),
    },
}  # fmt: skip
"""Correct answers of 20 and 50: SRauth, SRtopic, DRauth, DRtopic."""

SNIPPET = "heard grandfather dubbed uncle sympathizer disowned hurt felt"
"""The words of the paper's table 3 that are dictionary words."""


READABLE = (
    "The paper's conclusion asks for readable text from noisy bags of words. Retelling "
    "does that: a public language model writes from released words, which "
    "--order shuffle hands over as a bag (docs/explanation/retelling.md)."
)

KNOWN_WORDS, SNIPPET_WORDS = 2000, 1000
"""Words of a story's beginning and of its end that the paper takes."""


@dataclass(frozen=True, slots=True, eq=False)
class AuthorSet:
    """One known text and one unknown snippet per author, cut to one length.

    Args:
        known: Words.
        snippets: Words.
        published: Correct answers by ε, of so many authors; empty if there are none.
        size: Authors of the published set.
    """

    known: list[list[str]]
    snippets: list[list[str]]
    published: Mapping[float | str, tuple[int, int, int, int]]
    size: int


def table(request: Request) -> Outcome:
    """Count correct authors and topics, same and different representation."""
    embedding = read_vectors(request.path(VECTORS))
    rng = np.random.default_rng(request.seed)
    repeats = 1 if request.quick else 5
    rows: list[Row] = []
    for name, authors in author_sets(request).items():
        for epsilon in EPSILONS:
            request.progress(f"{name}, ε = {epsilon}")
            count = 1 if epsilon == NONE else repeats
            noisy = [
                _noisy(authors.snippets, embedding, epsilon, rng) for _ in range(count)
            ]
            rows.append(_row(name, authors, noisy, epsilon, embedding, rng))
    topics = _topics(request)
    for epsilon in EPSILONS:
        request.progress(f"topics, ε = {epsilon}")
        rows.append(_topic_row(topics, epsilon, embedding, rng))
    notes = (
        "Data: the fan fiction of PAN 2018, problem 1, stands in for the scraped set: "
        "as in the paper the known text is the beginning and the snippet the end of "
        "one story, which is shorter here. In the set 'other story' they come from "
        "several stories of an author, in 'other fandom' the snippet is PAN's unknown "
        "text: there the author must be recognised and not the story. 48 bloggers "
        "stand in for 50 authors. Fandoms are not in the release and blog topics only "
        "stand for the blogger, so topics are measured on two newsgroups "
        "(rec.sport.baseball and sci.med); the paper's topic columns stand beside the "
        "authors' rows.",
        "Vectors: the 26,423 unit-length word2vec words that are to be had (the paper: "
        "100,000 and 30,000). The paper's are not normalised and about 2.5 long, so "
        "its ε is multiplied by 2.5: noise and distances between words keep about "
        "their ratio.",
        "As in the paper the attacker knows originals (static), words outside the "
        "vocabulary pass unchanged, and texts are cut to one length.",
        "SRauth = nearest mean vector, SRtopic = 5 nearest; DRauth = Koppel et al., "
        "DRtopic = averaged vectors with a linear head in place of fastText. "
        f"Noise is drawn {repeats} times; intervals: Wilson, or bootstrap over authors "
        "where there are several draws.",
        READABLE,
    )
    return Outcome(tuple(rows), notes, _figure(rows))


def _row(
    name: str,
    authors: AuthorSet,
    noisy: Sequence[Sequence[Sequence[str]]],
    epsilon: float | str,
    embedding: Embedding,
    rng: Rng,
) -> Row:
    count = len(authors.known)
    known = Known(joined(authors.known), np.arange(count), count)
    row: dict[str, Cell] = {
        "set": name,
        "epsilon": epsilon,
        "authors": count,
        "words": len(authors.snippets[0]),
        "draws": len(noisy),
    }
    for label, training in (
        ("SRauth", NearestMean(embedding)),
        ("DRauth", Koppel()),
    ):
        trained = training.train(known, rng)
        hits = np.array(
            [
                trained.guess(joined(texts), rng).ranking.argmax(axis=1)
                == np.arange(count)
                for texts in noisy
            ]
        )
        row |= as_cells(label, _found(hits, rng))
    for place, label in enumerate(("SRauth", "SRtopic", "DRauth", "DRtopic")):
        paper = authors.published.get(epsilon)
        row[f"published_{label}"] = (
            None if paper is None else paper[place] / authors.size
        )
    return row


def _found(hits: BoolArray, rng: Rng) -> Estimate:
    """Return the share of authors found, over draws of the noise."""
    draws, count = hits.shape
    if draws == 1:
        return Estimate.share(int(hits.sum()), count)
    return bootstrap_mean(hits.mean(axis=0), rng)


def _topics(request: Request) -> Split:
    """Take posts of two newsgroups, with fifty content words or more."""
    read = read_columns(request, NEWSGROUPS, "text_clean", ("topic", "split"))
    sides: dict[str, tuple[list[list[str]], list[int]]] = {
        "train": ([], []),
        "test": ([], []),
    }
    rows = zip(read["text_clean"], read["topic"], read["split"], strict=True)
    for text, topic, split in rows:
        if topic in GROUPS and split in sides:
            words = content_words(text)
            if len(words) >= 50:
                sides[split][0].append(words[:402])
                sides[split][1].append(GROUPS.index(topic))
    (train, labels), (test, truth) = sides["train"], sides["test"]
    most = 100 if request.quick else len(test)
    step = max(1, len(test) // most)
    return Split(train, np.array(labels), test[::step], np.array(truth[::step]))


def _topic_row(
    topics: Split, epsilon: float | str, embedding: Embedding, rng: Rng
) -> Row:
    noisy = joined(_noisy(topics.test, embedding, epsilon, rng))
    train = joined(topics.train)
    near = KNeighborsClassifier(5).fit(
        mean_vectors(bags(train, embedding), embedding.vectors), topics.labels
    )
    same = near.predict(mean_vectors(bags(noisy, embedding), embedding.vectors))
    task = Task(train, topics.labels, noisy, len(GROUPS))
    other = classify("averaged", task, lambda: embedding).argmax(axis=1)
    n = len(noisy)
    return {
        "set": "2 topics",
        "epsilon": epsilon,
        "documents": n,
        **as_cells("SRtopic", Estimate.share(int((same == topics.truth).sum()), n)),
        **as_cells("DRtopic", Estimate.share(int((other == topics.truth).sum()), n)),
    }


def _noisy(
    documents: Sequence[Sequence[str]],
    embedding: Embedding,
    epsilon: float | str,
    rng: Rng,
) -> list[list[str]]:
    if isinstance(epsilon, str):
        return [list(words) for words in documents]
    return _laplace(embedding, epsilon).apply(documents, rng)


def _laplace(embedding: Embedding, epsilon: float) -> WordNoise:
    noise = Laplace(epsilon * PAPER_LENGTH, embedding.dim)
    made = NearestWord(noise, embedding.vectors, embedding, embedding.fingerprint)
    return WordNoise(embedding, made)


def author_sets(request: Request, *, bloggers: bool = True) -> dict[str, AuthorSet]:
    """Return known texts and snippets of each set; `bloggers` adds the 50 authors."""
    known, unknown = _fan_fiction(request)
    names = sorted(known.keys() & unknown.keys())
    longest = [max(known[name], key=len) for name in names]
    joint = [[word for text in known[name] for word in text] for name in names]
    starts = [words[:KNOWN_WORDS] for words in joint]
    ends = [words[-SNIPPET_WORDS:] for words in joint]
    others = [unknown[name][0] for name in names]
    halves = (
        [words[: len(words) // 2] for words in longest],
        [words[len(words) // 2 :] for words in longest],
    )
    made = {
        "20 authors": _cut(*halves, 420, PUBLISHED["20 authors"], 20),
        "20 authors, other story": _cut(starts, ends, 420, {}, 20),
        "20 authors, other fandom": _cut(starts, others, 420, {}, 20),
    }
    if bloggers:
        published = PUBLISHED["50 authors"]
        made["50 authors"] = _cut(*_bloggers(request), 402, published, 50)
    return made


Texts = dict[str, list[list[str]]]


def _fan_fiction(request: Request) -> tuple[Texts, Texts]:
    """Return the known and the unknown texts of each candidate, as words."""
    read = read_columns(request, FANFIC, "text", ("author", "split", "problem"))
    first = min(read["problem"])
    known: Texts = {}
    unknown: Texts = {}
    rows = zip(*(read[c] for c in ("text", "author", "split", "problem")), strict=True)
    for text, author, split, problem in rows:
        if problem == first:
            side = known if split == "train" else unknown
            side.setdefault(author, []).append(text.split())
    return known, unknown


def _bloggers(request: Request) -> tuple[list[list[str]], list[list[str]]]:
    """Join training posts to a known text and test posts to a snippet."""
    read = read_columns(request, BLOGS, "text", ("author", "split"))
    known: dict[str, list[str]] = {}
    unknown: dict[str, list[str]] = {}
    rows = zip(read["text"], read["author"], read["split"], strict=True)
    for text, author, split in rows:
        side = (known if split == "train" else unknown).setdefault(author, [])
        side.extend(text.split())
    names = sorted(known.keys() & unknown.keys())[:50]
    return (
        [known[name][:KNOWN_WORDS] for name in names],
        [unknown[name][:SNIPPET_WORDS] for name in names],
    )


def _cut(
    known: Sequence[Sequence[str]],
    snippets: Sequence[Sequence[str]],
    most: int,
    published: Mapping[float | str, tuple[int, int, int, int]],
    size: int,
) -> AuthorSet:
    """Normalise, and cut all to the length of the shortest, at most the paper's."""
    texts = [content_words(" ".join(words)) for words in (*known, *snippets)]
    length = min(most, *map(len, texts))
    cut = [words[:length] for words in texts]
    return AuthorSet(cut[: len(known)], cut[len(known) :], published, size)


def _figure(rows: Sequence[Row]) -> str:
    series: dict[str, list[tuple[float, float]]] = {}
    for row in rows:
        if "SRauth" not in row:
            continue
        x = 40.0 if row["epsilon"] == NONE else float(row["epsilon"] or 0)
        for name in ("SRauth", "DRauth"):
            series.setdefault(f"{name}, {row['set']}", []).append(
                (x, number(row[name]))
            )
            if row[f"published_{name}"] is not None:
                series.setdefault(f"published {name}, {row['set']}", []).append(
                    (x, number(row[f"published_{name}"]))
                )
    return lines(series, "ε (40: unmodified)", "share of authors found")


def examples(request: Request) -> Outcome:
    """Show what becomes of the words of the paper's table 3."""
    embedding = read_vectors(request.path(VECTORS))
    rng = np.random.default_rng(request.seed)
    words = SNIPPET.split()
    rows: list[Row] = [{"epsilon": NONE, "ours": " ".join(words)}]
    for epsilon in (30.0, 20.0, 10.0):
        noisy = _laplace(embedding, epsilon).apply([words], rng)[0]
        rows.append({"epsilon": epsilon, "ours": " ".join(noisy)})
    published = (
        SNIPPET,
        "heard grandfather orient grandma sympathizer disowned Harrison feels",
        "Walt Disney grandfather orient grandma sympathizer Records culprits algebra",
        "Walt Disney Guinness Book tilted Public Defender premeditated murder ENERGY "
        "STAR culprits plagiarism",
    )
    rows = [{**row, "published": p} for row, p in zip(rows, published, strict=True)]
    return Outcome(
        tuple(rows),
        (
            "Names that are in no vocabulary (pollux, alphard, regulus) are left out.",
            "The paper's ε is multiplied by 2.5, as in fernandes-table1.",
            READABLE,
        ),
    )


EXPERIMENTS = by_name(
    Experiment(
        "fernandes-table1",
        "Fernandes et al. 2019, table 1: authors found under Laplace noise",
        (FANFIC, BLOGS, NEWSGROUPS, VECTORS),
        table,
    ),
    Experiment(
        "fernandes-table3",
        "Fernandes et al. 2019, table 3: example lines",
        (VECTORS,),
        examples,
    ),
)
