"""Evaluate: what are released texts still good for?"""

from dataclasses import dataclass, replace

import numpy as np

from publius.assessment.comparison.assess import experiment_rng
from publius.assessment.comparison.pair_sample import PairRequest, read_pairs
from publius.assessment.comparison.pair_tasks import (
    PairReport,
    pair_classes,
    pair_similarity,
)
from publius.assessment.comparison.sample import Request, Sample, read_sample
from publius.assessment.evaluation.pairs import Encode, mean_encoder
from publius.assessment.evaluation.report import (
    Classified,
    Measure,
    Pairs,
    Tools,
    classifications,
    measures,
)
from publius.core.config import check_one_of
from publius.core.errors import ParameterError
from publius.core.html import html_table
from publius.core.watch import Watch
from publius.embeddings.wordnet import has_wordnet, open_wordnet
from publius.language.models.causal import has_language_model, load_language_model
from publius.language.models.encoder import has_encoder, load_encoder
from publius.language.models.trigrams import has_trigrams, load_trigrams
from publius.materials.words.assemble import embedding_for
from publius.services.paired import released_input
from publius.services.verb import verb
from publius.tables.formats.memory import as_input

ANALYSTS_ASKED = {
    "both": ("original", "adaptive", "static"),
    "adaptive": ("original", "adaptive"),
    "static": ("original", "static"),
}
MOST_COMPARED = 500
"""Pairs of texts that similarity and retrieval look at unless told otherwise."""

MOST_READ = 100
"""Documents that the language model reads; it needs about a second for each."""


@dataclass(frozen=True, slots=True, eq=False)
class EvaluateRequest:
    """Which texts are used, for what.

    Args:
        table: A path, or a table in memory.
        released: Column, file or folder of the released texts; the texts or the table
            themselves, or what a release returned.
        label: Column of topics, sentiments or other classes.
        text: Column of the originals; None finds it by its name.
        text2: Column of the other sentence of a pair.
        released2: The same as `released` for the other sentences.
        score: Column of similarities of pairs, judged by people.
        classifiers: Names of classifiers.
        knowledge: ``both``, ``adaptive`` or ``static``.
        key: Column that tells rows of a released file apart; None goes by order.
        split: Column that says train or test; None splits each class in halves.
        pairs: Documents that similarity and retrieval compare.
        read: Documents that the causal language model reads; 0 leaves it out.
        embedding: Word vectors, by name or file.
        input_format: Where the name of the table does not tell.
        seed: Of the split and of intervals; None for a fresh one.
    """

    table: object
    released: object
    label: str | None = None
    text: str | None = None
    text2: str | None = None
    released2: object = None
    score: str | None = None
    classifiers: tuple[str, ...] = ("svm", "naive_bayes")
    knowledge: str = "both"
    key: str | None = None
    split: str | None = None
    pairs: int = MOST_COMPARED
    read: int = MOST_READ
    embedding: str = "glove-50k"
    input_format: str | None = None
    seed: int | None = None

    def __post_init__(self) -> None:
        check_one_of("knowledge", self.knowledge, tuple(ANALYSTS_ASKED))

    @property
    def is_about_pairs(self) -> bool:
        """Say whether a row holds two sentences."""
        return not self.text2 is self.score is self.released2 is None

    @property
    def missing(self) -> str:
        """Say what must be named too; empty if nothing."""
        if not self.is_about_pairs:
            return "" if self.label else "--label is needed to evaluate single texts"
        if self.text is None or self.text2 is None or self.released2 is None:
            return "pairs need --text, --text2, --released and --released2"
        return ""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Evaluation:
    """What is left of the use of single texts.

    Args:
        sample: What was used; holds texts.
        classified: One per classifier, kind of text and knowledge.
        measures: Similarity, retrieval, overlap and fluency.
    """

    sample: Sample
    classified: tuple[Classified, ...]
    measures: tuple[Measure, ...]

    def to_json(self) -> dict[str, object]:
        """Return plain values; no text."""
        sample = self.sample
        return {
            "documents": sample.size,
            "train": int(sample.is_known.sum()),
            "test": int((~sample.is_known).sum()),
            "classes": len(sample.names),
            "excluded": dict(sample.excluded),
            "notes": list(sample.notes),
            "classification": [result.to_json() for result in self.classified],
            "measures": [measure.to_json() for measure in self.measures],
        }

    def __repr__(self) -> str:
        return f"<Evaluation of {self.sample.size} documents>"

    def _repr_html_(self) -> str:
        rows = [
            (c.classifier, c.target, c.knowledge, c.scores.accuracy.value,
             c.scores.accuracy.low, c.scores.accuracy.high)
            for c in self.classified
        ]  # fmt: skip
        names = ("classifier", "texts", "analyst", "accuracy", "low", "high")
        return html_table("Classes found", names, rows)


