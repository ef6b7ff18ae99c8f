"""Mechanisms: every one by name, whatever material it protects."""

from dataclasses import dataclass

from publius.core.html import html_table
from publius.embeddings.space_spec import LIKE
from publius.materials.places.treatment import LAWS
from publius.materials.sentences.settings import SentenceSettings
from publius.materials.sentences.treatment import MECHANISM as SENTENCES
from publius.materials.times.treatment import TimeSettings
from publius.mechanisms.discrete_circular_laplace import DiscreteCircularLaplace
from publius.mechanisms.registry import About, Kind, Material
from publius.mechanisms.words.table import word_mechanisms
from publius.retelling.settings import RETELL, TIDIED, RetellSettings

ANGULAR = "angular"


@dataclass(frozen=True, slots=True)
class Listing:
    """One mechanism.

    Args:
        name: What people type.
        material: What it protects.
        metric: Its usual distance between secrets.
        about: Its guarantee, status and parameters.
    """

    name: str
    material: Material
    metric: str
    about: About

    @property
    def status(self) -> str:
        """Say whether the loss is computed on what runs, or proved over the reals."""
        if self.about.package != "publius":
            return "not certified by Publius"
        return "certified" if self.about.is_certified else "idealised"

    def to_json(self) -> dict[str, object]:
        """Return plain values."""
        return {
            "name": self.name,
            "material": self.material.value,
            "law": self.about.law,
            "metric": self.metric,
            "guarantee": self.about.kind.value,
            "status": self.status,
            "parameters": dict(self.about.parameters),
            "card": self.about.card,
            "package": self.about.package,
        }


@dataclass(frozen=True, slots=True)
class Mechanisms:
    """Every mechanism, by material and name."""

    listed: tuple[Listing, ...]

    def to_json(self) -> dict[str, object]:
        """Return plain values."""
        return {"mechanisms": [one.to_json() for one in self.listed]}

    def __repr__(self) -> str:
        return f"<{len(self.listed)} mechanisms>"

    def _repr_html_(self) -> str:
        rows = [(m.name, m.material, m.metric, m.about.kind, m.status)
                for m in self.listed]  # fmt: skip
        names = ("name", "material", "metric", "guarantee", "status")
        return html_table("Mechanisms", names, rows)


def mechanisms() -> Mechanisms:
    """Return every mechanism that a release can use, by material and name."""
    words = [
        Listing(
            name,
            Material.WORDS,
            # On words of other vocabularies, and with a remap, it is the second one.
            f"{LIKE}; else {entry.metric}" if entry.folds else entry.metric,
            entry.about,
        )
        for name, entry in sorted(word_mechanisms().items())
    ]
    return Mechanisms((*words, *_OTHERS))


_OTHERS = (
    Listing(
        RETELL,
        Material.WORDS,
        LIKE,
        About(
            TIDIED,
            is_certified=True,
            settings=RetellSettings,
            papers=("mattern2022", "utpala2023"),
            note="Publius's own: a text written anew from noisy content words.",
        ),
    ),
    Listing(
        "dp-vae",
        Material.SENTENCES,
        "any two sentences",
        About(
            SENTENCES,
            Kind.APPROXIMATE,
            settings=SentenceSettings,
            page="dp-vae",
            papers=("weggenmann2022", "weggenmann2023"),
        ),
    ),
    Listing(
        "discrete-circular",
        Material.TIMES,
        "steps on a circle",
        About(
            DiscreteCircularLaplace.name,
            is_certified=True,
            settings=TimeSettings,
            papers=("ghosh2012", "weggenmann2021"),
            note="Publius's own: the geometric mechanism on a circle.",
        ),
    ),
    *(
        Listing(name, Material.PLACES, ANGULAR, entry.about)
        for name, entry in sorted(LAWS.items())
    ),
)
