"""The rivals side by side: at equal certified loss, and at equal attack."""

from collections.abc import Mapping, Sequence

import numpy as np

from publius.assessment.comparison.pictures import lines
from publius.assessment.comparison.rows import Cell, Row
from publius.assessment.rivals.asking import write
from publius.assessment.rivals.contest import (
    WORDS,
    Entry,
    Ground,
    context_entry,
    entries,
    list_entry,
    of_a_text,
    prior_entry,
    prompt_entry,
    untouched,
    word_entry,
)
from publius.assessment.rivals.steps import ModelSteps
from publius.core.arrays import Rng
from publius.core.errors import ParameterError
from publius.core.rng import seeded
from publius.embeddings.space_spec import LIKE
from publius.language.models.causal import has_language_model, load_language_model
from publius.language.models.causal.llama import CausalModel
from publius.papers.experiment import Outcome, Request, Shown
from publius.papers.rivals.corpora import Corpus, critics, newsgroups
from publius.papers.rivals.judging import Cells, Judges, judged, neural_risk, use_at
from publius.retelling.assemble import retelling_of
from publius.retelling.settings import RetellSettings

RETOLD = (3.0, 4.0)
"""ε of the retellings; the first sets the certified loss of the others."""
SIZES = {True: (8, 10, 6), False: (8, 20, 10)}
"""Quick or not → authors, and their texts to learn from and to attack."""
LEXICON = {True: 600, False: 6000}
CLOSE = 0.1
"""Losses that differ by this share count as equal."""


def run(request: Request) -> Outcome:
    """Write, attack and use the texts of every rival."""
    corpora = [newsgroups(request)]
    if not request.quick:
        corpora.append(critics(request))
    corpora = [few(corpus, *SIZES[request.quick]) for corpus in corpora]
    contenders, notes = _contenders(request)
    model = load_language_model() if has_language_model() else None
    judges = Judges.here(20 if request.quick else 60)
    rows: list[Cells] = []
    for corpus in corpora:
        for number, entry in enumerate(contenders):
            request.progress(f"{corpus.name}: {entry.key}")
            rng = seeded(1000 * request.seed + number)
            released = released_by(entry, model, corpus.texts, rng)
            cells = judged(corpus, released, judges, rng)
            if judges.encode is not None and corpus.use == "rating":
                cells |= neural_risk(corpus, released, judges.encode, rng)
            rows.append({**facts(entry, corpus), **cells})
    target = of_words(LIKE, RETOLD[0])
    return Outcome(
        tuple(footed(rows, target)),
        (*notes, *map(sample, corpora), *equal_attack(rows)),
        picture(rows),
        SHOWN,
    )


def sample(corpus: Corpus) -> str:
    """Say how small the sample of a corpus is."""
    return (
        f"{corpus.name}: {len(corpus.texts)} texts of {WORDS} content words by "
        f"{int(corpus.authors.max()) + 1} authors, {int((~corpus.is_known).sum())} of "
        f"them asked about; one draw. The {corpus.use} here is that of few authors' "
        f"texts, and an author tells much of it."
    )


def picture(rows: Sequence[Cells]) -> str:
    """Plot topics over authors found on the newsgroups, a line for each rival."""
    series: dict[str, list[tuple[float, float]]] = {}
    for row in rows:
        if "topic" in row:
            point = (float(row["author"] or 0), float(row["topic"] or 0))
            series.setdefault(str(row["rival"]), []).append(point)
    return lines(
        {rival: sorted(points) for rival, points in series.items()},
        "authors found by the stronger attack  (← better)",
        "topics found by the better analyst  (better →)",
    )


def of_words(metric: str, epsilon: float) -> float:
    """Return the loss of a text whose words are drawn on a metric."""
    return word_entry("", metric, epsilon).loss


def _contenders(request: Request) -> tuple[list[Entry], tuple[str, ...]]:
    if not has_language_model():
        missing: tuple[str, ...] = (
            "Rivals that a language model writes are left out: get it with publius "
            "evaluate --get-language-model.",
        )
        return [untouched(), word_entry("words, like", LIKE, RETOLD[0])], missing
    ground = Ground(load_language_model().tokenizer, LEXICON[request.quick])
    target = of_words(LIKE, RETOLD[0])
    chosen = _few_entries(ground) if request.quick else entries(ground, target)
    retold, missing = retold_entries(RETOLD[:1] if request.quick else RETOLD)
    return [*chosen, *retold], missing


