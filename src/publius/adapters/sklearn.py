"""scikit-learn: obfuscation as a step of a pipeline or of a column transformer."""

import inspect
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Self, TypeVar

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn import get_config
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from publius.adapters.built import built, built_retelling
from publius.adapters.containers import Texts, names_of, replaced, rows_of, texts_of
from publius.core.arrays import Rng
from publius.core.config import WordSettings
from publius.core.errors import DataError, ParameterError, UnknownNameError
from publius.core.guarantee import Guarantee, Scope
from publius.core.mechanism import Mechanism
from publius.core.rng import secure, seeded
from publius.embeddings.vocabulary import Vocabulary
from publius.language.tokenizer import Tokenizer
from publius.materials.words.assemble import TermVectors, term_vectors
from publius.materials.words.oov import OovPolicy
from publius.materials.words.sanitizer import Sanitizer
from publius.materials.words.words import count_terms
from publius.mechanisms.remap import Counts
from publius.mechanisms.syntf import SynTF
from publius.mechanisms.words.given import defaults, word_settings
from publius.mechanisms.words.syntf import morphology
from publius.retelling.retelling import Retelling
from publius.retelling.settings import RetellSettings, is_retelling, under

TextsT = TypeVar("TextsT")

OTHER_FORMS = frozenset(
    {"form", "length", "overlap", "morphology", "synonyms", "weighting", "repeats"}
)
"""Settings that texts do not have: those of bags, of vectors and of reports."""

TEXT_SETTINGS = {
    name: default
    for name, default in (defaults() | {"block": WordSettings().block}).items()
    if name not in OTHER_FORMS
}
"""Every setting that `TextObfuscator` takes, with its default."""


