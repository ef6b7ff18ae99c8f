"""Every verb can be called without the command line, and says what --json says."""

import inspect
import json
import re
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import publius as pb
from publius.cli.frame import run
from publius.core.errors import (
    CancelledError,
    FetchError,
    ParameterError,
    UnknownNameError,
)
from publius.core.json import finite
from publius.core.watch import Watch
from publius.services.explain import ExplainRequest
from publius.services.verb import Verb

SMALL = {"vocabulary": 300, "epsilon": 3.0}
FLAGS = ("--vocabulary", "300", "--epsilon", "3", "--json")


@pytest.fixture
def posts() -> pa.Table:
    """Return texts of two writers who are easy to tell apart."""
    texts = [f"the old house by the river number {i}" for i in range(8)]
    texts += [f"we play football every single day {i}" for i in range(8)]
    return pa.table(
        {
            "body": texts,
            "out": texts,
            "user": ["ann"] * 8 + ["bob"] * 8,
            "topic": ["x", "y"] * 8,
        }
    )


def printed(capsys: pytest.CaptureFixture[str], *arguments: str) -> object:
    capsys.readouterr()
    assert run([*arguments, *FLAGS]) == 0
    return json.loads(capsys.readouterr().out)


def test_explain_says_what_json_says(capsys: pytest.CaptureFixture[str]) -> None:
    found = pb.explain("city", **SMALL)
    assert finite(found.to_json()) == printed(capsys, "explain", "city")


def test_what_a_verb_needs_is_named_with_its_extra() -> None:
    def service(_request: ExplainRequest, _watch: Watch) -> object:
        raise ModuleNotFoundError(name="ot")

    with pytest.raises(FetchError, match=r"pip install 'publius\[transport\]'"):
        Verb(ExplainRequest, service)("city")


def test_certify_says_what_json_says(capsys: pytest.CaptureFixture[str]) -> None:
    found = pb.certify(**SMALL)
    assert finite(found.to_json()) == printed(capsys, "certify")
    assert found.epsilon <= 3


def test_calibrate_says_what_json_says(capsys: pytest.CaptureFixture[str]) -> None:
    found = pb.calibrate(grid=(), **SMALL)
    assert finite(found.to_json()) == printed(capsys, "calibrate")


def test_leakage_takes_numbers_or_a_file(tmp_path: Path) -> None:
    law = [[0.75, 0.25], [0.25, 0.75]]
    np.savetxt(tmp_path / "law.csv", law, delimiter=",")
    assert pb.leakage(tmp_path / "law.csv").to_json() == pb.leakage(law).to_json()


def test_a_text_is_tried() -> None:
    found = pb.try_text("The city by the river.", seed=1, **SMALL)
    assert not found.is_secure
    assert found.to_json()["original"] == "The city by the river."
    assert "city" not in repr(found)


@pytest.mark.parametrize("kind", ["path", "arrow", "pandas", "polars"])
def test_every_kind_of_table_is_attacked(
    kind: str, posts: pa.Table, tmp_path: Path
) -> None:
    file = tmp_path / "posts.csv"
    posts.to_pandas().to_csv(file, index=False)
    table = {
        "path": file,
        "arrow": posts,
        "pandas": posts.to_pandas(),
        "polars": pl.from_arrow(posts),
    }[kind]
    found = pb.attack(
        table,
        "user",
        "out",
        text="body",
        attacks=("delta",),
        seed=0,
        knowledge="static",
    )
    assert found.to_json()["candidates"] == 2
    assert {row.scores.accuracy.value for row in found.results} == {1.0}
    assert "river" not in repr(found)


def test_released_texts_may_be_in_memory(posts: pa.Table) -> None:
    blank = pd.Series(["nothing at all"] * 16)
    found = pb.evaluate(posts, blank, "topic", text="body", read=0, seed=0)
    assert found.to_json()["documents"] == 16


KINDS = {"folder": lambda done: done.out, "release": lambda done: done}
HELD = {"release": lambda done: done, "arrow": lambda done: done.data,
        "pandas": lambda done: done.data.to_pandas(),
        "polars": lambda done: pl.from_arrow(done.data)}  # fmt: skip


@pytest.mark.parametrize("kind", KINDS)
def test_what_a_release_wrote_is_attacked_beside_a_file(
    kind: str, posts: pa.Table, tmp_path: Path
) -> None:
    file = tmp_path / "posts.csv"
    posts.to_pandas().to_csv(file, index=False)
    done = pb.release(file, "body", out=tmp_path / "released", seed=1, **SMALL)
    asked = {"text": "body", "attacks": ("delta",), "seed": 0}
    found = pb.attack(file, "user", KINDS[kind](done), **asked)
    same = pb.attack(file, "user", str(tmp_path / "released"), **asked)
    assert found.to_json() == same.to_json()


