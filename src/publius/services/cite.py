"""Cite: the papers behind a mechanism, as BibTeX."""

import re
from dataclasses import dataclass
from importlib.resources import files

from publius.core.errors import UnknownNameError
from publius.services.mechanisms import mechanisms

OWN = "publius"
"""Key of Publius itself."""

METRIC = ("mcsherry2007", "chatzikokolakis2013")
BALL = ("feyisetan2019", "nickel2017")
CHANGED = "Publius corrects the published law; see the card."


@dataclass(frozen=True, slots=True)
class Source:
    """Where a mechanism comes from.

    Args:
        papers: Keys of the bibliography; what it rests on, if it is Publius's own.
        note: What is Publius's own; empty if nothing is.
    """

    papers: tuple[str, ...]
    note: str = ""


SOURCES: dict[str, Source] = {
    "custext": Source(("chen2023",)),
    "discrete-circular": Source(
        ("ghosh2012", "weggenmann2021"),
        "Publius's own: the geometric mechanism on a circle.",
    ),
    "dp-vae": Source(("weggenmann2022", "weggenmann2023")),
    "exponential": Source(
        (*METRIC, "carvalho2021"),
        "Publius's own: balanced weights, the certificate and integer sampling.",
    ),
    "generalising": Source(
        (*METRIC, "nickel2017"), "Publius's own: generalisation along WordNet."
    ),
    "graded": Source(METRIC, "Publius's own: one ε for each public grade of a word."),
    "laplace": Source(("fernandes2019", "feyisetan2020", "mironov2012")),
    "mahalanobis": Source(("xu2020",)),
    "projection": Source(("feyisetan2021",)),
    "purkayastha": Source(("weggenmann2021", "weggenmann2023", "purkayastha1991")),
    "retell": Source(
        ("mattern2022", "utpala2023"),
        "Publius's own: a text written anew from noisy content words.",
    ),
    "riemannian-laplace": Source(BALL, CHANGED),
    "santext": Source(("yue2021",)),
    "santext-plus": Source(("yue2021",)),
    "syntf": Source(("weggenmann2018", "weggenmann2023")),
    "tangent-laplace": Source(BALL, CHANGED),
    "vmf": Source(("weggenmann2021", "weggenmann2023", "ulrich1984", "wood1994")),
}
"""Papers of every mechanism of Publius."""


@dataclass(frozen=True, slots=True)
class Citation:
    """What to cite.

    Args:
        name: The mechanism, or ``publius``.
        note: What is Publius's own; empty if nothing is.
        entries: BibTeX by key.
    """

    name: str
    note: str
    entries: dict[str, str]

    def bibtex(self) -> str:
        """Return the entries, a comment about what is Publius's own before them."""
        comment = [f"% {self.note}"] if self.note else []
        return "\n\n".join([*comment, *self.entries.values()])

    def to_json(self) -> dict[str, object]:
        """Return plain values."""
        return {"name": self.name, "note": self.note, "bibtex": dict(self.entries)}


def bibliography() -> dict[str, str]:
    """Return every entry of the bibliography by its key."""
    text = files("publius.services").joinpath("references.bib").read_text("utf-8")
    entries = [part.strip() for part in re.split(r"\n(?=@)", text)]
    return {one.partition("{")[2].partition(",")[0]: one for one in entries}


def cite(mechanism: str = OWN) -> Citation:
    """Return what to cite for a mechanism, or for Publius.

    Raises:
        UnknownNameError: There is no mechanism of that name.
    """
    known = bibliography()
    name = mechanism.partition(".v")[0].replace("_", "-")
    if name == OWN:
        return Citation(OWN, "", {OWN: known[OWN]})
    if name in SOURCES:
        source = SOURCES[name]
        keys = (*source.papers, OWN)
        return Citation(name, source.note, {key: known[key] for key in keys})
    foreign = {one.name: one.about.package for one in mechanisms().listed}
    if name not in foreign:
        raise UnknownNameError("mechanism", mechanism, (*foreign, OWN))
    note = f"{name} comes from the package {foreign[name]}: ask its authors."
    return Citation(name, note, {OWN: known[OWN]})
