"""What a notebook shows: one line for large things, tables, a bar."""

import io

import pytest

import publius as pb
from publius.materials.words.assemble import WORD_MECHANISMS, word_mechanism

pytest.importorskip("tqdm", reason="needs publius[notebook]")

from publius.adapters import notebook
from publius.adapters.built import built

SMALL = pb.WordSettings(vocabulary=500)


def test_large_things_print_in_one_line() -> None:
    embedding = pb.load_embedding("glove-50k")
    assert repr(embedding) == (
        "<Embedding glove-50k: 50,000 words, 100 dimensions, euclidean>"
    )
    assert repr(embedding.vocabulary) == "<Vocabulary: 50,000 words>"
    assert repr(built(SMALL)).startswith("<Sanitizer: exponential.v1 on <Embedding")


@pytest.mark.parametrize("spec", ["euclidean", "discrete", "hop:k=3:cap=2"])
def test_spaces_print_in_one_line(spec: str) -> None:
    space = pb.load_embedding("glove-50k", 100).space(spec)
    assert repr(space) == f"<{type(space).__name__} {space.id}: 100 points>"


@pytest.mark.parametrize("name", sorted(WORD_MECHANISMS))
def test_mechanisms_print_in_one_line(name: str) -> None:
    entry = WORD_MECHANISMS[name]
    embedding = "wordnet-poincare" if entry.metric == "hyperbolic" else "glove-50k"
    settings = pb.WordSettings(
        mechanism=name, vocabulary=100, embedding=embedding, epsilon=20.0
    )
    assert len(repr(word_mechanism(settings))) < 120


def test_tables_of_a_notebook_tell_what_is_not_covered() -> None:
    shown = built(SMALL)._repr_html_()
    assert "NOT covered" in shown
    assert "largest loss" in shown
    assert "<td>the</td>" in pb.load_embedding("glove-50k", 50)._repr_html_()


def test_a_bar_counts_rows_and_names_stages(monkeypatch: pytest.MonkeyPatch) -> None:
    written = io.StringIO()

    def bar(**given: object) -> "notebook.tqdm":
        return tqdm(**given, file=written, mininterval=0)

    tqdm = notebook.tqdm
    monkeypatch.setattr(notebook, "tqdm", bar)
    watch = notebook.progress(rows=4)
    watch.stage("drawing")
    watch.rows(2, 100)
    watch.rows(4, 200)
    assert "drawing" in written.getvalue()
    assert "4/4" in written.getvalue()


def test_a_bar_counts_steps_where_they_are_known(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    written, tqdm = io.StringIO(), notebook.tqdm

    def bar(**given: object) -> "notebook.tqdm":
        return tqdm(**given, file=written, mininterval=0)

    monkeypatch.setattr(notebook, "tqdm", bar)
    pb.calibrate(grid=(2, 3), vocabulary=100, watch=notebook.progress())
    assert "1/2" in written.getvalue()  # told when the second begins
    assert "ε = 3" in written.getvalue()


def test_a_certificate_prints_few_digits() -> None:
    assert repr(pb.certify(vocabulary=100)).endswith("on 100 words, ε = 4>")
