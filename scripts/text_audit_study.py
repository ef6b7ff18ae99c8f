"""Audit two pairs of texts under every word mechanism at equal nominal ε.

python scripts/text_audit_study.py            # audit, and write figures and page
python scripts/text_audit_study.py --page     # write the page from the figures
"""

import json
import math
import os
import platform
import subprocess
import sys
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from publius.assessment.auditing import Plan
from publius.core.config import WordSettings
from publius.core.rng import secure
from publius.core.stating import state_bound, state_floor
from publius.mechanisms.words.table import WORD_MECHANISMS
from publius.services.audit import audit_texts

ROOT = Path(__file__).parents[1]
FIGURES = ROOT / "docs" / "measurements" / "text-audit.json"
PAGE = ROOT / "docs" / "explanation" / "text-audit.md"

TEXT = "The people saw the {} again."
PAIRS = {"near": ("doctor", "lawyer"), "far": ("doctor", "river")}
EPSILONS = (1.0, 4.0)
VOCABULARY = 5000
DRAWS = 20_000
REFUSED = "riemannian-laplace"
BALL = "wordnet-poincare"


def settings_of(name: str, epsilon: float) -> WordSettings:
    """Return the settings of a mechanism at a nominal ε."""
    if WORD_MECHANISMS[name].metric == "hyperbolic":
        return WordSettings(mechanism=name, epsilon=epsilon, embedding=BALL)
    return WordSettings(mechanism=name, epsilon=epsilon, vocabulary=VOCABULARY)


def audit(name: str, epsilon: float, pair: str) -> dict[str, Any]:
    """Return what the audit of one cell says."""
    a, b = (TEXT.format(word) for word in PAIRS[pair])
    started = time.monotonic()
    settings = settings_of(name, epsilon)
    result = audit_texts(a, b, settings, plan=Plan(DRAWS), rng=secure())
    figures = result.to_json()
    keys = ("certified", "delta", "loss_low", "loss", "advantage",
            "advantage_low", "advantage_high", "refuted", "reach")  # fmt: skip
    return {
        "mechanism": name,
        "epsilon": epsilon,
        "pair": pair,
        **{key: figures[key] for key in keys},
        "exact": "infinity" if result.exact == math.inf else figures["exact"],
        "seconds": round(time.monotonic() - started, 1),
    }


def provenance() -> dict[str, Any]:
    """Say where figures come from."""
    commit = subprocess.run(
        ["git", "rev-parse", "--short", "HEAD"], cwd=ROOT, capture_output=True,
        text=True, check=False,
    ).stdout.strip()  # fmt: skip
    return {
        "commit": commit,
        "date": datetime.now(UTC).date().isoformat(),
        "machine": f"{platform.machine()}, {os.cpu_count()} cores, no accelerator",
        "command": "python scripts/text_audit_study.py",
    }


def measure() -> None:
    """Audit every cell and write the figures."""
    rows = []
    for name in sorted(set(WORD_MECHANISMS) - {REFUSED}):
        for epsilon in EPSILONS:
            for pair in PAIRS:
                rows.append(audit(name, epsilon, pair))
                print(json.dumps(rows[-1]), flush=True)
    figures = {
        **provenance(),
        "texts": TEXT,
        "pairs": PAIRS,
        "draws_per_text": DRAWS,
        "confidence": 0.999,
        "vocabulary": VOCABULARY,
        "rows": rows,
    }
    FIGURES.parent.mkdir(exist_ok=True)
    FIGURES.write_text(json.dumps(figures, indent=1) + "\n", "utf-8")


def _bound(value: float | None) -> str:
    is_open = value is None or math.isinf(value)
    return "none" if is_open else state_bound(value, 3)


def _line(row: dict[str, Any]) -> str:
    exact = "–" if row["exact"] is None else _bound(float(row["exact"]))
    return (
        f"| {row['mechanism']} | {row['epsilon']:g} | {row['pair']} | "
        f"{_bound(row['certified'])} | {exact} | {state_floor(row['loss_low'], 3)} | "
        f"{row['advantage']:.2f} ({row['advantage_low']:.2f} to "
        f"{row['advantage_high']:.2f}) |"
    )