@pytest.mark.parametrize("kind", HELD)
def test_what_a_release_returned_is_evaluated(kind: str, posts: pa.Table) -> None:
    done = pb.release(posts, "body", seed=1, **SMALL)
    asked = {"text": "body", "read": 0, "classifiers": ("svm",), "seed": 0}
    found = pb.evaluate(posts, HELD[kind](done), "topic", **asked)
    texts = pb.evaluate(posts, done.data["body"].to_pylist(), "topic", **asked)  # type: ignore[index]
    assert found.to_json() == texts.to_json()


def test_mechanisms_are_compared_in_memory(posts: pa.Table, tmp_path: Path) -> None:
    found = pb.compare(
        posts,
        tmp_path / "out",
        text="body",
        author="user",
        mechanisms=("original", "random"),
        vocabulary=300,
        workers=1,
        seed=0,
    )
    assert [row["contender"] for row in found.rows] == ["original", "random"]
    assert (tmp_path / "out" / "index.html").is_file()


def test_places_are_linked_to_people() -> None:
    turns = np.tile(np.arange(6.0), 2)
    table = pd.DataFrame(
        {
            "lat": turns,
            "lon": np.repeat([0.0, 50.0], 6),
            "who": np.repeat(["a", "b"], 6),
        }
    )
    found = pb.link(table, "who", "lat,lon", seed=0)
    assert found.to_json()["candidates"] == 2
    pairs = list(zip(table["lat"], table["lon"], strict=True))
    for released in (
        ("lat", "lon"),
        table,
        pairs,
        pb.release_places(table, 1, "1m", seed=1),
    ):
        linked = pb.link(table, "who", released, seed=0)
        assert linked.to_json()["candidates"] == 2


def test_a_request_serves_as_well_as_keywords() -> None:
    request = ExplainRequest("city", pb.WordSettings(vocabulary=300))
    assert pb.explain(request).word == pb.explain("city", vocabulary=300).word


def test_unknown_and_missing_arguments_are_named() -> None:
    with pytest.raises(UnknownNameError, match="epsilon"):
        pb.explain("city", epsilom=3)
    with pytest.raises(ParameterError, match="word is missing"):
        pb.explain()
    with pytest.raises(ParameterError, match="twice"):
        pb.explain("city", word="town")
    with pytest.raises(ParameterError, match="not both"):
        pb.explain(ExplainRequest("city"), best=3)


@pytest.mark.parametrize(
    ("typed", "meant"),
    [("auther", "author"), ("workres", "workers"), ("epsilom", "epsilon")],
)
def test_a_misspelt_argument_may_be_a_field_or_a_setting(
    typed: str, meant: str
) -> None:
    with pytest.raises(UnknownNameError, match=f"did you mean {meant!r}"):
        pb.release(["a river"], **{typed: 1})  # type: ignore[arg-type]


def test_a_cancelled_verb_stops() -> None:
    with pytest.raises(CancelledError):
        pb.calibrate(vocabulary=300, watch=Watch(is_cancelled=lambda: True))


def test_notebooks_show_tables_without_markup_of_the_text() -> None:
    shown = pb.try_text("<b>city</b>", vocabulary=300)._repr_html_()
    assert "<b>" not in shown
    for found in (pb.explain("city", **SMALL), pb.certify(**SMALL)):
        assert found._repr_html_().startswith("<table>")
        assert len(repr(found)) < 120


WRONG = {
    "text": {"text": 5},
    "settings": {"settings": 5},
    "workers": {"workers": "many"},
    "seed": {"seed": "one"},
    "resume": {"resume": "yes"},
    "out": {"out": 5},
    "format": {"format": 5, "out": "released"},
    "ledger": {"ledger": "losses.ledger", "out": "released"},
    "watch": {"watch": 5},
    "keep": {"keep": {"body": 1}},
}


@pytest.mark.parametrize("name", WRONG)
def test_a_value_of_another_type_is_named_before_anything_is_written(
    name: str, posts: pa.Table, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ParameterError, match=f"^{name} must be "):
        pb.release(posts, **{"text": "body", **WRONG[name]})
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("level", [float("nan"), float("inf"), 0, -1, "1", None, True])
def test_a_level_that_is_no_positive_number_is_refused(level: object) -> None:
    with pytest.raises(ParameterError, match="level must be a"):
        pb.release_times(["06:30"], "text", level, "30min")
    with pytest.raises(ParameterError, match="level must be a"):
        pb.release_places(pa.table({"lat": [1.0], "lon": [2.0]}), level, "200m")


def test_whole_numbers_are_the_numbers_that_they_equal(posts: pa.Table) -> None:
    whole, broken = (
        pb.release(posts, text="body", seed=1, vocabulary=300, epsilon=epsilon)
        for epsilon in (3, 3.0)
    )
    assert whole.data == broken.data
    assert json.dumps(whole.to_json()) == json.dumps(broken.to_json())
    times, exactly = (
        pb.release_times(["06:30"] * 20, "text", level, "30min", seed=1).data
        for level in (1, 1.0)
    )
    assert times == exactly


