"""Write docs/reference/statements.md and the parts of the README that state figures.

python scripts/build_statements.py
"""

import re
from pathlib import Path

from publius.core.config import WordSettings
from publius.materials.words.assemble import plan, resolved
from publius.reporting.recognition import about, recognition, settings_measured
from publius.reporting.statements import word_statements
from publius.reporting.wording import TEMPLATES, Template
from statement_pages import PAGE_LINES
from statement_scopes import SCOPE_LINES

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "reference" / "statements.md"
README = ROOT / "README.md"

HEAD = """# Statements

Every sentence about a loss that Publius prints, in reports, manifests, the command line
and the README, with the condition under which it is printed and the test that holds it
true. The sentences are written from the guarantee by `publius.reporting.statements`, so
that they cannot disagree with it; bounds are rounded up. What is covered and what is
not is said by each mechanism and each release beside its law, and every report lists
it: these lines stand in the second table, and what else a report says in the third. A
test finds every line that has no row. This page is made by
`scripts/build_statements.py`.
"""

KINDS = {
    "text-like": "text, stop words kept (the default)",
    "text-all-like": "text, all words protected",
    "bag-like": "bag of words",
    "bag-fixed-like": "bag of 100 words",
    "text": "text on hops (the former default)",
    "text-all": "text on hops, all words protected",
    "bag": "bag of words on hops",
    "bag-fixed": "bag of 100 words on hops",
    "tf": "vector of 100 terms",
    "sentences": "rewritten sentences",
    "sentences-fixed": "rewritten sentences, 8 of every text",
}


def page() -> str:
    """Return the table of all sentences."""
    tables = {
        "Losses": tuple(TEMPLATES.values()),
        "What is covered, what is not, and what a proof assumes": SCOPE_LINES,
        "What else a report says": PAGE_LINES,
    }
    parts = [HEAD, *(_table(title, rows) for title, rows in tables.items())]
    measured = _hides("../measurements/recognition.json")
    return "\n".join([*parts, f"## What was measured\n{measured}"])


def _table(title: str, rows: tuple[Template, ...]) -> str:
    lines = (f"| {row.text} | {row.when} | `{row.test}` |" for row in rows)
    head = "| sentence | printed if | test |\n|---|---|---|"
    return "\n".join([f"## {title}", "", head, *lines, ""])


def readme(text: str) -> str:
    """Return the README with its figures put in."""
    parts = {
        "stays": _stays(),
        "guaranteed": _guaranteed(),
        "hides": _hides("docs/measurements/recognition.json"),
    }
    for name, part in parts.items():
        pattern = f"<!-- {name} -->.*<!-- /{name} -->"
        framed = f"<!-- {name} -->{part}<!-- /{name} -->"
        text = re.sub(pattern, framed.replace("\\", r"\\"), text, flags=re.DOTALL)
    return text


def _stays() -> str:
    shares = about()["stays_by_default"]
    return f" (*john* stays in {shares['john']:.1%} of draws)"


def _guaranteed() -> str:
    chosen = resolved(WordSettings())
    said = word_statements(plan(chosen).guarantee, chosen)
    return "\n" + "\n".join(f"- {line}" for line in said) + "\n"


def _hides(source: str) -> str:
    measurements = {name: recognition(name) for name in settings_measured()}
    first = next(iter(measurements.values()))
    rows = "\n".join(
        f"| {KINDS[name]} | `{f.options}` | {f.released:.0%} ({f.low:.0%} to "
        f"{f.high:.0%}) |"
        for name, f in measurements.items()
    )
    return (
        f"\nWriters that an attacker named after a release: {about()['corpus']}, "
        f"about 500 words each; {first.untouched:.0%} from untouched articles, "
        f"{first.chance:.0%} by chance. No guarantee covers these figures; other texts "
        "and attackers give others.\n\n"
        "| released as | options | writers named (95 % interval) |\n|---|---|---|\n"
        f"{rows}\n\nMeasured on {first.date} "
        f"([how]({source})).\n"
    )


if __name__ == "__main__":
    PAGE.write_text(page(), "utf-8")
    README.write_text(readme(README.read_text("utf-8")), "utf-8")
