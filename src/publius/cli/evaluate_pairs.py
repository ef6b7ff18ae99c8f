"""publius evaluate on sentence pairs: similarity, entailment, paraphrase."""

from collections.abc import Mapping, Sequence

from rich.table import Table

from publius.cli import show
from publius.core.arrays import Rng
from publius.core.report import Estimate
from publius.evaluation.pairs import Correlation, Encode
from publius.lab.pair_sample import PairRequest, read_pairs
from publius.lab.pair_tasks import PairReport, PairResult, pair_classes, pair_similarity

LEARNT = {"none": "", "static": "originals", "adaptive": "released"}


def evaluate_pairs(
    request: PairRequest, encoders: Mapping[str, Encode], kinds: Sequence[str], rng: Rng
) -> list[PairReport]:
    """Do the tasks that the table has columns for."""
    reports = []
    with show.stages() as progress:

        def stage(text: str) -> None:
            show.tell_stage(progress, text)

        table = read_pairs(request)
        if request.score is not None:
            reports.append(pair_similarity(table, encoders, stage, rng))
        if request.label is not None:
            reports.append(pair_classes(table, encoders, kinds, stage, rng))
    return reports


def tell_pairs(reports: Sequence[PairReport]) -> None:
    """Print the results for people."""
    for report in reports:
        is_similar = report.task == "similarity"
        columns = ("Pearson", "Spearman") if is_similar else ("accuracy", "macro-F1")
        table = Table("encoder", "on", "trained on", *columns, title=report.task)
        for result in report.results:
            table.add_row(
                result.encoder,
                result.target,
                LEARNT[result.knowledge],
                *(f"{e.value:.3f} ({e.low:.3f}–{e.high:.3f})" for e in _two(result)),
            )
        show.RESULTS.print(table)
        for name, value in report.about.items():
            show.MESSAGES.print(f"{name}: {value or 'none'}", markup=False)
        last = report.results[-1].found
        if not isinstance(last, Correlation):
            show.RESULTS.print(
                f"Chance {last.chance:.3f}, largest class {last.majority:.3f}."
            )


def _two(result: PairResult) -> tuple[Estimate, Estimate]:
    if isinstance(result.found, Correlation):
        return result.found.pearson, result.found.spearman
    return result.found.accuracy, result.found.macro_f1
