"""Audit: try to refute a claim, exactly or with a stated confidence."""

from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from publius.assessment.auditing import (
    Plan,
    Program,
    Verdict,
    audit_channel,
    audit_log_channel,
    audit_sampled,
)
from publius.assessment.auditing.files import read_channel, read_table
from publius.assessment.auditing.text_events import TEXT_PLAN, TextAudit
from publius.assessment.auditing.texts import AnySettings, audit_audited, audited
from publius.core.arrays import UNKNOWN, FloatArray, Rng
from publius.core.config import WordSettings
from publius.core.errors import DataError, ParameterError
from publius.core.rng import secure
from publius.core.watch import Watch
from publius.information import Channel
from publius.materials.words.assemble import embedding_for
from publius.services.leakage import Given, matrix
from publius.services.verb import verb

TABLES = (".csv", ".npy", ".parquet")
DRAWS = 2000


@dataclass(frozen=True, slots=True, eq=False)
class AuditRequest:
    """Which claim about which channel or program.

    Args:
        epsilon: The claim: loss per unit of the metric.
        channel: A file (NPZ, CSV, Parquet, NPY) or an array, one row per secret.
        program: A command that releases a word; ``{word}`` stands for it.
        words: Public words to try with a program: a file of lines, or the words.
        metric: ``discrete``, a file of distances, or a metric of the embedding.
        embedding: Name or file, for the distance of words.
        draws: Per word of a program.
        confidence: Of what a program is shown to lose.
    """

    epsilon: float
    channel: Given | None = None
    program: str | None = None
    words: "str | Path | tuple[str, ...] | None" = None
    metric: str = "discrete"
    embedding: str = "glove-50k"
    draws: int = DRAWS
    confidence: float = 0.999

    def __post_init__(self) -> None:
        if (self.channel is None) == (self.program is None):
            raise ParameterError("audit a channel or a program, one of them")
        if self.program is not None and self.words is None:
            raise ParameterError("a program needs words to be tried with")


@dataclass(frozen=True, slots=True, eq=False)
class AuditTextsRequest:
    """Which two texts, released by which settings.

    Args:
        a: One text.
        b: The other; it should differ in few words.
        settings: How texts are released; single settings of words may be given by name.
        plan: How many releases of each text, and how sure the result must be.
        rng: Source of noise; a fresh secure one when it is left out.
    """

    a: str = field(repr=False)
    b: str = field(repr=False)
    settings: AnySettings = field(default_factory=WordSettings)
    plan: Plan = TEXT_PLAN
    rng: Rng | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        if not isinstance(self.a, str) or not isinstance(self.b, str):
            raise ParameterError("a and b must be texts")


@verb(AuditRequest)
def audit(request: AuditRequest, watch: Watch) -> Verdict:
    """Try to refute that a mechanism loses at most ε per unit of distance.

    The verdict says so itself (``refutes_claim``); nothing is raised when it does.

    Example:
        >>> import publius as pb
        >>> pb.audit(1.0, [[0.75, 0.25], [0.25, 0.75]]).refutes_claim
        True
    """
    watch.stage("auditing")
    if request.channel is not None:
        return _exactly(request.channel, request.metric, request.epsilon)
    words = _words(request.words)
    distance = _distance_of_words(words, request.metric, request.embedding)
    return audit_sampled(
        Program(str(request.program), words).draw,
        distance,
        request.epsilon,
        Plan(request.draws, request.confidence),
        secure(),
        names=words,
    )


@verb(AuditTextsRequest)
def audit_texts(request: AuditTextsRequest, watch: Watch) -> TextAudit:
    """Release two texts many times and test which one it was.

    The largest loss that the test shows, with its confidence, stands beside the one
    that is certified for the words in which the texts differ. A claim that is not
    refuted is not thereby proved.
    """
    watch.stage("preparing the mechanism")
    subject = audited(request.settings)
    watch.stage("releasing both texts")
    return audit_audited(
        request.a,
        request.b,
        subject,
        plan=request.plan,
        check=watch.check,
        rng=request.rng,
    )


def _exactly(channel: Given, metric: str, epsilon: float) -> Verdict:
    if not isinstance(channel, str | Path):
        law = matrix(channel)
        return audit_channel(Channel(law), _distance(metric, len(law)), epsilon)
    file = read_channel(Path(channel))
    distance = file.distance
    if distance is None or metric != "discrete":
        distance = _distance(metric, len(file.values))
    if file.is_log:
        return audit_log_channel(file.values, distance, epsilon, names=file.words)
    return audit_channel(Channel(file.values, file.words), distance, epsilon)


def _distance(metric: str, size: int) -> FloatArray:
    if metric == "discrete":
        return np.asarray(1.0 - np.eye(size))
    if Path(metric).suffix in TABLES:
        return read_table(Path(metric))
    raise DataError(
        "the metric of a channel is its array 'distance', a file of distances, or "
        "discrete"
    )


def _words(given: "str | Path | tuple[str, ...] | None") -> list[str]:
    if not isinstance(given, str | Path):
        return list(dict.fromkeys(given or ()))
    path = Path(given)
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except UnicodeDecodeError:
        raise DataError(f"{path.name} is not UTF-8 text") from None
    except OSError as error:
        raise DataError(f"cannot read {path.name}: {error.strerror}") from None
    return list(dict.fromkeys(line.strip() for line in lines if line.strip()))


def _distance_of_words(words: list[str], metric: str, embedding: str) -> FloatArray:
    if metric == "discrete" or Path(metric).suffix in TABLES:
        return _distance(metric, len(words))
    loaded = embedding_for(embedding, None)
    ids = loaded.vocabulary.encode(words)
    missing = np.flatnonzero(ids == UNKNOWN)
    if len(missing):
        raise DataError(
            f"line {int(missing[0]) + 1} of the words is not in {embedding}; their "
            "distance is not known"
        )
    return np.asarray(loaded.space(metric).rows(ids)[:, ids])
