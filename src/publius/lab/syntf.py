"""Weggenmann & Kerschbaum (thesis, chapter 5): SynTF on 20 Newsgroups.

Utility is the topic, the attack is Writeprints on reversed vectors: synthetic counts
are written out as words. Analyst and attacker learn from what was released (adaptive).
"""

import importlib.util
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from publius.assemble import plan
from publius.attacks import Documents, Knowledge, Writeprints, attack
from publius.config import WordSettings
from publius.core.arrays import IdArray, Rng
from publius.core.report import Estimate
from publius.core.scores import score_ranking
from publius.embeddings.vocabulary import Vocabulary
from publius.evaluation.classify import Task, classify
from publius.lab.contenders import Contender, obfuscate
from publius.lab.documents import codes_of, read_columns, words_only
from publius.lab.experiment import Cell, Experiment, Outcome, Request, Row
from publius.lab.pictures import bars, lines
from publius.sanitize.oov import OovPolicy
from publius.sanitize.words import count_terms
from publius.text.tokenizer import Tokenizer

FILE = "topic/20ng_12groups.jsonl.gz"
SCENARIOS = ("Top 5/Any", "Top 10/Any", "Top 5/Multi", "Top 10/Multi")
OPTIMAL = WordSettings(
    form="tf", epsilon=47.5, overlap=0.3, length=150, vocabulary=10_000
)
PUBLISHED = {
    "none": (0.69, 0.64),
    "SynTF": (0.60, 0.42),
    "scrubadub": (0.64, 0.57),
}
"""Table 5.3, Top 10/Any: F1 of utility and of the attack."""

NOTES = (
    "Data: 12 of the 20 groups, quotes and signatures removed; the thesis has all 20 "
    "and removes header and footer. Authors are those with most posts here.",
    "Words in lower case, vocabulary of 10,000 GloVe words; the thesis lemmatises and "
    "has about 30,000. Ratings are clipped to [0, 1] so that the sensitivity is 1.",
    "Utility: word TF-IDF with a linear SVM. Attack: limited Writeprints of our own "
    "with a linear SVM in place of JStylo's. F1 is the mean over classes.",
)


@dataclass(frozen=True, slots=True, eq=False)
class Posts:
    """Posts with author, topic and side of the split."""

    texts: list[str]
    authors: list[str]
    topics: list[str]
    is_train: "np.ndarray"

    def only(self, rows: Sequence[int]) -> "Posts":
        """Return some posts."""
        return Posts(
            [self.texts[i] for i in rows],
            [self.authors[i] for i in rows],
            [self.topics[i] for i in rows],
            self.is_train[list(rows)],
        )


def _posts(request: Request) -> Posts:
    read = read_columns(request, FILE, "text_clean", ("author", "topic", "split"))
    kept = [i for i, text in enumerate(read["text_clean"]) if text.strip()]
    whole = Posts(
        read["text_clean"],
        read["author"],
        read["topic"],
        np.array([side == "train" for side in read["split"]]),
    )
    return whole.only(kept)


def _suspects(posts: Posts, scenario: str) -> Posts:
    """Return the posts of the authors of a scenario."""
    count = int(scenario.split()[1].partition("/")[0])
    groups: dict[str, set[str]] = {}
    sides: dict[str, Counter[bool]] = {}
    for author, topic, side in zip(
        posts.authors, posts.topics, posts.is_train.tolist(), strict=True
    ):
        groups.setdefault(author, set()).add(topic)
        sides.setdefault(author, Counter())[side] += 1
    least = 2 if scenario.endswith("Multi") else 1
    usable = [
        author
        for author, seen in sides.items()
        if len(groups[author]) >= least and seen[True] >= 8 and seen[False] >= 4
    ]
    # By the rarer side first: an author without test posts cannot be attacked.
    usable.sort(key=lambda a: (-sum(sides[a].values()), a))
    chosen = set(usable[:count])
    return posts.only([i for i, a in enumerate(posts.authors) if a in chosen])


