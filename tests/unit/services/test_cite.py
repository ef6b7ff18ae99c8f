"""Every mechanism names its papers, or says that it is Publius's own."""

import re
from pathlib import Path

import pytest

import publius.mechanisms
from publius.core.errors import UnknownNameError
from publius.services.cite import bibliography, cite
from publius.services.mechanisms import Listing, mechanisms

ROOT = Path(__file__).parents[3]


OWN = [one for one in mechanisms().listed if one.about.package == "publius"]


@pytest.mark.parametrize("one", OWN, ids=lambda one: one.name)
def test_every_mechanism_has_a_source(one: Listing) -> None:
    assert one.about.papers


def test_every_entry_is_used_and_whole() -> None:
    known = bibliography()
    used = {key for one in OWN for key in one.about.papers}
    assert used <= set(known)
    for key, entry in known.items():
        assert entry.count("{") == entry.count("}"), key
        assert re.fullmatch(r"@\w+\{" + key + r",\n(  \w+ = \{.+\},?\n)+\}", entry), key
        assert "title = " in entry, key
        assert "author = " in entry, key


def test_what_is_cited() -> None:
    found = cite("syntf.v1")
    assert list(found.entries) == ["weggenmann2018", "weggenmann2023", "publius"]
    assert cite("graded").bibtex().startswith("% Publius's own")
    assert list(cite().entries) == ["publius"]
    assert "conneau2018" in cite("folded-exponential.v1").entries
    assert cite("riemannian_laplace").to_json()["name"] == "riemannian-laplace"


LAWS = {
    str(getattr(getattr(publius.mechanisms, name), "name", ""))
    for name in publius.mechanisms.__all__
}
ONLY_COMPARED = {
    "cap-uniform.v1",
    "clipped-laplace.v1",
    "gaussian.v2",
    "polar-laplace.v1",
    "wrapped-laplace.v1",
}
"""No release is made with them."""


@pytest.mark.parametrize("law", sorted(x for x in LAWS - ONLY_COMPARED if ".v" in x))
def test_every_law_that_a_report_names_can_be_cited(law: str) -> None:
    assert len(cite(law).entries) > 1


def test_an_unknown_name_is_told() -> None:
    with pytest.raises(UnknownNameError, match="syntf"):
        cite("synft")


def test_the_citation_file_names_this_version() -> None:
    written = (ROOT / "CITATION.cff").read_text("utf-8")
    version = re.search(
        r'^version = "(.+)"', (ROOT / "pyproject.toml").read_text(), re.MULTILINE
    )
    assert version is not None
    assert f"version: {version.group(1)}\n" in written
    assert f"version = {{{version.group(1)}}}" in bibliography()["publius"]
