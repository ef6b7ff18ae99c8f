"""Noise: one file per mechanism, one table of registered names."""

from publius.mechanisms.bag_utility import bag_distance, bag_within
from publius.mechanisms.cap_uniform import CapUniform
from publius.mechanisms.clipped_laplace import ClippedLaplace
from publius.mechanisms.custext import CusText
from publius.mechanisms.discrete_circular_laplace import DiscreteCircularLaplace
from publius.mechanisms.exponential import Exponential
from publius.mechanisms.folded_exponential import FoldedExponential
from publius.mechanisms.gaussian import Gaussian
from publius.mechanisms.graded import Graded
from publius.mechanisms.laplace import Laplace
from publius.mechanisms.mahalanobis import Mahalanobis
from publius.mechanisms.nearest_word import NearestWord
from publius.mechanisms.polar_laplace import PolarLaplace
from publius.mechanisms.projection import ProjectedLaplace
from publius.mechanisms.purkayastha import Purkayastha
from publius.mechanisms.remap import Remapped, RemapTable
from publius.mechanisms.riemannian_laplace import RiemannianLaplace
from publius.mechanisms.santext import SanText
from publius.mechanisms.santext_plus import SanTextPlus
from publius.mechanisms.syntf import CosineRatings, SynTF
from publius.mechanisms.tangent_laplace import TangentLaplace
from publius.mechanisms.von_mises_fisher import VonMisesFisher
from publius.mechanisms.wrapped_laplace import WrappedLaplace

Folded = FoldedExponential

REGISTERED = {
    "exponential.v1": Exponential,
    "exponential.v2": Exponential,
    "laplace-device.v1": Laplace,
    "santext.v1": SanText,
    "santext.v2": SanText,
    **{
        mechanism.name: mechanism
        for mechanism in (
            CapUniform,
            ClippedLaplace,
            CusText,
            DiscreteCircularLaplace,
            FoldedExponential,
            Gaussian,
            Graded,
            Laplace,
            Mahalanobis,
            PolarLaplace,
            ProjectedLaplace,
            Purkayastha,
            RiemannianLaplace,
            SanTextPlus,
            SynTF,
            TangentLaplace,
            VonMisesFisher,
            WrappedLaplace,
        )
    },
}
"""Every law by its name; a new law gets a new version."""

WITHDRAWN = {
    f"{name}.v1": f"{name}.v2"
    for name in (
        "gaussian",
        "laplace",
        "mahalanobis",
        "projection",
        "riemannian_laplace",
        "tangent_laplace",
    )
}
"""Laws that stand in old manifests and are no longer drawn, and what replaced them."""

__all__ = [
    "REGISTERED",
    "WITHDRAWN",
    "CapUniform",
    "ClippedLaplace",
    "CosineRatings",
    "CusText",
    "DiscreteCircularLaplace",
    "Exponential",
    "FoldedExponential",
    "Gaussian",
    "Graded",
    "Laplace",
    "Mahalanobis",
    "NearestWord",
    "PolarLaplace",
    "ProjectedLaplace",
    "Purkayastha",
    "RemapTable",
    "Remapped",
    "RiemannianLaplace",
    "SanText",
    "SanTextPlus",
    "SynTF",
    "TangentLaplace",
    "VonMisesFisher",
    "WrappedLaplace",
    "bag_distance",
    "bag_within",
]