def _topical(posts: Posts, request: Request) -> Posts:
    """Return all posts, or a random sixth of them."""
    if not request.quick:
        return posts
    order = np.random.default_rng(request.seed).permutation(len(posts.texts))
    return posts.only(np.sort(order[: len(order) // 6]).tolist())


@dataclass(frozen=True, slots=True)
class Scored:
    """F1 of the analyst and of the attacker."""

    utility: Estimate
    attack: Estimate

    @property
    def cells(self) -> dict[str, Cell]:
        """Return both with intervals."""
        found: dict[str, Cell] = {}
        for name, value in (("utility", self.utility), ("attack", self.attack)):
            found |= {name: value.value, f"{name}_low": value.low}
            found |= {f"{name}_high": value.high}
        return found


def _utility(posts: Posts, texts: Sequence[str], rng: Rng) -> Estimate:
    labels = codes_of(posts.topics)
    train = np.flatnonzero(posts.is_train).tolist()
    test = np.flatnonzero(~posts.is_train)
    task = Task(
        [texts[i] for i in train],
        labels[posts.is_train],
        [texts[i] for i in test.tolist()],
        int(labels.max()) + 1,
    )
    ranking = classify("svm", task, words_only)
    return score_ranking(ranking, labels[test], rng).macro_f1


def _attacked(posts: Posts, texts: Sequence[str], rng: Rng) -> Estimate:
    codes: IdArray = codes_of(posts.authors)
    documents = Documents(texts, texts, codes, posts.is_train)
    return attack(Writeprints("svm"), documents, Knowledge.ADAPTIVE, rng).macro_f1


def synthetic(texts: Sequence[str], settings: WordSettings, rng: Rng) -> list[str]:
    """Return SynTF vectors written out as words."""
    made = plan(settings)
    (ids, counts), _ = made.form.columns(list(texts), rng)
    words = np.array(made.embedding.vocabulary.words, dtype=object)
    pairs = zip(ids.to_pylist(), counts.to_pylist(), strict=True)
    return [" ".join(np.repeat(words[row], size)) for row, size in pairs]


def vectorised(texts: Sequence[str], vocabulary: Vocabulary) -> list[str]:
    """Return term counts written out as words, without noise."""
    counts = count_terms(texts, Tokenizer(), vocabulary, OovPolicy.UNIFORM)
    words = np.array(vocabulary.words, dtype=object)
    found = []
    for start, stop in zip(counts.indptr[:-1], counts.indptr[1:], strict=True):
        row, size = counts.indices[start:stop], counts.data[start:stop]
        found.append(" ".join(np.repeat(words[row], size)))
    return found


class _Bench:
    """Posts of the topic task and of one scenario, and the untouched scores."""

    def __init__(self, request: Request, scenario: str) -> None:
        posts = _posts(request)
        self.topical = _topical(posts, request)
        self.suspects = _suspects(posts, scenario)
        self.rng = np.random.default_rng(request.seed)

    def plain(self) -> Scored:
        return self.score(self.topical.texts, self.suspects.texts)

    def vectors(self) -> Scored:
        vocabulary = plan(OPTIMAL).embedding.vocabulary
        return self.score(
            vectorised(self.topical.texts, vocabulary),
            vectorised(self.suspects.texts, vocabulary),
        )

    def syntf(self, settings: WordSettings) -> Scored:
        return self.score(
            synthetic(self.topical.texts, settings, self.rng),
            synthetic(self.suspects.texts, settings, self.rng),
        )

    def scrubbed(self) -> Scored | None:
        if importlib.util.find_spec("scrubadub") is None:
            return None
        clean = [
            obfuscate(Contender("scrub"), posts.texts, WordSettings(), 0.0, self.rng)
            for posts in (self.topical, self.suspects)
        ]
        return self.score(clean[0].texts, clean[1].texts)

    def score(self, topical: Sequence[str], suspects: Sequence[str]) -> Scored:
        return Scored(
            _utility(self.topical, topical, self.rng),
            _attacked(self.suspects, suspects, self.rng),
        )


def table(request: Request) -> Outcome:
    """Table 5.3: utility and attack in the scenario Top 10/Any."""
    bench = _Bench(request, "Top 10/Any")
    request.progress("untouched texts")
    found: dict[str, Scored | None] = {"none": bench.plain()}
    request.progress("SynTF")
    found["SynTF"] = bench.syntf(OPTIMAL)
    request.progress("scrubbing")
    found["scrubadub"] = bench.scrubbed()
    rows = []
    for name, scored in found.items():
        if scored is not None:
            utility, attacked = PUBLISHED[name]
            rows.append(
                {
                    "method": name,
                    **scored.cells,
                    "published_utility": utility,
                    "published_attack": attacked,
                }
            )
    return Outcome(tuple(rows), _notes(found), _method_bars(rows))


def _notes(found: dict[str, Scored | None]) -> tuple[str, ...]:
    if found.get("scrubadub", 0) is None:
        return (*NOTES, "scrubadub is not installed, so its row is missing.")
    return NOTES


def _method_bars(rows: Sequence[Row]) -> str:
    groups = {}
    for row in rows:
        names = ("utility", "published_utility", "attack", "published_attack")
        groups[str(row["method"])] = {n: float(row[n] or 0) for n in names}
    return bars(groups, "F1")


def stages(request: Request) -> Outcome:
    """Figure 5.3: utility and attack over ε, relative to untouched texts."""
    epsilons = (35.0, 47.5, 55.0) if request.quick else tuple(np.arange(35, 56, 2.5))
    scenarios = SCENARIOS[1:2] if request.quick else SCENARIOS
    rows: list[Row] = []
    series: dict[str, list[tuple[float, float]]] = {}
    for scenario in scenarios:
        bench = _Bench(request, scenario)
        request.progress(f"{scenario}, untouched and vectorised")
        plain, vectors = bench.plain(), bench.vectors()
        rows.append({"scenario": scenario, "stage": "original", **plain.cells})
        rows.append({"scenario": scenario, "stage": "vectorised", **vectors.cells})
        for epsilon in epsilons:
            request.progress(f"{scenario}, ε = {epsilon:g}")
            settings = replace(OPTIMAL, epsilon=float(epsilon))
            scored = bench.syntf(settings)
            loss = plan(settings).promise.worst_loss / settings.length
            rows.append(
                {"scenario": scenario, "stage": "synthetic", "epsilon": float(epsilon),
                 "loss_per_term": loss, **scored.cells}
            )  # fmt: skip
            for kind in ("utility", "attack"):
                share = getattr(scored, kind).value / getattr(plain, kind).value
                series.setdefault(f"{kind}, {scenario}", []).append((epsilon, share))
    notes = (
        *NOTES,
        "The thesis prints this figure without numbers, except ε = 47.5 with an "
        "effective loss of 25.4 per term (column loss_per_term is ours).",
    )
    figure = lines(series, "ε of a term", "F1 relative to untouched texts")
    return Outcome(tuple(rows), notes, figure)


def overlap(request: Request) -> Outcome:
    """Figure 5.4: the analyst's advantage by the factor s of the bigram overlap."""
    factors = (0.0, 0.3) if request.quick else (0.0, 0.1, 0.2, 0.3, 0.4)
    scenarios = SCENARIOS[1:2] if request.quick else SCENARIOS
    rows: list[Row] = []
    groups: dict[str, dict[str, float]] = {}
    for scenario in scenarios:
        bench = _Bench(request, scenario)
        plain = bench.plain()
        for factor in factors:
            request.progress(f"{scenario}, s = {factor:g}")
            scored = bench.syntf(replace(OPTIMAL, overlap=factor))
            gain = (
                scored.utility.value / plain.utility.value
                - scored.attack.value / plain.attack.value
            )
            rows.append(
                {"scenario": scenario, "s": factor, "gain": gain, **scored.cells}
            )
            groups.setdefault(scenario, {})[f"s = {factor:g}"] = gain
    notes = (
        *NOTES,
        "gain = relative utility minus relative attack. The thesis prints bars without "
        "numbers: an attacker's advantage at s = 0 in Top 5, the analyst's from 0.3.",
    )
    return Outcome(tuple(rows), notes, bars(groups, "gain of the analyst"))


def scrubbing(request: Request) -> Outcome:
    """Figure 5.5: SynTF beside removal of personal data, in every scenario."""
    scenarios = SCENARIOS[1::2] if request.quick else SCENARIOS
    rows: list[Row] = []
    groups: dict[str, dict[str, float]] = {}
    found: dict[str, Scored | None] = {}
    for scenario in scenarios:
        bench = _Bench(request, scenario)
        request.progress(scenario)
        plain = bench.plain()
        found = {"SynTF": bench.syntf(OPTIMAL), "scrubadub": bench.scrubbed()}
        rows.append({"scenario": scenario, "method": "none", **plain.cells})
        for name, scored in found.items():
            if scored is None:
                continue
            rows.append({"scenario": scenario, "method": name, **scored.cells})
            mine = groups.setdefault(scenario, {})
            mine[f"{name} utility"] = scored.utility.value / plain.utility.value
            mine[f"{name} attack"] = scored.attack.value / plain.attack.value
    return Outcome(tuple(rows), _notes(found), bars(groups, "relative F1"))


EXPERIMENTS = {
    made.name: made
    for made in (
        Experiment(
            "syntf-table53",
            "Thesis, table 5.3: SynTF in the scenario Top 10/Any",
            (FILE,),
            table,
        ),
        Experiment(
            "syntf-fig53",
            "Thesis, figure 5.3: utility and attack over ε",
            (FILE,),
            stages,
        ),
        Experiment(
            "syntf-fig54",
            "Thesis, figure 5.4: effect of the bigram overlap",
            (FILE,),
            overlap,
        ),
        Experiment(
            "syntf-fig55",
            "Thesis, figure 5.5: SynTF beside scrubbing",
            (FILE,),
            scrubbing,
        ),
    )
}
