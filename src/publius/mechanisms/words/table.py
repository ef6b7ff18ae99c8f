"""Every word mechanism by name. A new one is one line here; see the how-to page."""

from publius.core.errors import ParameterError, UnknownNameError
from publius.embeddings.space_spec import DEFAULT_SPACE
from publius.mechanisms import REGISTERED, WITHDRAWN
from publius.mechanisms.custext import CusText
from publius.mechanisms.graded import Graded
from publius.mechanisms.laplace import Laplace
from publius.mechanisms.mahalanobis import Mahalanobis
from publius.mechanisms.projection import ProjectedLaplace
from publius.mechanisms.registry import About, Kind
from publius.mechanisms.riemannian_laplace import RiemannianLaplace
from publius.mechanisms.santext_plus import SanTextPlus
from publius.mechanisms.syntf import SynTF
from publius.mechanisms.tangent_laplace import TangentLaplace
from publius.mechanisms.words import finite, points, syntf
from publius.mechanisms.words.entry import WordEntry
from publius.mechanisms.words.general import generalising
from publius.mechanisms.words.plugins import plugins
from publius.mechanisms.words.settings import (
    CusTextSettings,
    ExponentialSettings,
    GradedSettings,
    LaplaceSettings,
    MahalanobisSettings,
    ProjectionSettings,
    SanTextPlusSettings,
    SynTFSettings,
)

METRIC = ("mcsherry2007", "chatzikokolakis2013")
BALL = ("feyisetan2019", "nickel2017")
CHANGED = "Publius corrects the published law; see the card."

WORD_MECHANISMS: dict[str, WordEntry] = {
    "custext": WordEntry(
        "euclidean",
        finite.custext,
        has_level=False,
        about=About(
            CusText.name,
            Kind.PARTIAL,
            is_certified=True,
            settings=CusTextSettings,
            papers=("chen2023",),
        ),
    ),
    "exponential": WordEntry(
        DEFAULT_SPACE,
        finite.exponential,
        draws_from_balls=True,
        caches_sums=True,
        folds=True,
        about=About(
            "exponential.v1",
            is_certified=True,
            settings=ExponentialSettings,
            papers=(*METRIC, "carvalho2021"),
            note="Publius's own: balanced weights, the certificate and integer "
            "sampling.",
        ),
    ),
    "generalising": WordEntry(
        "hyperbolic",
        generalising,
        about=About(
            "exponential.v1",
            is_certified=True,
            papers=(*METRIC, "nickel2017"),
            note="Publius's own: generalisation along WordNet.",
        ),
    ),
    "graded": WordEntry(
        DEFAULT_SPACE,
        finite.graded,
        draws_from_balls=True,
        about=About(
            Graded.name,
            is_certified=True,
            settings=GradedSettings,
            papers=METRIC,
            note="Publius's own: one ε for each public grade of a word.",
        ),
    ),
    "laplace": WordEntry(
        "euclidean",
        points.laplace,
        about=About(
            Laplace.name,
            settings=LaplaceSettings,
            papers=("fernandes2019", "feyisetan2020", "mironov2012"),
        ),
    ),
    "mahalanobis": WordEntry(
        "mahalanobis",
        points.mahalanobis,
        points.mahalanobis_space,
        about=About(Mahalanobis.name, settings=MahalanobisSettings, papers=("xu2020",)),
    ),
    "projection": WordEntry(
        "euclidean",
        points.projection,
        points.projection_space,
        about=About(
            ProjectedLaplace.name,
            settings=ProjectionSettings,
            papers=("feyisetan2021",),
        ),
    ),
    "riemannian-laplace": WordEntry(
        "hyperbolic",
        points.hyperbolic(RiemannianLaplace),
        about=About(RiemannianLaplace.name, papers=BALL, note=CHANGED),
    ),
    "santext": WordEntry(
        "euclidean",
        finite.santext,
        draws_from_balls=True,
        about=About("santext.v2", is_certified=True, papers=("yue2021",)),
    ),
    "santext-plus": WordEntry(
        "euclidean",
        finite.santext_plus,
        about=About(
            SanTextPlus.name,
            Kind.PARTIAL,
            is_certified=True,
            settings=SanTextPlusSettings,
            papers=("yue2021",),
        ),
    ),
    "syntf": WordEntry(
        "discrete",
        syntf.syntf_term,
        embedding=syntf.syntf_embedding,
        about=About(
            SynTF.name,
            Kind.LOCAL,
            settings=SynTFSettings,
            papers=("weggenmann2018", "weggenmann2023"),
        ),
    ),
    "tangent-laplace": WordEntry(
        "hyperbolic",
        points.hyperbolic(TangentLaplace),
        about=About(TangentLaplace.name, papers=BALL, note=CHANGED),
    ),
}

COUNTER_EXAMPLES = {
    "gumbel-truncated": "truncated-gumbel",
    "truncated-gumbel": "truncated-gumbel",
    "vickrey": "vickrey",
}
"""Published mechanisms that are refused by name, and their pages in the gallery."""

ELSEWHERE = {
    "discrete-circular": "publius times draws it",
    "dp-vae": "it rewrites whole sentences; publius release --mechanism dp-vae draws "
    "it, and publius autoencoder rewrite shows it on one text",
    "purkayastha": "publius places draws it",
    "retell": "it writes texts from words that exponential draws on the metric like; "
    "publius release and publius try know it, in Python pb.release_retold",
    "vmf": "publius places draws it",
    "von-mises-fisher": "publius places draws it",
}
"""Mechanisms of other materials, and where they are."""


def short_name(name: str) -> str:
    """Return the name of a mechanism in the table, without its version."""
    return name.removesuffix(".v1").replace("_", "-")


def word_entry(name: str) -> WordEntry:
    """Look a word mechanism up, with or without its version."""
    if name in WITHDRAWN:
        raise ParameterError(
            f"{name} is no longer drawn, because the last digits of its noise could "
            f"tell a secret; {WITHDRAWN[name]} replaced it: use {short_name(name)}"
        )
    known = name.rpartition(".v")[0] if name in REGISTERED else name
    short = short_name(known)
    if short in COUNTER_EXAMPLES:
        raise ParameterError(
            f"{name} is not offered, because its loss has no bound; see "
            f"docs/explanation/gallery/{COUNTER_EXAMPLES[short]}.md"
        )
    known_names = word_mechanisms()
    if short in ELSEWHERE and short not in known_names:
        raise ParameterError(f"{name} is no mechanism on words: {ELSEWHERE[short]}")
    if short not in known_names:
        # Asked for rightly, those of other materials say where they are.
        raise UnknownNameError("mechanism", name, (*known_names, *ELSEWHERE))
    return known_names[short]


def word_mechanisms() -> dict[str, WordEntry]:
    """Return every word mechanism, those of other packages included.

    Raises:
        ParameterError: Another package takes the name of a mechanism of Publius.
    """
    return plugins(WORD_MECHANISMS)
