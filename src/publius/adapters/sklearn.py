"""scikit-learn estimators: obfuscation as a step of a pipeline."""

import math
from collections.abc import Sequence
from typing import Any, Self, TypeVar

import narwhals as nw
import numpy as np
import pyarrow as pa
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from publius.core.arrays import Rng
from publius.core.config import WordSettings
from publius.core.errors import DataError
from publius.core.guarantee import Guarantee, Scope
from publius.core.rng import secure, seeded
from publius.language.tokenizer import Tokenizer
from publius.materials.words.assemble import resolved, sanitizer, term_vectors
from publius.materials.words.oov import OovPolicy
from publius.materials.words.sanitizer import Sanitizer
from publius.materials.words.words import count_terms
from publius.mechanisms.words.syntf import morphology

TextsT = TypeVar("TextsT")


class TextObfuscator(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Replace the protected words of texts.

    Takes a list of strings, a NumPy array of strings, or a pandas, Polars or Arrow
    series (or a table with `column`) and gives back the same kind. Missing texts stay
    missing. The other columns of a table are returned as they are: they are NOT
    protected.

    Args:
        epsilon: Loss per unit of the metric.
        mechanism: Name of a word mechanism.
        metric: Metric on words; None for the mechanism's own.
        embedding: Name or file.
        vocabulary: Use only so many most frequent words.
        protect: ``content`` or ``all``.
        oov: ``uniform``, ``mask`` or ``refuse``.
        consistent: Replace equal words alike in a ``text`` or in the whole ``corpus``,
            the texts of one call of `transform`; ``no`` draws for every place.
        column: Text column of a table.
        random_state: For tests only; marks the guarantee as insecure. None draws from
            the operating system.

    Attributes:
        guarantee_: The promise per protected word, after fitting.
    """

    def __init__(  # noqa: PLR0913 - scikit-learn reads parameters from the signature
        self,
        epsilon: float = 4.0,
        *,
        mechanism: str = "exponential",
        metric: str | None = None,
        embedding: str = "glove-50k",
        vocabulary: int | None = None,
        protect: str = "content",
        oov: str = "uniform",
        consistent: str = "no",
        column: str | None = None,
        random_state: int | None = None,
    ) -> None:
        self.epsilon = epsilon
        self.mechanism = mechanism
        self.metric = metric
        self.embedding = embedding
        self.vocabulary = vocabulary
        self.protect = protect
        self.oov = oov
        self.consistent = consistent
        self.column = column
        self.random_state = random_state

    def fit(self, X: object = None, y: object = None) -> Self:  # noqa: N803, ARG002
        """Build the mechanism; nothing is learnt from `X`."""
        settings = WordSettings(
            epsilon=self.epsilon,
            mechanism=self.mechanism,
            metric=self.metric or "",
            embedding=self.embedding,
            vocabulary=self.vocabulary,
            protect=self.protect,
            oov=self.oov,
            consistent=self.consistent,
        )
        self.sanitizer_ = sanitizer(resolved(settings))
        return self

    @property
    def guarantee_(self) -> Guarantee:
        """The promise per protected word; marked where the noise can be foreseen."""
        return _marked(self.sanitizer_.guarantee(), self.random_state)

    def transform(self, X: TextsT) -> TextsT:  # noqa: N803
        """Release one text per input, with fresh noise unless there is a seed."""
        check_is_fitted(self)
        texts = _texts(X, self.column)
        released = _released(self.sanitizer_, texts, _rng(self.random_state))
        return _like(X, released, self.column)

    def __sklearn_tags__(self) -> object:
        return _text_tags(super().__sklearn_tags__())


class SynTFVectorizer(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Turn texts into synthetic term-frequency vectors under local privacy.

    Lemmas and synonyms come from WordNet (``publius embeddings get wordnet``).

    Args:
        epsilon: Parameter of each output term.
        length: Number of output terms.
        overlap: How much a different spelling is preferred, the factor s.
        morphology: Terms in ``lower`` case, by ``lemma``, or as written (``orth``).
        synonyms: Extend the vocabulary by the WordNet synonyms of its words.
        weighting: Compose terms by ``tf`` or, with public frequencies, ``tf-idf``.
        prior: Public word frequencies: ``zipf``, ``uniform`` or ``wordfreq``.
        wordnet: Folder of WordNet's files; empty looks in the usual places.
        remap: Public post-processing of terms: ``none``, ``bayes`` or ``rank``.
        embedding: Name or file.
        vocabulary: Use only so many most frequent words.
        protect: ``content`` leaves stop words out; ``all`` counts them too.
        random_state: For tests only; marks the guarantee as insecure. None draws from
            the operating system.

    Attributes:
        guarantee_: The promise per text, after fitting.
        losses_: Three bounds on the loss of one output term; the smallest one, times
            `length`, is promised.
        syntf_: The mechanism, without its remap.
    """

    def __init__(  # noqa: PLR0913 - scikit-learn reads parameters from the signature
        self,
        epsilon: float = 10.0,
        *,
        length: int = 100,
        overlap: float = 0.3,
        morphology: str = "lower",
        synonyms: bool = False,
        weighting: str = "tf",
        prior: str = "zipf",
        wordnet: str = "",
        remap: str = "none",
        embedding: str = "glove-50k",
        vocabulary: int | None = 10_000,
        protect: str = "content",
        random_state: int | None = None,
    ) -> None:
        self.epsilon = epsilon
        self.length = length
        self.overlap = overlap
        self.morphology = morphology
        self.synonyms = synonyms
        self.weighting = weighting
        self.prior = prior
        self.wordnet = wordnet
        self.remap = remap
        self.embedding = embedding
        self.vocabulary = vocabulary
        self.protect = protect
        self.random_state = random_state

    def fit(self, X: object = None, y: object = None) -> Self:  # noqa: N803, ARG002
        """Build the mechanism; nothing is learnt from `X`."""
        settings = WordSettings(
            epsilon=self.epsilon,
            length=self.length,
            overlap=self.overlap,
            morphology=self.morphology,
            synonyms=self.synonyms,
            weighting=self.weighting,
            prior=self.prior,
            wordnet=self.wordnet,
            remap=self.remap,
            embedding=self.embedding,
            vocabulary=self.vocabulary,
            protect=self.protect,
            form="tf",
        )
        found = term_vectors(settings)
        self.syntf_, self.mechanism_ = found.syntf, found.mechanism
        self.vocabulary_ = found.embedding.vocabulary
        self.morphology_ = morphology(settings)
        self.losses_ = self.syntf_.losses
        return self

    @property
    def guarantee_(self) -> Guarantee:
        """The promise per text; marked where the noise can be foreseen."""
        return _marked(self.mechanism_.guarantee(), self.random_state)

    def transform(self, X: object) -> "sp.csr_matrix":  # noqa: N803
        """Return one synthetic vector per text."""
        check_is_fitted(self)
        counts = count_terms(
            [text or "" for text in _texts(X, None)],
            Tokenizer(protect_all=self.protect == "all"),
            self.vocabulary_,
            OovPolicy.UNIFORM,
            self.morphology_,
        )
        vectors = self.mechanism_.perturb(counts, _rng(self.random_state))
        return sp.csr_matrix(vectors)

    def get_feature_names_out(
        self,
        input_features: object = None,  # noqa: ARG002
    ) -> NDArray[np.object_]:
        """Return the words that the columns count."""
        check_is_fitted(self)
        return np.array(self.vocabulary_.words, dtype=object)

    def __sklearn_tags__(self) -> object:
        return _text_tags(super().__sklearn_tags__())


INSECURE = Scope(
    uncovered=(
        "INSECURE: random_state was given. Whoever knows or guesses it can undo the "
        "release: nothing of the promise holds against them. Do not publish it.",
    )
)


def _marked(promise: Guarantee, random_state: int | None) -> Guarantee:
    """Return the promise, marked as insecure where the noise can be foreseen."""
    return promise if random_state is None else promise.covering(INSECURE)


def _rng(random_state: int | None) -> Rng:
    return secure() if random_state is None else seeded(random_state)


def _text_tags(tags: Any) -> object:  # noqa: ANN401 - scikit-learn has no types
    """Say that inputs are strings, that nothing is learnt, and that results vary."""
    tags.input_tags.string = True
    tags.input_tags.two_d_array = False
    tags.input_tags.one_d_array = True
    tags.requires_fit = True
    tags.non_deterministic = True
    return tags


def _texts(given: object, column: str | None) -> list[str | None]:
    """Return the strings of a list, array, series or table; None for a missing one."""
    if isinstance(given, str):
        raise DataError("expected a list of texts, got one string")
    if isinstance(given, pa.Array):
        values: list[object] = given.to_pylist()
    else:
        frame = nw.from_native(given, allow_series=True, pass_through=True)
        if isinstance(frame, nw.DataFrame):
            frame = _column(frame, column)
        values = _values(frame if isinstance(frame, nw.Series) else given)
    for place, value in enumerate(values):
        if value is not None and not isinstance(value, str):
            raise DataError(f"texts must be strings; position {place} is not")
    return [None if value is None else str(value) for value in values]


def _column(frame: "nw.DataFrame[Any]", column: str | None) -> "nw.Series[Any]":
    if column is None:
        raise DataError("a table needs column= to name its text column")
    if column not in frame.columns:
        raise DataError(f"the table has no column {column!r}")
    return frame[column]


def _values(given: object) -> list[object]:
    """Return the members; those that are missing, also by NaN, are None."""
    if isinstance(given, nw.Series):
        missing = given.is_null().to_list()
        pairs = zip(given.to_list(), missing, strict=True)
        return [None if is_missing else value for value, is_missing in pairs]
    if isinstance(given, np.ndarray):
        given = given.ravel().tolist()
    if not isinstance(given, Sequence):
        raise DataError("expected a list, array, series or table of texts")
    return [None if _is_nan(value) else value for value in given]


def _is_nan(value: object) -> bool:
    return isinstance(value, float) and math.isnan(value)


def _released(
    sanitizer: Sanitizer, texts: Sequence[str | None], rng: Rng
) -> list[str | None]:
    """Release texts; missing ones stay missing."""
    drawn = sanitizer.release([text or "" for text in texts], rng).texts
    pairs = zip(texts, drawn, strict=True)
    return [None if text is None else new for text, new in pairs]


def _like(given: TextsT, texts: list[str | None], column: str | None) -> TextsT:
    """Return released texts as the kind of thing that was given."""
    if isinstance(given, pa.Array):
        kind = pa.large_string() if given.type == pa.large_string() else pa.string()
        return pa.array(texts, kind)
    frame = nw.from_native(given, allow_series=True, pass_through=True)
    if isinstance(frame, nw.DataFrame):
        new = _renewed(frame[str(column)], texts)
        return frame.with_columns(new).to_native()
    if isinstance(frame, nw.Series):
        return _renewed(frame, texts).to_native()
    if isinstance(given, np.ndarray):
        return np.array(texts, dtype=object).reshape(given.shape)  # type: ignore[return-value]
    return texts  # type: ignore[return-value]


def _renewed(old: "nw.Series[Any]", texts: list[str | None]) -> "nw.Series[Any]":
    """Return a series of texts with the name and, in pandas, the index of another."""
    new = nw.new_series(old.name, texts, nw.String, backend=old.implementation)
    if old.implementation.is_pandas_like():
        native = new.to_native().set_axis(old.to_native().index)
        return nw.from_native(native, series_only=True)
    return new
