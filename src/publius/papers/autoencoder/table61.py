"""Table 6.1 and Figure 6.4: authors and ratings in rewritten reviews."""

import math
from collections.abc import Iterator, Mapping, Sequence
from functools import partial

import numpy as np

from publius.accounting.gaussian import USUAL_DELTA, gaussian_epsilon
from publius.assessment.comparison.pictures import lines
from publius.assessment.comparison.rows import Cell, Row
from publius.autoencoder import sentences
from publius.autoencoder.architecture import KINDS
from publius.language.models.encoder import has_encoder, load_encoder
from publius.numerics.scores import as_cells
from publius.papers.autoencoder import CRITICS, IMDB
from publius.papers.autoencoder.recipes import CONTENT_ONLY, RECIPES, SHIPPED
from publius.papers.autoencoder.scores import Compared, Left, Scorer
from publius.papers.autoencoder.sizes import (
    AUTHOR_SIGMAS,
    FIGURE_SIGMAS,
    Stage,
    stages,
)
from publius.papers.experiment import Outcome, Request, Shown

Models = Mapping[str, tuple[float, ...]]
"""Deviations of the noise for each model of a table."""

ORIGINAL = "original"
COUNTS = "sentence counts only"
"""Each review is one word that says how many sentences it has."""

PUBLISHED: dict[str, tuple[float, ...]] = {
    ORIGINAL: (0.89, 0.89, 0.85, 0.47, 0.47, 0.58, 1.0, 1.0, 157.9),
    "vae": (0.75, 0.74, 0.71, 0.37, 0.34, 0.45, 0.59, 0.24, 213.3),
    "dp-vae": (0.07, 0.16, 0.20, 0.00, 0.00, 0.00, 0.33, 0.09, 73.4),
    "avg-aae": (0.16, 0.24, 0.22, 0.22, 0.34, 0.35, 0.47, 0.15, 72.6),
    "dp-aae": (0.09, 0.21, 0.22, 0.25, 0.38, 0.39, 0.44, 0.14, 58.3),
}
"""IMDb; in the order of ``COLUMNS``."""

COLUMNS = (
    "author svm static",
    "author svm adaptive",
    "author network adaptive",
    "rating svm static",
    "rating svm adaptive",
    "rating network adaptive",
    "similarity",
    "meteor",
    "perplexity",
)
TABLE: Models = {
    "vae": (1.0,),
    "dp-vae": (0.5, 0.7, 1.0),
    "avg-aae": (1.0,),
    "dp-aae": (14.2,),
    "dp-aae strong": (14.2,),
    CONTENT_ONLY: (0.5, 0.7, 1.0),
    SHIPPED: (0.3, 0.5, 1.0),
}
"""Models of the table and their noise: the thesis's σ, and what is near in effect."""

FIGURE: Models = {
    "dp-vae": FIGURE_SIGMAS,
    "dp-aae": AUTHOR_SIGMAS,
}
WHOLE: Models = {
    "dp-vae": (0.5, 1.0),
    "avg-aae": (1.0,),
    "dp-aae": (14.2,),
    SHIPPED: (1.0,),
}
"""Rows of the table that are made of whole reviews too."""

ABLATION: Models = {
    "dp-vae": (0.5, 1.0),
    "dp-vae, words alike": (0.5, 1.0),
    "dp-vae, no labels": (0.5, 1.0),
    "dp-aae": (14.2,),
    "dp-aae, no discriminators": (14.2,),
    "dp-aae, no matching": (14.2,),
    "dp-aae, words alike": (14.2,),
    "dp-aae, encoder not spared": (14.2,),
}
"""Models without one part of their training, beside those with all."""

KEPT = {"author kept": "author svm adaptive", "rating kept": "rating svm adaptive"}
"""Shares of the original's MCC."""

SHOWN = (
    Shown("corpus", "corpus"),
    Shown("model", "model"),
    Shown("sentences", "of"),
    Shown("sigma", "σ"),
    Shown("epsilon", "ε"),
    Shown("author svm adaptive", "author", 2, has_interval=True),
    Shown("rating svm adaptive", "rating", 2, has_interval=True),
    Shown("author kept", "author kept / thesis", 2, beside="published author kept"),
    Shown("rating kept", "rating kept / thesis", 2, beside="published rating kept"),
    Shown("similarity", "similar / thesis", 2, beside="published similarity"),
    Shown("meteor", "METEOR / thesis", 2, beside="published meteor"),
)
"""What a terminal has room for."""

