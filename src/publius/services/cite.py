"""Cite: the papers behind a mechanism, as BibTeX."""

import re
from dataclasses import dataclass
from importlib.resources import files

from publius.core.errors import UnknownNameError
from publius.services.mechanisms import mechanisms

OWN = "publius"
"""Key of Publius itself."""


LAWS = {
    "discrete-circular-laplace": ("discrete-circular", ()),
    "folded-exponential": ("exponential", ("conneau2018",)),
    "laplace-device": ("laplace", ()),
}
"""Laws that reports name otherwise than commands: the mechanism, and more papers."""


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
    name, more = LAWS.get(name, (name, ()))
    listed = {one.name: one.about for one in mechanisms().listed}
    if name not in listed:
        raise UnknownNameError("mechanism", mechanism, (*listed, OWN))
    about = listed[name]
    if about.package != OWN:
        note = f"{name} comes from the package {about.package}: ask its authors."
        return Citation(name, note, {OWN: known[OWN]})
    return Citation(
        name, about.note, {key: known[key] for key in (*about.papers, *more, OWN)}
    )