def test_one_name_is_a_list_of_one(posts: pa.Table) -> None:
    released = pb.release(posts, "body", keep="topic", **SMALL)
    assert released.data.column_names == ["body", "topic"]


def test_a_ledger_may_be_a_table_of_its_settings(
    posts: pa.Table, tmp_path: Path
) -> None:
    file = tmp_path / "losses.ledger"
    asked = {"file": str(file), "budget": 1e6}
    pb.release(posts, "body", out=tmp_path / "out", ledger=asked, **SMALL)
    assert file.is_file()
    with pytest.raises(UnknownNameError, match="budget"):
        pb.release(posts, "body", out=tmp_path / "two", ledger={"budgt": 1}, **SMALL)


def test_settings_of_sentences_and_of_retelling_may_be_given_by_name() -> None:
    asked = pb.rewrite.asked("posts.csv", sigma=2).sentences
    assert (asked.sigma, type(asked.sigma)) == (2.0, float)
    assert pb.retell.asked("A text.", epsilon=4).retelling.epsilon == 4.0
    assert pb.release_retold.asked("posts.csv", passage=8).retelling.passage == 8
    with pytest.raises(UnknownNameError, match="sigma"):
        pb.rewrite.asked("posts.csv", sigmo=2)


def test_a_secret_of_another_type_is_not_quoted() -> None:
    with pytest.raises(ParameterError, match="must be one string") as refused:
        pb.try_text(["my secret"])
    assert "secret" not in str(refused.value)


def test_an_array_comes_back_as_an_array() -> None:
    released = pb.release(np.array(["The city.", None], dtype=object), **SMALL).data
    assert isinstance(released, np.ndarray)
    assert released.shape == (2,)
    assert released[1] is None


@pytest.mark.parametrize("texts", [[], [None]])
def test_a_list_without_a_text_is_a_list_of_texts(texts: list[None]) -> None:
    assert pb.release(texts, **SMALL).data == texts


@pytest.mark.parametrize("texts", [[1, 2], [{"body": "x"}], b"text", [b"text"]])
def test_what_holds_no_texts_is_refused(texts: object) -> None:
    with pytest.raises(pb.DataError, match=r"no column holds texts|expected a path"):
        pb.release(texts)


@pytest.mark.parametrize(
    "name", [n for n in pb.__all__ if isinstance(getattr(pb, n), Verb)]
)
def test_help_tells_every_argument(name: str) -> None:
    verb = getattr(pb, name)
    for argument in inspect.signature(verb).parameters:
        assert re.search(rf"^    {argument}: \S", verb.__doc__, re.MULTILINE), argument


def test_an_audit_of_texts_is_short_in_print() -> None:
    plan = pb.auditing.Plan(100, 0.99)
    texts = ("A city by the river.", "A town by the river.")
    audit = pb.audit_texts(*texts, pb.WordSettings(vocabulary=300), plan=plan)
    assert re.fullmatch(r"<TextAudit: <Verdict: .*>; advantage .*>", repr(audit))
    assert "river" not in repr(audit)


def test_an_audit_of_texts_takes_settings_by_name_and_may_be_cancelled() -> None:
    texts, stages = ("A city.", "A town."), []
    plan, small = pb.auditing.Plan(100, 0.99), {"vocabulary": 300, "metric": "hop"}
    claims = {
        pb.audit_texts(*texts, plan=plan, epsilon=e, **small).verdict.claim
        for e in (1.0, 2.0)
    }
    assert len(claims) == 2
    watch = Watch(stages.append, is_cancelled=lambda: len(stages) > 1)
    with pytest.raises(CancelledError):
        pb.audit_texts(*texts, plan=plan, **small, watch=watch)
    with pytest.raises(ParameterError, match="must be texts") as refused:
        pb.audit_texts("A city.", 3)
    assert "city" not in str(refused.value)


WRONG_CALLS = {
    "target must be": lambda: pb.calibrate(target=5, vocabulary=300),
    "target must be a finite": lambda: pb.calibrate(target=("worst", -9)),
    "knowledge must be": lambda: pb.attack("posts.csv", "user", "out", knowledge="all"),
    "knowledge must be both": lambda: pb.evaluate("a", "b", "c", knowledge="all"),
    "knowledge must be both or": lambda: pb.link("a", "b", "c", knowledge="all"),
    "rows of as many numbers": lambda: pb.leakage([[1, 2], [3]]),
    "rows of as many": lambda: pb.audit(1.0, [["a", "b"]]),
}


@pytest.mark.parametrize("said", WRONG_CALLS)
def test_a_wrong_value_is_one_of_our_errors(said: str) -> None:
    with pytest.raises(pb.PubliusError, match=said):
        WRONG_CALLS[said]()