def _few_entries(ground: Ground) -> list[Entry]:
    return [
        untouched(),
        word_entry("words, like", LIKE, RETOLD[0]),
        list_entry(ground, 0.1),
        prompt_entry(ground, 28.0),
        context_entry(ground, 18.0),
        prior_entry(ground, 2.0, 4.0),
    ]


def retold_entries(levels: Sequence[float]) -> tuple[list[Entry], tuple[str, ...]]:
    """Return retellings, or say that nobody writes them here."""
    made = []
    for epsilon in levels:
        try:
            retelling = retelling_of(RetellSettings(epsilon=epsilon))
        except ParameterError:
            return [], (
                "Retellings are left out: no taught adapter is on this machine.",
            )

        def release(
            texts: Sequence[str], rng: Rng, retelling: object = retelling
        ) -> list[str]:
            return list(retelling.release(texts, rng).texts)  # type: ignore[attr-defined]

        loss = of_a_text(retelling.mechanism.guarantee())
        covers = "content words, stop words, punctuation, layout and order"
        setting = f"like, ε = {epsilon:g}, shuffled"
        made.append(Entry("retelling", setting, loss, covers, release))
    return made, ()


def released_by(
    entry: Entry, model: CausalModel | None, texts: Sequence[str], rng: Rng
) -> list[str]:
    """Return what a rival releases of texts."""
    if entry.release is not None:
        return entry.release(texts, rng)
    if entry.asking is None or model is None:
        raise ParameterError(f"{entry.key} needs the language model")
    return write(ModelSteps(model), entry.asking, texts, rng)


def facts(entry: Entry, corpus: Corpus) -> Cells:
    """Return the first columns of a row."""
    return {
        "corpus": corpus.name,
        "rival": entry.name,
        "setting": entry.setting,
        "loss per text": entry.loss if np.isfinite(entry.loss) else None,
        "covers": entry.covers,
    }


def footed(rows: Sequence[Cells], target: float) -> list[Row]:
    """Mark the rows whose certified loss is that of the retelling."""
    marked: list[Row] = []
    for row in rows:
        loss = row["loss per text"]
        equal = loss is not None and abs(float(loss) / target - 1) <= CLOSE
        marked.append({**row, "equal loss": "yes" if equal else ""})
    return marked


def equal_attack(rows: Sequence[Cells]) -> list[str]:
    """Compare rivals where they leave as many authors to be found as a retelling."""
    lines = []
    for corpus in dict.fromkeys(str(row["corpus"]) for row in rows):
        own = [row for row in rows if row["corpus"] == corpus]
        use = "topic" if "topic" in own[0] else "rating"
        for author in _levels(own):
            told = []
            for rival in dict.fromkeys(str(row["rival"]) for row in own):
                points: list[Mapping[str, Cell]] = [
                    row for row in own if row["rival"] == rival
                ]
                value = use_at(points, use, author)
                if value is not None:
                    told.append(f"{rival} {value:.3f}")
            if told:
                lines.append(
                    f"{corpus}, {use} where {author:.2f} of authors are found, between "
                    f"the settings by lines: {'; '.join(told)}."
                )
    return lines


def _levels(rows: Sequence[Cells]) -> list[float]:
    """Return the risks of the retellings; of all rivals' middle where there is none."""
    retold = [float(row["author"] or 0) for row in rows if row["rival"] == "retelling"]
    return retold or [float(np.median([float(row["author"] or 0) for row in rows]))]


def few(corpus: Corpus, authors: int, known: int, asked: int) -> Corpus:
    """Keep some texts of the busiest authors."""
    own = corpus.authors[corpus.authors >= 0]
    busiest = np.argsort(-np.bincount(own), kind="stable")[:authors]
    rows = []
    for author in busiest.tolist():
        for side, most in ((True, known), (False, asked)):
            here = (corpus.authors == author) & (corpus.is_known == side)
            rows += np.flatnonzero(here)[:most].tolist()
    chosen = corpus.only(np.array(rows))
    # A class that nobody can learn cannot be asked for.
    taught = np.isin(chosen.labels, chosen.labels[chosen.is_known])
    return chosen.only(np.flatnonzero(taught)).numbered()


SHOWN = (
    Shown("corpus", "corpus"),
    Shown("rival", "rival"),
    Shown("setting", "setting"),
    Shown("loss per text", "loss per text"),
    Shown("topic", "topic", 2, has_interval=True),
    Shown("rating", "rating", 2, has_interval=True),
    Shown("author", "author", 2, has_interval=True),
    Shown("similarity", "similar", 2),
    Shown("perplexity, SmolLM2", "SmolLM2"),
    Shown("perplexity, trigrams", "trigrams"),
    Shown("told from originals", "told", 2),
)
