"""Weggenmann 2023, table 5.2: search for SynTF's parameters instead of taking them."""

from collections.abc import Mapping

from publius.assessment.comparison.rows import Cell, Row
from publius.core.config import WordSettings, own_settings
from publius.embeddings.wordnet import has_wordnet
from publius.materials.words.assemble import plan
from publius.mechanisms.words.given import with_settings
from publius.mechanisms.words.settings import SynTFSettings
from publius.papers.experiment import Experiment, Outcome, Request, by_name
from publius.papers.newsgroup_posts import FILE, SCENARIOS
from publius.papers.syntf import EPSILONS, FACTORS, Bench, optimal

PARAMETERS: dict[str, tuple[object, ...]] = {
    "morphology": ("lemma", "lower", "orth"),
    "synonyms": (False, True),
    "overlap": FACTORS,
    "length": (100, 150, 200),
    "epsilon": EPSILONS,
}
"""The values of table 5.2, by the names of our settings."""

PUBLISHED: dict[str, object] = {
    "morphology": "lemma", "synonyms": False, "overlap": 0.3, "length": 150,
    "epsilon": 47.5,
}  # fmt: skip

QUICK: dict[str, tuple[object, ...]] = {"overlap": (0.0, 0.4), "epsilon": (35.0, 55.0)}
START: dict[str, object] = {"overlap": 0.0, "length": 100, "epsilon": 35.0}
"""Where the search begins: not at the published optimum."""


def search(request: Request) -> Outcome:
    """Maximise the least gain of the analyst over the scenarios, one setting a time."""
    values = QUICK if request.quick else dict(PARAMETERS)
    if not has_wordnet():
        values = {
            k: v for k, v in values.items() if k not in ("morphology", "synonyms")
        }
    scenarios = SCENARIOS[1:2] if request.quick else SCENARIOS
    bench = Bench(request, scenarios)
    gains: dict[tuple[Cell, ...], Mapping[str, float]] = {}
    rows: list[Row] = []

    def gain(settings: WordSettings) -> float:
        key = tuple(_cell(settings, name) for name in PARAMETERS)
        if key not in gains:
            request.progress(", ".join(map(str, key)))
            made = bench.syntf(plan(settings))
            each = {
                name: mine.relative("utility", bench.plain[name])
                - mine.relative("attack", bench.plain[name])
                for name, mine in made.items()
            }
            gains[key] = each
            rows.append(
                dict(zip(PARAMETERS, key, strict=True))
                | {f"gain, {name}": value for name, value in each.items()}
                | {"least gain": min(each.values())}
            )
        return min(gains[key].values())

    best = optimal()
    for name, value in START.items():
        best = with_settings(best, {name: value})
    for name, choices in values.items():
        best = max((with_settings(best, {name: value}) for value in choices), key=gain)
    ours = ", ".join(f"{name} {_cell(best, name)}" for name in PARAMETERS)
    theirs = ", ".join(f"{name} {value}" for name, value in PUBLISHED.items())
    notes = (
        f"Found: {ours}, with a least gain of {gain(best):.3f}. The thesis: {theirs}.",
        "gain = relative utility minus relative attack, the least over the scenarios, "
        "as in the thesis. It searched the whole grid of 810 settings with ten runs "
        f"each; here one setting is chosen after the other ({len(rows)} were tried), "
        f"with {bench.runs} run(s) each, beginning away from the published optimum. "
        "Differences of a few hundredths lie within the noise of the attack, so that "
        "another seed may choose otherwise.",
        "Data and attack are those of syntf-table53, and the share of the attack that "
        "is left depends on the attacker's scaling, which is shown there.",
    )
    return Outcome(tuple(rows), notes)


def _cell(settings: WordSettings, name: str) -> Cell:
    own = own_settings(settings, SynTFSettings)
    value: Cell = getattr(settings if hasattr(settings, name) else own, name)
    return str(value).lower() if isinstance(value, bool) else value


EXPERIMENTS = by_name(
    Experiment(
        "syntf-table52",
        "Thesis, table 5.2: a search for SynTF's parameters",
        (FILE,),
        search,
    )
)
