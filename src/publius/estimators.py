"""scikit-learn estimators: obfuscation as a step of a pipeline."""

from collections.abc import Sequence
from typing import Any, Self, TypeVar

import narwhals as nw
import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from publius.assemble import resolved, sanitizer, syntf
from publius.config import WordSettings
from publius.core.arrays import Rng
from publius.core.errors import DataError
from publius.core.guarantee import Guarantee
from publius.core.rng import secure, seeded
from publius.sanitize.oov import OovPolicy
from publius.sanitize.words import count_terms
from publius.text.tokenizer import Tokenizer

TextsT = TypeVar("TextsT")


class TextObfuscator(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Replace the protected words of texts.

    Takes a list of strings, a NumPy array of strings, or a pandas, Polars or Arrow
    series (or a table with `column`) and gives back the same kind.

    Args:
        epsilon: Loss per unit of the metric.
        mechanism: Name of a word mechanism.
        metric: Metric on words; None for the mechanism's own.
        embedding: Name or file.
        vocabulary: Use only so many most frequent words.
        protect: ``content`` or ``all``.
        oov: ``uniform``, ``mask`` or ``refuse``.
        column: Text column of a table.
        random_state: For tests only; None draws from the operating system.

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
        )
        self.sanitizer_ = sanitizer(resolved(settings))
        self.guarantee_: Guarantee = self.sanitizer_.guarantee()
        return self

    def transform(self, X: TextsT) -> TextsT:  # noqa: N803
        """Release one text per input, drawing anew at every call."""
        check_is_fitted(self)
        texts = _texts(X, self.column)
        released = self.sanitizer_.release(texts, _rng(self.random_state)).texts
        return _like(X, released, self.column)

    def __sklearn_tags__(self) -> object:
        return _text_tags(super().__sklearn_tags__())


class SynTFVectorizer(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Turn texts into synthetic term-frequency vectors under local privacy.

    Args:
        epsilon: Parameter of each output term.
        length: Number of output terms.
        overlap: How much a different spelling is preferred.
        embedding: Name or file.
        vocabulary: Use only so many most frequent words.
        protect: ``content`` leaves stop words out; ``all`` counts them too.
        random_state: For tests only; None draws from the operating system.

    Attributes:
        guarantee_: The promise per text, after fitting.
    """

    def __init__(  # noqa: PLR0913 - scikit-learn reads parameters from the signature
        self,
        epsilon: float = 10.0,
        *,
        length: int = 100,
        overlap: float = 0.3,
        embedding: str = "glove-50k",
        vocabulary: int | None = 10_000,
        protect: str = "content",
        random_state: int | None = None,
    ) -> None:
        self.epsilon = epsilon
        self.length = length
        self.overlap = overlap
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
            embedding=self.embedding,
            vocabulary=self.vocabulary,
            protect=self.protect,
            form="tf",
        )
        self.mechanism_, embedding = syntf(settings)
        self.vocabulary_ = embedding.vocabulary
        self.guarantee_: Guarantee = self.mechanism_.guarantee()
        return self

    def transform(self, X: object) -> "sp.csr_matrix":  # noqa: N803
        """Return one synthetic vector per text."""
        check_is_fitted(self)
        tokenizer = Tokenizer(protect_all=self.protect == "all")
        counts = count_terms(
            _texts(X, None), tokenizer, self.vocabulary_, OovPolicy.UNIFORM
        )
        vectors = self.mechanism_.perturb(counts, _rng(self.random_state))
        return sp.csr_matrix(vectors)

    def get_feature_names_out(
        self, input_features: object = None
    ) -> NDArray[np.object_]:
        """Return the words that the columns count."""
        check_is_fitted(self)
        return np.array(self.vocabulary_.words, dtype=object)

    def __sklearn_tags__(self) -> object:
        return _text_tags(super().__sklearn_tags__())


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


def _texts(given: object, column: str | None) -> list[str]:
    """Return the strings of a list, array, series or table."""
    if isinstance(given, str):
        raise DataError("expected a list of texts, got one string")
    frame = nw.from_native(given, allow_series=True, pass_through=True)
    if isinstance(frame, nw.DataFrame):
        if column is None:
            raise DataError("a table needs column= to name its text column")
        frame = frame[column]
    values = frame.to_list() if isinstance(frame, nw.Series) else list(_iterable(given))
    for place, value in enumerate(values):
        if value is not None and not isinstance(value, str):
            raise DataError(f"texts must be strings; position {place} is not")
    return ["" if value is None else str(value) for value in values]


def _iterable(given: object) -> Sequence[object]:
    if isinstance(given, np.ndarray):
        return given.ravel().tolist()
    if isinstance(given, Sequence):
        return given
    raise DataError("expected a list, array, series or table of texts")


def _like(given: TextsT, texts: list[str], column: str | None) -> TextsT:
    """Return released texts as the kind of thing that was given."""
    frame = nw.from_native(given, allow_series=True, pass_through=True)
    if isinstance(frame, nw.DataFrame):
        old = frame[str(column)]
        new = nw.new_series(old.name, texts, backend=frame.implementation)
        return frame.with_columns(new).to_native()
    if isinstance(frame, nw.Series):
        new = nw.new_series(frame.name, texts, backend=frame.implementation)
        return new.to_native()
    if isinstance(given, np.ndarray):
        return np.array(texts, dtype=object).reshape(given.shape)  # type: ignore[return-value]
    return texts  # type: ignore[return-value]