class TextObfuscator(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Replace the protected words of texts, or retell the texts.

    Takes a list of strings, a NumPy array of strings, or a pandas, Polars or Arrow
    series or table and gives back the same kind. Missing texts stay missing. All
    columns of a table are released, or only `column`; the other columns are then
    returned as they are: they are NOT protected.

    A pickle holds settings, not tables; the mechanism is built again when it is used.

    Args:
        epsilon: Loss per unit of the metric; None for the usual one.
        column: The text column of a table; None releases every column.
        retelling: With ``mechanism="retell"``: how texts are retold; its ε gives way to
            `epsilon`, its block list to `block`. No other setting of words is obeyed
            then, and none is taken.
        random_state: For tests only; marks the guarantee as insecure. None draws from
            the operating system.
        settings: Every other setting of words by its name in `WordSettings`, as
            ``mechanism="laplace"`` or ``oov="mask"``. With ``consistent="corpus"`` the
            texts of one call of `transform` are the corpus.

    Attributes:
        guarantee_: The guarantee per protected word, after fitting.
        sanitizer_: What releases texts.
        feature_names_in_: Columns that were seen when fitting, if any were.
    """

    def __init__(
        self,
        epsilon: float | None = None,
        *,
        column: str | None = None,
        retelling: RetellSettings | None = None,
        random_state: int | None = None,
        **settings: object,
    ) -> None:
        for name in settings:
            if name not in TEXT_SETTINGS:
                raise UnknownNameError("setting", name, TEXT_SETTINGS)
        given = {**TEXT_SETTINGS, **settings, "epsilon": epsilon}
        for name, value in given.items():
            setattr(self, name, value)
        self.column = column
        self.retelling = retelling
        self.random_state = random_state

    def fit(self, X: object = None, y: object = None) -> Self:  # noqa: N803, ARG002
        """Build the mechanism; nothing is learnt from `X` but its column names."""
        self.fitted_guarantee_: Guarantee = self._built().guarantee()
        _remember_names(self, X)
        return self

    @property
    def guarantee_(self) -> Guarantee:
        """The guarantee per protected word; marked where noise can be foreseen."""
        check_is_fitted(self)
        return _marked(self.fitted_guarantee_, self.random_state)

    def transform(self, X: TextsT) -> TextsT:  # noqa: N803
        """Release one text per input, with fresh noise unless there is a seed."""
        check_is_fitted(self)
        sanitizer, rng = self.sanitizer_, _rng(self.random_state)

        def release(texts: Texts) -> Texts:
            drawn = sanitizer.release([text or "" for text in texts], rng).texts
            pairs = zip(texts, drawn, strict=True)
            return [None if text is None else new for text, new in pairs]

        released = replaced(X, self.column, release)
        # A table that scikit-learn is asked to make is made of rows.
        return rows_of(released) if _makes_tables(self) else released

    def get_feature_names_out(
        self, input_features: object = None
    ) -> NDArray[np.object_]:
        """Return the names of the columns, which are those that came in."""
        return _names_out(self, input_features)

    @property
    def sanitizer_(self) -> Sanitizer | Retelling:
        """What releases texts; built when it is first needed in a process."""
        check_is_fitted(self)
        sanitizer = self._built()
        _check_same(sanitizer.guarantee(), self.fitted_guarantee_)
        return sanitizer

    def _built(self) -> Sanitizer | Retelling:
        if is_retelling(self.mechanism):
            return built_retelling(self._retelling())
        if self.retelling is not None:
            raise ParameterError('retelling is for mechanism="retell"')
        return built(self._settings())

    def _retelling(self) -> RetellSettings:
        """Return how texts are retold; refuse settings of words."""
        for name, usual in TEXT_SETTINGS.items():
            is_own = name in ("mechanism", "epsilon", "block")
            if not is_own and getattr(self, name) not in (usual, None):
                raise ParameterError(f"a retelling has no setting {name}; leave it out")
        chosen = self.retelling or RetellSettings()
        if self.epsilon is not None:
            chosen = replace(chosen, epsilon=self.epsilon)
        if self.block:
            chosen = replace(chosen, block=self.block)
        return under(chosen, self.mechanism)

    def _settings(self) -> WordSettings:
        chosen = {name: getattr(self, name) for name in TEXT_SETTINGS}
        return word_settings({**chosen, "metric": chosen["metric"] or ""})

    def __sklearn_tags__(self) -> object:
        return _text_tags(super().__sklearn_tags__())


def _signature(settings: Mapping[str, object]) -> inspect.Signature:
    """Return what scikit-learn reads parameters from: every setting by its name."""
    own = list(inspect.signature(TextObfuscator.__init__).parameters.values())
    named = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default)
        for name, default in settings.items()
        if name != "epsilon"
    ]
    return inspect.Signature([*own[:2], *named, *own[2:-1]])


TextObfuscator.__init__.__signature__ = _signature(TEXT_SETTINGS)  # type: ignore[attr-defined]


class SynTFVectorizer(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Turn texts into synthetic term-frequency vectors under local privacy.

    Lemmas and synonyms come from WordNet (``publius embeddings get wordnet``). A pickle
    holds settings, not tables; the mechanism is built again when it is used.

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
        guarantee_: The guarantee per text, after fitting.
        losses_: Three bounds on the loss of one output term; the smallest one, times
            `length`, is guaranteed.
        syntf_: The mechanism, without its remap.
        vocabulary_: The words that the columns count.
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
        self._made = term_vectors(self._settings())
        self.fitted_guarantee_: Guarantee = self._made.mechanism.guarantee()
        self.losses_ = self._made.syntf.losses
        return self

    @property
    def guarantee_(self) -> Guarantee:
        """The guarantee per text; marked where the noise can be foreseen."""
        check_is_fitted(self)
        return _marked(self.fitted_guarantee_, self.random_state)

    def transform(self, X: object) -> "sp.csr_matrix":  # noqa: N803
        """Return one synthetic vector per text."""
        check_is_fitted(self)
        made = self._built()
        counts = count_terms(
            [text or "" for text in texts_of(X, _only_column(X))],
            Tokenizer(protect_all=self.protect == "all"),
            made.embedding.vocabulary,
            OovPolicy.UNIFORM,
            morphology(self._settings()),
        )
        vectors = made.mechanism.perturb(counts, _rng(self.random_state))
        return sp.csr_matrix(vectors)

    def get_feature_names_out(
        self,
        input_features: object = None,  # noqa: ARG002
    ) -> NDArray[np.object_]:
        """Return the words that the columns count."""
        check_is_fitted(self)
        return np.array(self.vocabulary_.words, dtype=object)

    @property
    def mechanism_(self) -> Mechanism[Counts, Counts]:
        """What draws vectors, with its remap."""
        return self._built().mechanism

    @property
    def syntf_(self) -> SynTF:
        """The mechanism, without its remap."""
        return self._built().syntf

    @property
    def vocabulary_(self) -> Vocabulary:
        """The words that the columns count."""
        return self._built().embedding.vocabulary

    def _built(self) -> TermVectors:
        check_is_fitted(self)
        if "_made" not in vars(self):
            self._made = term_vectors(self._settings())
            _check_same(self._made.mechanism.guarantee(), self.fitted_guarantee_)
        return self._made

    def _settings(self) -> WordSettings:
        chosen = {name: getattr(self, name) for name in self.get_params(deep=False)}
        del chosen["random_state"]
        return word_settings({**chosen, "form": "tf"})

    def __getstate__(self) -> dict[str, object]:
        state: dict[str, object] = dict(super().__getstate__())
        state.pop("_made", None)
        return state

    def __sklearn_tags__(self) -> object:
        return _text_tags(super().__sklearn_tags__())


INSECURE = Scope(
    uncovered=(
        "INSECURE: random_state was given. Whoever knows or guesses it can undo the "
        "release: nothing of the guarantee holds against them. Do not publish it.",
    )
)


def _marked(guarantee: Guarantee, random_state: int | None) -> Guarantee:
    """Return the guarantee, marked as insecure where the noise can be foreseen."""
    return guarantee if random_state is None else guarantee.covering(INSECURE)


def _makes_tables(estimator: TextObfuscator) -> bool:
    """Return whether scikit-learn was asked to put results into tables."""
    own: dict[str, str] = getattr(estimator, "_sklearn_output_config", {})
    return own.get("transform", get_config()["transform_output"]) != "default"


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


def _check_same(now: Guarantee, fitted: Guarantee) -> None:
    """Refuse a mechanism that was built again from other public tables."""
    if now.to_json() != fitted.to_json():
        raise DataError(
            "settings or public tables are not those of the fit, so that guarantee_ "
            "would not hold; call fit again"
        )


def _remember_names(estimator: TextObfuscator, given: object) -> None:
    names = names_of(given)
    if "feature_names_in_" in vars(estimator):
        del estimator.feature_names_in_
    if names is not None:
        estimator.feature_names_in_ = np.array(names, dtype=object)


def _names_out(estimator: TextObfuscator, given: object) -> NDArray[np.object_]:
    check_is_fitted(estimator)
    if given is not None:
        return np.asarray(given, dtype=object)
    if "feature_names_in_" not in vars(estimator):
        raise DataError("fit saw no texts, so that columns have no names; fit(X)")
    names: NDArray[np.object_] = estimator.feature_names_in_
    return names


def _only_column(given: object) -> str | None:
    """Return the only column of a table, whose rows become vectors."""
    names = names_of(given)
    if names is not None and len(names) > 1:
        raise DataError(f"vectors are of one column of texts, got {len(names)}")
    return None