NOTES = (
    "Published: ten IMDb authors, two sentiments from stars; network = BERT, "
    "similarity = Sentence-BERT, perplexity = GPT-2. Here: MCC unless a column says "
    "accuracy; "
    "network = a convolutional network trained from nothing, similarity = MiniLM "
    "cosine of whole texts, perplexity = trigrams of the original training reviews. "
    "Of these only SVM and METEOR are the same measure on both sides.",
    "sentences = 5: reviews are cut to their first five sentences, all training "
    "reviews are known to the attacker. The originals then tell about as much as the "
    "thesis's (author .92, rating .46 on imdb62; thesis .89 and .47). sentences = all: "
    "whole reviews, 300 of each author known, the originals tell more (.98 and .60). "
    "The autoencoders learn from all sentences of the training reviews.",
    "kept = share of the original's MCC, adaptive SVM. 'sentence counts only' is what "
    "is found when nothing but the number of sentences is left, which stays as it was. "
    "'of other reviews' = each review against the rewriting of another one: similarity "
    "and METEOR mean something above that.",
    "imdb62 is ten authors of the same collection, without stars: its rating is the "
    "verdict of an SVM that learnt other, public reviews, on the whole review. The "
    "four critics have three classes of stars; the thesis has nothing like them, its "
    "numbers for IMDb stand beside for orientation.",
    "vae, dp-vae, avg-aae and dp-aae go on from the shipped model in the full size. "
    "All but vae, shipped and 'no labels' are motivated to keep the rating: they know "
    "rating and author in training (never in rewriting).",
    "Only dp-vae models guarantee anything; epsilon is exact, of one sentence, at "
    "delta 1e-6.",
)


def table61(request: Request) -> Outcome:
    """Train, rewrite and score all kinds on both corpora."""
    asked = _table(request)
    rows: list[Row] = []
    for name in _corpora(request):
        short, whole = _read(request, name)
        rows += _rows(request, short, asked, network=True)
        rows += _rows(request, whole, _both(WHOLE, asked), network=False)
    return Outcome(tuple(rows), NOTES, shown=SHOWN)


def fig64(request: Request) -> Outcome:
    """Score the two kinds with fixed noise over its whole range."""
    rows: list[Row] = []
    for name in _corpora(request):
        short, _ = _read(request, name)
        rows += _rows(request, short, _figure_models(request), network=False)
    return Outcome(tuple(rows), NOTES, _figure(rows), SHOWN)


def ablation(request: Request) -> Outcome:
    """Score models that lack one part of their training."""
    short, _ = _read(request, _corpora(request)[0])
    rows = _rows(request, short, ABLATION, network=False)
    return Outcome(tuple(rows), NOTES, shown=SHOWN)


def rewriting(request: Request) -> Outcome:
    """Train and rewrite all that the table and the figure score, into the cache."""
    rows: list[Row] = []
    table, figure = _table(request), _figure_models(request)
    asked = {
        model: tuple(sorted({*table.get(model, ()), *figure.get(model, ())}))
        for model in {**table, **figure}
    }
    for name in _corpora(request):
        short, whole = _read(request, name)
        for ready, models in ((short, asked), (whole, _both(WHOLE, table))):
            for model, sigma in _pairs(models):
                texts = _rewritten(request, ready, model, sigma)
                words = sum(len(text.split()) for text in texts)
                size: dict[str, Cell] = {"reviews": len(texts), "words": words}
                rows.append(_about(ready, model, sigma) | size)
    note = "Models and texts are in the cache; vae-table61 and vae-fig64 score them."
    return Outcome(tuple(rows), (note,))


def _corpora(request: Request) -> tuple[str, ...]:
    return (CRITICS,) if request.quick else (IMDB, CRITICS)


def _table(request: Request) -> Models:
    return {name: TABLE[name][-1:] for name in KINDS} if request.quick else TABLE


def _figure_models(request: Request) -> Models:
    step = 4 if request.quick else 1
    return {name: sigmas[::step] for name, sigmas in FIGURE.items()}


def _both(first: Models, second: Models) -> Models:
    """Return what two tables have in common."""
    return {
        name: tuple(sigma for sigma in sigmas if sigma in second[name])
        for name, sigmas in first.items()
        if name in second
    }


