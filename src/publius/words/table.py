"""Every word mechanism by name. A new one is one line here; see the how-to page."""

from publius.core.errors import ParameterError, UnknownNameError
from publius.embeddings.space_spec import DEFAULT_SPACE
from publius.mechanisms import REGISTERED
from publius.mechanisms.riemannian_laplace import RiemannianLaplace
from publius.mechanisms.tangent_laplace import TangentLaplace
from publius.words import finite, points, syntf
from publius.words.entry import WordEntry
from publius.words.general import generalising

WORD_MECHANISMS: dict[str, WordEntry] = {
    "custext": WordEntry("euclidean", finite.custext, has_level=False),
    "exponential": WordEntry(DEFAULT_SPACE, finite.exponential, draws_from_balls=True),
    "generalising": WordEntry("hyperbolic", generalising),
    "graded": WordEntry(DEFAULT_SPACE, finite.graded, draws_from_balls=True),
    "laplace": WordEntry("euclidean", points.laplace),
    "mahalanobis": WordEntry(
        "mahalanobis", points.mahalanobis, points.mahalanobis_space
    ),
    "projection": WordEntry("euclidean", points.projection, points.projection_space),
    "riemannian-laplace": WordEntry("hyperbolic", points.hyperbolic(RiemannianLaplace)),
    "santext": WordEntry("euclidean", finite.santext, draws_from_balls=True),
    "santext-plus": WordEntry("euclidean", finite.santext_plus),
    "syntf": WordEntry("discrete", syntf.syntf_term, embedding=syntf.syntf_embedding),
    "tangent-laplace": WordEntry("hyperbolic", points.hyperbolic(TangentLaplace)),
}

COUNTER_EXAMPLES = {
    "gumbel-truncated": "truncated-gumbel",
    "truncated-gumbel": "truncated-gumbel",
    "vickrey": "vickrey",
}
"""Published mechanisms that are refused by name, and their pages in the gallery."""


def word_entry(name: str) -> WordEntry:
    """Look a word mechanism up, with or without its version."""
    known = name.rpartition(".v")[0] if name in REGISTERED else name
    short = known.removesuffix(".v1").replace("_", "-")
    if short in COUNTER_EXAMPLES:
        raise ParameterError(
            f"{name} is not offered, because its loss has no bound; see "
            f"docs/explanation/gallery/{COUNTER_EXAMPLES[short]}.md"
        )
    if short not in WORD_MECHANISMS:
        raise UnknownNameError("word mechanism", name, WORD_MECHANISMS)
    return WORD_MECHANISMS[short]
