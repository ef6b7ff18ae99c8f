"""The estimators: scikit-learn's own checks, pipelines, and every kind of table."""

import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import narwhals as nw
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.exceptions import NotFittedError, SkipTestWarning
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.utils import estimator_checks
from sklearn.utils.estimator_checks import check_estimator

import publius as pb
from publius.adapters.sklearn import OTHER_FORMS
from publius.core.errors import DataError, ParameterError, UnknownNameError
from publius.core.guarantee import Unit
from publius.materials.words.assemble import resolved, sanitizer
from publius.mechanisms.words.given import defaults, word_settings

TEXTS = ["The people said: vote!", "the government of the world"]


def obfuscator(**settings: Any) -> pb.TextObfuscator:
    return pb.TextObfuscator(**{"vocabulary": 200, "random_state": 1, **settings})


def vectorizer(**settings: Any) -> pb.SynTFVectorizer:
    return pb.SynTFVectorizer(
        **{"vocabulary": 100, "length": 20, "random_state": 1, **settings}
    )


APPLICABLE = [
    estimator_checks.check_do_not_raise_errors_in_init_or_set_params,
    estimator_checks.check_estimator_cloneable,
    estimator_checks.check_estimator_repr,
    estimator_checks.check_estimator_tags_renamed,
    estimator_checks.check_get_params_invariance,
    estimator_checks.check_mixin_order,
    estimator_checks.check_no_attributes_set_in_init,
    estimator_checks.check_parameters_default_constructible,
    estimator_checks.check_set_params,
    estimator_checks.check_valid_tag_types,
]
"""Every other check passes a matrix of numbers, and a text is no number: the library
leaves them out by itself for estimators of one-dimensional texts, its own included."""


@pytest.mark.parametrize("check", APPLICABLE, ids=lambda check: check.__name__)
@pytest.mark.parametrize("make", [obfuscator, vectorizer])
def test_scikit_learn_checks(make: Any, check: Any) -> None:
    check(type(make()).__name__, make())


@pytest.mark.parametrize("make", [obfuscator, vectorizer])
def test_scikit_learn_knows_that_other_checks_do_not_apply(make: Any) -> None:
    with pytest.warns(SkipTestWarning, match="string=True"):
        found = check_estimator(make())
    assert [f["status"] for f in found] == ["passed"]


@pytest.mark.parametrize("make", [obfuscator, vectorizer])
def test_clone_is_unfitted_and_equal(make: Any) -> None:
    fitted = make(epsilon=2.0).fit(TEXTS)
    copy = clone(fitted)
    assert copy.get_params() == fitted.get_params()
    with pytest.raises(NotFittedError):
        copy.transform(TEXTS)


@pytest.mark.parametrize("make", [obfuscator, vectorizer])
def test_a_fitted_estimator_can_be_pickled(make: Any) -> None:
    fitted = make().fit(TEXTS)
    again = pickle.loads(pickle.dumps(fitted))  # noqa: S301 - made here
    one, other = fitted.transform(TEXTS), again.transform(TEXTS)
    assert (one == other) if isinstance(one, list) else not (one != other).nnz


def test_pipelines() -> None:
    words = make_pipeline(obfuscator(), CountVectorizer(), LogisticRegression())
    terms = make_pipeline(vectorizer(), LogisticRegression())
    for pipeline in (words, terms):
        pipeline.fit(TEXTS * 4, [0, 1] * 4)
        assert len(pipeline.predict(TEXTS)) == 2


def test_lists_in_lists_out() -> None:
    released = obfuscator().fit_transform(TEXTS)
    assert isinstance(released, list)
    assert released[0].startswith("The ")
    assert obfuscator().fit_transform([]) == []
    assert obfuscator().fit_transform(("people", None, float("nan")))[1:] == [
        None,
        None,
    ]


def test_fresh_noise_without_a_seed() -> None:
    loud = obfuscator(random_state=None, epsilon=0.01).fit()
    assert loud.transform(TEXTS * 20) != loud.transform(TEXTS * 20)