def _pairs(models: Models) -> list[tuple[str, float]]:
    return [(model, sigma) for model, sigmas in models.items() for sigma in sigmas]


def _read(request: Request, name: str) -> tuple[Stage, Stage]:
    request.progress(f"reading {name}")
    return stages(request, name)


def _rewritten(request: Request, ready: Stage, model: str, sigma: float) -> list[str]:
    request.progress(f"{ready.corpus}, {model}, sigma {sigma:g}")
    return ready.bench.rewritten(RECIPES[model], ready.reviews, sigma)


def _rows(
    request: Request, ready: Stage, asked: Models, *, network: bool
) -> Iterator[Row]:
    """Score originals, what their lengths tell, and every rewriting."""
    scorer = Scorer(ready.reviews, load_encoder() if has_encoder() else None)
    texts = [review.text for review in ready.reviews]
    # Every row draws anew, so that none depends on the rows before it.
    experiment_rng = partial(np.random.default_rng, ready.bench.seed)
    request.progress(f"{ready.corpus}, originals")
    left = scorer.score(texts, experiment_rng(), network=network)
    original = _about(ready, ORIGINAL) | _scores(left)
    yield original | _beside(original, original)
    lengths = [f"of{len(sentences.split(text))}" for text in texts]
    row = _about(ready, COUNTS) | _scores(
        Left(scorer.attacked(lengths, experiment_rng()))
    )
    yield row | _beside(row, original)
    for model, sigma in _pairs(asked):
        texts = _rewritten(request, ready, model, sigma)
        left = scorer.score(texts, experiment_rng(), network=network)
        row = _about(ready, model, sigma) | _scores(left)
        yield row | _beside(row, original)


def _about(ready: Stage, name: str, sigma: float = 0.0) -> dict[str, Cell]:
    """Say what a row is about: corpus, model, noise, guarantee."""
    kind = RECIPES[name].kind if name in RECIPES else ""
    return {
        "corpus": ready.corpus,
        "model": name,
        "sentences": "all" if ready.sentences is None else ready.sentences,
        "sigma": sigma if kind in ("dp-vae", "dp-aae") else None,
        "epsilon": (
            gaussian_epsilon(USUAL_DELTA, sensitivity=6.0, sigma=sigma)
            if kind == "dp-vae"
            else None
        ),
    }


def _scores(left: Left) -> dict[str, Cell]:
    row: dict[str, Cell] = {}
    for (what, attacker, knowledge), scores in left.scores.items():
        key = f"{what} {attacker} {knowledge.value}"
        row |= as_cells(key, scores.mcc, " ")
        row[f"{key} accuracy"] = scores.accuracy.value
    row |= _compared("similarity", left.similarity)
    row |= _compared("meteor", left.meteor)
    return row | as_cells("perplexity", left.perplexity, " ")


def _beside(row: Row, original: Row) -> dict[str, Cell]:
    """Return the shares kept of the original's MCC, and what the thesis has."""
    known = PUBLISHED.get(str(row["model"]))
    published = {} if known is None else dict(zip(COLUMNS, known, strict=True))
    before = dict(zip(COLUMNS, PUBLISHED[ORIGINAL], strict=True))
    cells: dict[str, Cell] = {}
    for key, of in KEPT.items():
        cells[key] = _share(row.get(of), original.get(of))
        cells[f"published {key}"] = _share(published.get(of), before[of])
    return cells | {f"published {key}": published.get(key) for key in COLUMNS}


def _share(part: Cell, of: Cell) -> float | None:
    if isinstance(part, float) and isinstance(of, float) and of > 0:
        return part / of
    return None


def _compared(key: str, value: Compared | None) -> dict[str, Cell]:
    same = None if value is None else value.same
    other = None if value is None else value.other.value
    return {**as_cells(key, same, " "), f"{key} of other reviews": other}


def _figure(rows: Sequence[Row]) -> str:
    """Draw author and rating over σ for each corpus and kind."""
    curves: dict[str, list[tuple[float, float]]] = {}
    for row in rows:
        sigma = row["sigma"]
        for what in ("author", "rating"):
            value = row.get(f"{what} svm adaptive")
            if isinstance(sigma, float) and isinstance(value, float):
                key = f"{row['corpus']}, {row['model']}: {what}"
                curves.setdefault(key, []).append((math.log10(sigma), value))
    return lines(curves, "noise, log10 of σ", "MCC of an adaptive SVM")
