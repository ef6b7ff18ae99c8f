"""publius evaluate on sentence pairs: similarity, entailment, paraphrase."""

from collections.abc import Sequence

from publius.assessment.comparison.pair_tasks import PairReport, PairResult
from publius.assessment.evaluation.pairs import Correlation
from publius.cli import show
from publius.cli.tables import print_table
from publius.core.estimate import Estimate

LEARNT = {"none": "", "static": "originals", "adaptive": "released"}


def tell_pairs(reports: Sequence[PairReport]) -> None:
    """Print the results for people."""
    for report in reports:
        is_similar = report.task == "similarity"
        columns = ("Pearson", "Spearman") if is_similar else ("accuracy", "macro-F1")
        rows = [
            (
                result.encoder,
                result.target,
                LEARNT[result.knowledge],
                *(f"{e.value:.3f} ({e.low:.3f}–{e.high:.3f})" for e in _two(result)),
            )
            for result in report.results
        ]
        headings = ("encoder", "on", "trained on", *columns)
        print_table(headings, rows, title=report.task)
        for name, value in report.about.items():
            show.MESSAGES.print(f"{name}: {value or 'none'}", markup=False)
        last = report.results[-1].measured
        if not isinstance(last, Correlation):
            show.RESULTS.print(
                f"Chance {last.chance:.3f}, largest class {last.majority:.3f}."
            )


def _two(result: PairResult) -> tuple[Estimate, Estimate]:
    if isinstance(result.measured, Correlation):
        return result.measured.pearson, result.measured.spearman
    return result.measured.accuracy, result.measured.macro_f1