@dataclass(frozen=True, slots=True, repr=False)
class PairEvaluation:
    """What is left of the use of sentence pairs, one report per task."""

    reports: tuple[PairReport, ...]

    def to_json(self) -> dict[str, object]:
        """Return plain values."""
        return {report.task: report.to_json() for report in self.reports}

    def __repr__(self) -> str:
        tasks = ", ".join(report.task for report in self.reports)
        return f"<Evaluation of pairs: {tasks}>"


@verb(EvaluateRequest)
def evaluate(request: EvaluateRequest, watch: Watch) -> Evaluation | PairEvaluation:
    """Measure what is left of the use of released texts."""
    if request.missing:
        raise ParameterError(request.missing)
    if request.is_about_pairs:
        return _evaluate_pairs(request, watch)
    rng = experiment_rng(request.seed)
    asked = Request(
        as_input(request.table),
        str(request.label),
        request.text,
        released_input(request.released),
        request.split,
        request.input_format,
        key=request.key,
    )
    reads = request.read > 0 and has_language_model()
    kinds = ANALYSTS_ASKED[request.knowledge]
    # Similarity and fluency always; encoder and language model where they are there.
    total = len(request.classifiers) * len(kinds) + 2 + has_encoder() + reads
    tools = Tools(
        lambda: embedding_for(request.embedding, None),
        load_encoder() if has_encoder() else None,
        watch.counted(total),
        open_wordnet() if has_wordnet() else None,
        load_language_model().surprise if reads else None,
        request.read,
        load_trigrams().surprise if has_trigrams() else None,
    )
    sample = read_sample(asked, rng)
    every = Pairs(sample.originals, sample.released, sample.classes, sample.is_known)
    classified = classifications(every, request.classifiers, kinds, tools, rng)
    measured = measures(_fewer(every, request.pairs), tools, rng)
    return Evaluation(sample, tuple(classified), tuple(measured))


def _evaluate_pairs(request: EvaluateRequest, watch: Watch) -> PairEvaluation:
    """Do the tasks that a table of pairs has columns for."""
    rng = experiment_rng(request.seed)
    asked = PairRequest(
        as_input(request.table),
        (str(request.text), str(request.text2)),
        (released_input(request.released), released_input(request.released2)),
        request.label,
        request.score,
        request.split,
        request.key,
        request.input_format,
    )
    encoders: dict[str, Encode] = {
        "mean vectors": mean_encoder(embedding_for(request.embedding, None))
    }
    if has_encoder():
        encoders["sentence encoder"] = load_encoder()
    read, reports = read_pairs(asked), []
    tasks = (asked.score is not None) + (asked.label is not None)
    begin = watch.counted(tasks * len(encoders))
    if asked.score is not None:
        reports.append(pair_similarity(read, encoders, begin, rng))
    if asked.label is not None:
        kinds = ANALYSTS_ASKED[request.knowledge]
        reports.append(pair_classes(read, encoders, kinds, begin, rng))
    return PairEvaluation(tuple(reports))


def _fewer(every: Pairs, most: int) -> Pairs:
    """Keep the first test documents; all training ones stay for the language model."""
    rows = np.flatnonzero(every.is_known | (np.cumsum(~every.is_known) <= most))
    picked = rows.tolist()
    return replace(
        every,
        originals=[every.originals[i] for i in picked],
        released=[every.released[i] for i in picked],
        classes=every.classes[rows],
        is_known=every.is_known[rows],
    )