def test_numpy_keeps_its_shape() -> None:
    released = obfuscator().fit_transform(np.array([[TEXTS[0]], [TEXTS[1]]]))
    assert isinstance(released, np.ndarray)
    assert released.shape == (2, 1)


def test_pandas_series_keeps_index_and_name() -> None:
    given = pd.Series([*TEXTS, None], index=["z", "a", "m"], name="body")
    released = obfuscator().fit_transform(given)
    assert isinstance(released, pd.Series)
    assert released.index.tolist() == ["z", "a", "m"]
    assert released.name == "body"
    assert released.isna().tolist() == [False, False, True]


def test_pandas_table_changes_one_column() -> None:
    given = pd.DataFrame({"n": [1, 2], "body": TEXTS}, index=[7, 3])
    before = given.copy()
    released = obfuscator(column="body").fit_transform(given)
    assert isinstance(released, pd.DataFrame)
    assert released.index.tolist() == [7, 3]
    assert released["n"].tolist() == [1, 2]
    assert released["body"].tolist() == obfuscator().fit_transform(TEXTS)
    pd.testing.assert_frame_equal(given, before)


@pytest.mark.parametrize(
    "given",
    [
        pl.Series("body", [*TEXTS, None]),
        pa.chunked_array([TEXTS, [None]], pa.string()),
        pa.array([*TEXTS, None]),
        pa.array([*TEXTS, None], pa.large_string()),
        pa.array([*TEXTS, None]).dictionary_encode(),
    ],
    ids=["polars", "chunked", "array", "large", "dictionary"],
)
def test_series_of_other_libraries(given: Any) -> None:
    released = obfuscator().fit_transform(given)
    assert isinstance(released, type(given)) or pa.types.is_string(released.type)
    listed = (
        released.to_list() if hasattr(released, "to_list") else released.to_pylist()
    )
    assert listed == [*obfuscator().fit_transform(TEXTS), None]


@pytest.mark.parametrize(
    "given", [pl.DataFrame({"body": TEXTS}), pa.table({"body": TEXTS})]
)
def test_tables_of_other_libraries(given: Any) -> None:
    released = obfuscator(column="body").fit_transform(given)
    assert type(released) is type(given)
    column = nw.from_native(released)["body"].to_list()
    assert column == obfuscator().fit_transform(TEXTS)


@pytest.mark.parametrize(
    "given", ["one text", 5, {"a": 1}, [1, 2], pl.DataFrame({"a": [1, 2]})]
)
@pytest.mark.parametrize("make", [obfuscator, vectorizer])
def test_what_is_not_texts_is_refused(make: Any, given: object) -> None:
    with pytest.raises(DataError):
        make().fit().transform(given)


def test_a_missing_column_is_named() -> None:
    with pytest.raises(DataError, match="no column 'body'"):
        obfuscator(column="body").fit().transform(pl.DataFrame({"a": TEXTS}))


def test_every_column_of_a_table_is_released_unless_one_is_named() -> None:
    given = pl.DataFrame({"a": TEXTS * 20, "b": TEXTS * 20})
    released = obfuscator(epsilon=0.01).fit_transform(given)
    assert released.columns == ["a", "b"]
    assert (released["a"] != given["a"]).any()
    assert (released["b"] != given["b"]).any()
    assert released["a"].to_list() != released["b"].to_list()
    with pytest.raises(DataError, match="one column"):
        vectorizer().fit().transform(given)


def test_a_column_transformer_takes_texts_and_numbers() -> None:
    given = pd.DataFrame({"n": [1, 2], "body": TEXTS})
    chosen = ColumnTransformer(
        [("texts", obfuscator(), ["body"]), ("terms", vectorizer(), "body")],
        remainder="passthrough",
        sparse_threshold=0,
    )
    mixed = chosen.fit_transform(given)
    assert mixed.shape == (2, 1 + 100 + 1)
    names = chosen.get_feature_names_out()
    assert names[0] == "texts__body"
    assert names[-1] == "remainder__n"


