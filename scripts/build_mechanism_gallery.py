"""Write docs/mechanisms/index.md from the table of mechanisms, their cards and papers.

python scripts/build_mechanism_gallery.py
"""

import re
from pathlib import Path

from publius.services.cite import bibliography
from publius.services.mechanisms import Listing, mechanisms

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "mechanisms" / "index.md"

HEAD = """# All mechanisms

What every mechanism draws, what its guarantee speaks of and where it comes from.
*certified*: the loss is computed on the integers that are sampled; *idealised*: it is
proved over the reals, and the card says what floating point changes.
The pictures show the laws themselves: for words the exact probabilities of what becomes
of one word, for points 500 seeded draws around the red one, for times the exact
probabilities of all steps (`scripts/build_mechanism_pictures.py`).
On the default metric `like` *exponential* is
[folded-exponential.v1](folded_exponential.md), and reports call it so.
`publius mechanisms` lists the same, `publius cite NAME` prints the papers. This page is
made by `scripts/build_mechanism_gallery.py`.
"""


def law(card: str) -> str:
    """Return what a card says is drawn: up to the paragraph that ends a sentence."""
    text = (ROOT / card).read_text("utf-8")
    _, _, told = text.partition("**Law.** ")
    paragraphs = (told or text.partition("\n\n")[2]).split("\n\n")
    kept = []
    for paragraph in paragraphs:
        kept.append(paragraph.rstrip())
        if kept[-1].endswith((".", ".)", ").")):
            break
    return "\n\n".join(kept)


def names(keys: tuple[str, ...]) -> str:
    """Return authors and years of papers."""
    known = bibliography()
    return "; ".join(_short(known[key]) for key in keys)


def _short(entry: str) -> str:
    authors = re.search(r"author = \{(.+)\},\n", entry)
    year = re.search(r"year = \{(\d+)\}", entry)
    family = [one.partition(",")[0] for one in authors.group(1).split(" and ")]
    told = family[0] if len(family) == 1 else " and ".join(family)
    if len(family) > 2:
        told = f"{family[0]} et al."
    return f"{told} {year.group(1)}".replace("{\\'e}", "é")


def section(one: Listing) -> str:
    """Return what the page says about a mechanism."""
    about = one.about
    card = Path(about.card).name
    own = f" {about.note}" if about.note else ""
    return (
        f"### [{one.name}]({card})\n\n"
        f"![The law of {one.name}, drawn](pictures/{one.name}.svg)\n\n"
        f"{law(about.card)}\n\n"
        f"`{about.law}`, metric *{one.metric}*, guarantee *{about.kind}*, "
        f"{one.status}. {names(about.papers)}.{own}\n"
    )


def page() -> str:
    """Return the whole page."""
    parts, material = [HEAD], ""
    for one in mechanisms().listed:
        if one.about.package != "publius":
            continue
        if one.material != material:
            material = one.material
            parts.append(f"## For {material}\n")
        parts.append(section(one))
    return "\n".join(parts)


if __name__ == "__main__":
    PAGE.write_text(page(), "utf-8")
