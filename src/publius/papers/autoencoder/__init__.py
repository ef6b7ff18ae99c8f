"""Experiments of chapter 6 of the thesis: sentence autoencoders on reviews."""

from collections.abc import Callable
from importlib import import_module

from publius.papers.experiment import Experiment, Outcome, Request

CRITICS = "authorship/movie_scale_4authors.jsonl.gz"
IMDB = "authorship/imdb62_shared.jsonl.gz"
PUBLIC = "utility/imdb.jsonl.gz"
"""Public film reviews with labels; a classifier learnt from them labels IMDb62."""


def _later(module: str, name: str) -> Callable[[Request], Outcome]:
    """Return an experiment whose module is loaded when it runs.

    torch takes seconds to load and is an extra; a list of experiments needs none.
    """

    def run(request: Request) -> Outcome:
        made: Callable[[Request], Outcome] = getattr(
            import_module(f"{__name__}.{module}"), name
        )
        return made(request)

    return run


EXPERIMENTS = {
    name: Experiment(name, told, (CRITICS, IMDB, PUBLIC), _later(module, function))
    for name, told, module, function in (
        ("vae-rewriting",
         "Train and rewrite for vae-table61 and vae-fig64, to be scored elsewhere",
         "table61", "rewriting"),
        ("vae-table61",
         "Thesis, table 6.1: authors and ratings in reviews that autoencoders rewrote",
         "table61", "table61"),
        ("vae-table62",
         "Thesis, tables 6.2 and 6.3: public sentences rewritten by each autoencoder",
         "examples", "table62"),
        ("vae-ablation",
         "Beside thesis, table 6.1: what each part of training does",
         "table61", "ablation"),
        ("vae-fig64",
         "Thesis, figure 6.4: authors and ratings over the noise of DP-VAE and DP-AAE",
         "table61", "fig64"),
    )
}  # fmt: skip