def _spread(rows: list[dict[str, Any]], epsilon: float, pair: str) -> str:
    chosen = [r for r in rows if r["epsilon"] == epsilon and r["pair"] == pair]
    chosen.sort(key=lambda row: row["advantage"])
    least, most = chosen[0], chosen[-1]
    bounds = [r["certified"] for r in chosen if r["certified"] is not None]
    return (
        f"| {epsilon:g} | {pair} | {least['advantage']:.2f} ({least['mechanism']}) | "
        f"{most['advantage']:.2f} ({most['mechanism']}) | "
        f"{state_bound(min(bounds), 3)} to {state_bound(max(bounds), 3)} | "
        f"{len(chosen) - len(bounds)} |"
    )


def _measured(rows: list[dict[str, Any]]) -> str:
    done = {row["mechanism"] for row in rows}
    left = sorted(set(WORD_MECHANISMS) - done - {REFUSED})
    missing = f"; not measured yet: {', '.join(left)}" if left else ""
    return (
        f"{len(done)} word mechanisms ({REFUSED} refuses so small an ε in ten "
        f"dimensions{missing})"
    )


def page(figures: dict[str, Any]) -> str:
    """Return the page."""
    rows = figures["rows"]
    refuted = sum(row["refuted"] for row in rows)
    slowest = max(row["seconds"] for row in rows)
    spread = [_spread(rows, e, p) for e in EPSILONS for p in PAIRS]
    words = "; ".join(f"{k}: *{a}* or *{b}*" for k, (a, b) in figures["pairs"].items())
    return "\n".join(
        [
            "# Is ε the same everywhere? Two texts under every mechanism",
            "",
            "`publius audit --texts` releases two texts "
            f"{figures['draws_per_text']:,} times each and tests which one it was. "
            f"Here it does so under {_measured(rows)} at equal *nominal* ε. "
            f"The texts are “{figures['texts'].format('…')}” with one word changed "
            f"({words}).",
            "",
            "**Nominal ε is not comparable across mechanisms.** At the same number one "
            "mechanism gives the text away and the same tests see nothing of another:",
            "",
            "| ε | pair | least advantage | most advantage | certified loss | "
            "mechanisms without a bound |",
            "|---:|---|---|---|---|---:|",
            *spread,
            "",
            "ε multiplies a distance, and every mechanism has its own: hops, Euclidean "
            "or hyperbolic length, or none at all. What can be compared is the "
            "certified loss between the same two texts, and even that is a bound: "
            "noise in many dimensions hides far more than its bound says, an "
            "exponential law on hops about as much. `publius compare` sets mechanisms "
            "to equal certified privacy; compare by one attack, never by ε alone.",
            "",
            f"No certified loss was refuted ({refuted} of {len(rows)} cells); the "
            f"slowest audit took {slowest:.0f} seconds. What "
            f"{figures['draws_per_text']:,} releases of each text can show at all "
            "is a loss of "
            f"{state_floor(rows[0]['reach'], 3)}. "
            "[Planted faults](gallery/index.md) are refuted.",
            "",
            "“certified” is what the guarantee says for this pair; “by its law” the "
            "exact loss where the law is a table; “shown” the lower bound of the audit "
            f"at confidence {figures['confidence']:g}; “advantage” that of the best "
            "test, with its interval.",
            "",
            "| mechanism | ε | pair | certified | by its law | shown | advantage |",
            "|---|---:|---|---:|---:|---:|---|",
            *(_line(row) for row in rows),
            "",
            f"Words: the {figures['vocabulary']:,} most frequent of glove-50k; "
            f"hyperbolic mechanisms on {BALL}. dp-vae is not in the table: its ε is of "
            "a whole sentence at a δ, and an audit of it takes minutes. "
            "Figures: `docs/measurements/text-audit.json`, commit "
            f"{figures['commit']}, {figures['date']}, {figures['machine']}; made by "
            f"`{figures['command']}`, which writes this page too. "
            f"{figures.get('note', '')}".rstrip(),
            "",
        ]
    )


if __name__ == "__main__":
    if "--page" not in sys.argv:
        measure()
    PAGE.write_text(page(json.loads(FIGURES.read_text("utf-8"))), "utf-8")