@pytest.mark.parametrize("kind", ["pandas", "polars"])
@pytest.mark.parametrize(
    "given", [TEXTS, pd.Series(TEXTS, name="body")], ids=["l", "s"]
)
def test_set_output_makes_tables(kind: str, given: Any) -> None:
    used = obfuscator().set_output(transform=kind).fit(given)
    released = used.transform(given)
    assert type(released) is {"pandas": pd.DataFrame, "polars": pl.DataFrame}[kind]
    assert list(released.columns) == used.get_feature_names_out().tolist()
    assert list(released.columns) == (["text"] if given is TEXTS else ["body"])


def test_names_of_columns_come_from_the_fit() -> None:
    table = pd.DataFrame({"a": TEXTS, "b": TEXTS})
    assert obfuscator().fit(table).get_feature_names_out().tolist() == ["a", "b"]
    array = np.array([TEXTS, TEXTS])
    assert obfuscator().fit(array).get_feature_names_out().tolist() == ["x0", "x1"]
    assert obfuscator().fit().get_feature_names_out(["z"]).tolist() == ["z"]
    with pytest.raises(DataError, match="no names"):
        obfuscator().fit().get_feature_names_out()


def test_all_settings_of_texts_are_parameters() -> None:
    settings = {*defaults(), "block"} - OTHER_FORMS
    assert set(obfuscator().get_params()) == settings | {
        "column",
        "retelling",
        "random_state",
    }
    with pytest.raises(UnknownNameError, match="mechanism"):
        pb.TextObfuscator(mechanisms="laplace")


@pytest.mark.parametrize(
    "chosen",
    [
        {"mechanism": "custext", "group": 5},
        {"level": 3.0, "neighbours": 2},
        {"remap": "rank", "spread": 1.0},
        {"function_words": "drop", "collocations": False, "balanced": False},
    ],
    ids=["own", "level", "remap", "words"],
)
def test_settings_reach_the_mechanism(chosen: dict[str, Any]) -> None:
    used = obfuscator(**chosen, random_state=None).fit()
    settings = word_settings({"vocabulary": 200, **chosen})
    assert used.guarantee_ == sanitizer(resolved(settings)).guarantee()


@pytest.mark.slow
@pytest.mark.parametrize("make", [obfuscator, vectorizer])
def test_a_pickle_holds_no_tables(make: Any) -> None:
    fitted = make(vocabulary=5000).fit(TEXTS)
    fitted.transform(TEXTS)
    assert len(pickle.dumps(fitted)) < 20_000


@pytest.mark.parametrize("make", [obfuscator, vectorizer])
def test_a_pickle_is_refused_where_its_guarantee_would_not_hold(make: Any) -> None:
    again = pickle.loads(pickle.dumps(make().fit(TEXTS)))  # noqa: S301 - made here
    again.set_params(epsilon=50.0)
    with pytest.raises(DataError, match="call fit again"):
        again.transform(TEXTS)


def test_a_bad_setting_fails_when_fitting() -> None:
    with pytest.raises(ParameterError):
        obfuscator(epsilon=float("nan")).fit()
    with pytest.raises(ParameterError):
        obfuscator(oov="keep").fit()


def test_vectors_have_exactly_the_asked_number_of_terms() -> None:
    used = vectorizer().fit()
    vectors = used.transform([*TEXTS, "", "qwertz", None])
    assert vectors.shape == (5, 100)
    assert vectors.sum(axis=1).ravel().tolist()[0] == [20] * 5
    assert len(used.get_feature_names_out()) == 100


def test_feature_names_need_a_fit() -> None:
    estimator_checks.check_get_feature_names_out_error("SynTFVectorizer", vectorizer())


def test_guarantees() -> None:
    assert obfuscator().fit().guarantee_.unit is Unit.TOKEN
    guarantee = vectorizer(epsilon=3.0).fit().guarantee_
    assert guarantee.unit is Unit.DOCUMENT
    assert guarantee.worst_loss <= 20 * 3.0 + 1e-6


