"""Train a model that rewrites sentences, on public texts."""

from dataclasses import dataclass, replace
from pathlib import Path

from publius import autoencoder
from publius.autoencoder.architecture import Architecture
from publius.autoencoder.settings import Training
from publius.core.errors import DataError, ParameterError
from publius.core.watch import SILENT, Watch
from publius.tables.columns import Columns
from publius.tables.read import open_source


@dataclass(frozen=True, slots=True, eq=False)
class SentenceLessons:
    """What a model learns, and where it is written.

    Args:
        path: The table of public texts.
        out: The model to write; its checkpoint and log go beside it.
        columns: Which texts, and who wrote them.
        label: Column that a rewritten row should keep telling.
        shape: Kind and sizes.
        training: How weights are found.
        start: A model to go on from.
        precision: Of the written weights.
        resume: Go on from the checkpoint.
        input_format: Where the name of the table does not tell.
    """

    path: str
    out: Path
    columns: Columns
    label: str | None
    shape: Architecture
    training: Training
    start: "autoencoder.SentenceVAE | None" = None
    precision: str = "float16"
    resume: bool = False
    input_format: str | None = None

    def __post_init__(self) -> None:
        for place in (self.out, self.checkpoint, self.log):
            if place.resolve() == Path(self.path).resolve():
                raise ParameterError(
                    f"training would write over its input {place.name}"
                )

    @property
    def checkpoint(self) -> Path:
        """What a run that was cut goes on from."""
        return self.out.with_suffix(".checkpoint")

    @property
    def log(self) -> Path:
        """One line for each epoch."""
        return self.out.with_suffix(".log.csv")


@dataclass(frozen=True, slots=True)
class TrainedSentences:
    """A model that was written to a file.

    Args:
        file: The file.
        texts: How many it learnt from.
        facts: Public facts about it.
    """

    file: Path
    texts: int
    facts: dict[str, object]

    def to_json(self) -> dict[str, object]:
        """Return plain values."""
        return {"file": str(self.file), "texts": self.texts, **self.facts}


def train_sentences(asked: SentenceLessons, watch: Watch = SILENT) -> TrainedSentences:
    """Train a model and write it."""
    texts, authors, labels = _read(asked)
    watch.stage(f"learning sub-words of {len(texts):,} texts")
    files = autoencoder.TrainingFiles(
        checkpoint=asked.checkpoint,
        log=asked.log,
        resume=asked.resume,
        watch=lambda told: watch.stage(
            f"epoch {told.epoch}, {told.share:.0%}, held-out loss "
            f"{told.held_out:.3f} per sub-word",
        ),
    )
    model = autoencoder.SentenceVAE.fit(
        texts,
        authors=authors,
        labels=labels,
        shape=asked.shape,
        training=asked.training,
        files=files,
        start=asked.start,
    )
    model.save(asked.out, precision=asked.precision)
    written = autoencoder.SentenceVAE.load(asked.out, device="cpu")
    return TrainedSentences(asked.out, len(texts), written.describe())


def _read(
    asked: SentenceLessons,
) -> tuple[list[str], list[str] | None, list[str] | None]:
    """Return the texts, and who wrote them and their labels where columns say so."""
    label = asked.label
    columns = replace(asked.columns, keep=(label,) if label is not None else ())
    source = open_source(asked.path, columns=columns, input_format=asked.input_format)
    author = source.columns.subject
    texts: list[str] = []
    known: dict[str, list[str]] = {
        name: [] for name in (author, label) if name is not None
    }
    for batch in source.batches():
        texts += ["" if cell is None else cell for cell in batch.column(0).to_pylist()]
        for name, values in known.items():
            cells = batch.column(name).to_pylist()
            if None in cells or "" in cells:
                raise DataError(
                    f"some rows have no {name}, which would become a class of its own; "
                    "leave them out"
                )
            values += [str(cell) for cell in cells]
    if not texts:
        raise DataError("the input has no rows")
    return texts, known.get(author or ""), known.get(label or "")
