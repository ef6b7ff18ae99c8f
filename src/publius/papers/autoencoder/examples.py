"""Public sentences, rewritten by every kind: what Tables 6.2 and 6.3 show."""

from publius.assessment.comparison.rows import Cell, Row
from publius.papers.autoencoder import CRITICS, IMDB
from publius.papers.autoencoder.recipes import RECIPES, SHIPPED
from publius.papers.autoencoder.reviews import Review
from publius.papers.autoencoder.sizes import stages
from publius.papers.experiment import Outcome, Request

SENTENCES = (
    "The acting was terrible and the plot made no sense.",
    "I really loved this movie, it was funny and touching.",
    "This is an okay film, I guess, but the ending was too long.",
    "The soundtrack was great and the young actress was wonderful.",
    "I would not recommend this book to anyone.",
    "Our economy is growing and unemployment has fallen.",
)
"""Written for this page; the reviews of the corpora stay where they are."""

REVIEWS = [Review("", sentence, "test") for sentence in SENTENCES]

MODELS = {
    SHIPPED: 0.3, "dp-vae": 0.5, "avg-aae": 1.0, "dp-aae": 14.2, "vae": 1.0,
}  # fmt: skip


def table62(request: Request) -> Outcome:
    """Rewrite the sentences with each model."""
    ready, _ = stages(request, CRITICS if request.quick else IMDB)
    columns: dict[str, list[str]] = {"original": list(SENTENCES)}
    for name, sigma in MODELS.items():
        request.progress(f"{ready.corpus}, {name}")
        title = (
            f"{name}, σ = {sigma:g}" if name in ("dp-vae", "dp-aae", SHIPPED) else name
        )
        columns[title] = ready.bench.rewritten(RECIPES[name], REVIEWS, sigma)
    rows: list[Row] = []
    for number in range(len(SENTENCES)):
        row: dict[str, Cell] = {name: texts[number] for name, texts in columns.items()}
        rows.append(row)
    return Outcome(tuple(rows), ("One draw of the noise each; greedy decoding.",))