@pytest.fixture
def wordnet(tmp_path: Path) -> str:
    """Write a WordNet of a handful of words."""
    files = {
        "index.noun": "people n 1 0 1 1 00000001\nfolk n 1 0 1 1 00000001\n",
        "data.noun": "00000001 00 n 02 people 0 folk 0 000 | persons\n",
        "index.verb": "say v 1 0 1 9 00000002\n",
        "data.verb": "00000002 00 v 01 say 0 000 | speak\n",
        "verb.exc": "said say\n",
        **{
            f"{kind}.{part}": ""
            for kind in ("index", "data")
            for part in ("adj", "adv")
        },
    }
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    return str(tmp_path)


def test_terms_by_lemma(wordnet: str) -> None:
    lemmas = vectorizer(morphology="lemma", wordnet=wordnet, epsilon=200.0).fit()
    names = list(lemmas.get_feature_names_out())
    assert "say" in names
    assert "said" not in names
    drawn = lemmas.transform(["said said said"]).toarray()[0]
    assert drawn[names.index("say")] == 20
    lower = list(vectorizer().fit().get_feature_names_out())
    assert "said" in lower


def test_the_vocabulary_is_extended_by_synonyms(wordnet: str) -> None:
    plain = set(vectorizer().fit().get_feature_names_out())
    wide = set(vectorizer(synonyms=True, wordnet=wordnet).fit().get_feature_names_out())
    assert wide - plain == {"folk"}


def test_rare_terms_weigh_more_by_inverse_frequency() -> None:
    weights = vectorizer(weighting="tf-idf").fit().syntf_.term_weights
    assert weights is not None
    assert (np.diff(weights) >= 0).all()
    assert weights[-1] > 2 * weights[0]
    assert vectorizer().fit().syntf_.term_weights is None


def test_three_losses_of_a_term_are_told() -> None:
    used = vectorizer(epsilon=8.0).fit()
    losses = used.losses_
    assert losses.tight < losses.alternative < losses.naive
    assert used.guarantee_.worst_loss == pytest.approx(20 * losses.best)


def test_spelling_is_the_overlap_of_bigrams() -> None:
    near = vectorizer(overlap=0.0).fit().syntf_.ratings.rows(np.arange(100))
    far = vectorizer(overlap=0.8).fit().syntf_.ratings.rows(np.arange(100))
    assert (far <= near).all()
    assert (far < near).any()


@pytest.mark.parametrize("remap", ["bayes", "rank"])
def test_terms_are_remapped_at_no_cost(remap: str) -> None:
    plain, mapped = vectorizer().fit(), vectorizer(remap=remap).fit()
    assert mapped.guarantee_.worst_loss == plain.guarantee_.worst_loss
    assert mapped.mechanism_.name == f"syntf.v1+{remap}-remap.v1"
    before, after = plain.transform(TEXTS), mapped.transform(TEXTS)
    assert after.sum(axis=1).tolist() == before.sum(axis=1).tolist()
    assert (after.toarray() != before.toarray()).any()


@pytest.mark.parametrize("make", [obfuscator, vectorizer])
def test_a_random_state_marks_the_guarantee_as_insecure(
    make: Callable[..., Any],
) -> None:
    fitted = make(random_state=None).fit()
    assert not any("INSECURE" in line for line in fitted.guarantee_.scope.uncovered)
    fitted.set_params(random_state=3)
    assert any("INSECURE" in line for line in fitted.guarantee_.scope.uncovered)
    assert fitted.guarantee_.terms == make(random_state=None).fit().guarantee_.terms


def test_a_block_list_is_obeyed(tmp_path: Path) -> None:
    (tmp_path / "block.txt").write_text("people\n")
    block = str(tmp_path / "block.txt")
    made = pb.TextObfuscator(0.01, vocabulary=200, block=block).fit()
    written = " ".join(made.transform(["people vote"] * 300))
    assert "people" not in written.lower().split()
