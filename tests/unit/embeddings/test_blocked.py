"""Words that are never put out."""

from pathlib import Path

import numpy as np
import pytest

from publius.core.config import WordSettings
from publius.core.errors import DataError, ParameterError
from publius.core.mechanism import Finite
from publius.core.rng import seeded
from publius.embeddings.blocked import is_blocked, stands_for, without
from publius.embeddings.embedding import Embedding
from publius.embeddings.vocabulary import Vocabulary
from publius.materials.words.assemble import (
    plan,
    resolved,
    sanitizer,
    word_embedding,
    word_entry,
)
from publius.materials.words.treatment import WordTreatment
from publius.mechanisms.words.table import WORD_MECHANISMS

LISTED = ("people", "government", "Said")
WORDS = 80
FOLDING = sorted(
    name
    for name in WORD_MECHANISMS
    if name not in ("syntf", "generalising", "riemannian-laplace", "tangent-laplace")
)


@pytest.fixture
def block(tmp_path: Path) -> str:
    path = tmp_path / "block.txt"
    path.write_text("# never\n" + "\n".join(LISTED) + "\nqwertz\n")
    return str(path)


def asked(block: str, **others: object) -> WordSettings:
    return WordSettings(vocabulary=WORDS, block=block, **others)  # type: ignore[arg-type]


@pytest.mark.parametrize("name", FOLDING)
def test_no_mechanism_puts_a_blocked_word_out(name: str, block: str) -> None:
    made = sanitizer(asked(block, mechanism=name, epsilon=1.0))
    words = set(made.embedding.vocabulary.words)
    assert not words & {"people", "government", "said"}
    texts = ["people government said world"] * 200
    released = made.release(texts, seeded(3)).texts
    assert set(" ".join(released).split()) <= words
    assert set(" ".join(released).split()) & words


def test_a_blocked_word_has_the_law_of_its_stand_in(block: str) -> None:
    made = sanitizer(asked(block))
    vocabulary = made.embedding.vocabulary
    assert stands_for(vocabulary) == 3
    ids = vocabulary.encode(["people", "world", "zzz"])
    near = vocabulary.words[int(ids[0])]
    assert near != "people"
    assert ids[2] == -1
    assert isinstance(made.mechanism, Finite)
    rows = made.mechanism.channel(np.array([ids[0], vocabulary.encode([near])[0]]))
    assert np.array_equal(rows[0], rows[1])
    said = made.guarantee().scope.assumptions
    assert any(line.startswith("3 words of the vocabulary") for line in said)


def test_the_certificate_holds_between_all_inputs(block: str) -> None:
    """Recomputed from the channel, blocked words among the inputs."""
    made = sanitizer(asked(block, epsilon=2.0))
    vocabulary, guarantee = made.embedding.vocabulary, made.guarantee()
    inputs = vocabulary.encode([*vocabulary.words, "people", "government", "said"])
    assert isinstance(made.mechanism, Finite)
    rows = made.mechanism.channel(inputs)
    space = word_entry("exponential").space(
        word_embedding(resolved(asked(block))), resolved(asked(block))
    )
    distances = space.rows(inputs)[:, inputs]
    loss = np.abs(rows[:, None, :] - rows[None, :, :]).max(axis=2)
    bound = np.array([[guarantee.at(d).pure for d in row] for row in distances])
    assert (loss <= bound + 1e-9).all()
    # Half of the guaranteed loss would be refuted: the comparison can fail.
    assert (loss > bound / 2 + 1e-9).any()


def test_the_nearest_allowed_word_stands_in() -> None:
    vectors = np.array([[0.0], [1.0], [1.4], [5.0]])
    words = Vocabulary(("near", "blocked", "nearer", "far"))
    made = without(Embedding(words, vectors), {"blocked", "elsewhere"})
    assert made.vocabulary.words == ("near", "nearer", "far")
    assert made.vocabulary.encode(["blocked", "far"]).tolist() == [1, 2]


def test_collocations_of_a_blocked_word_are_blocked() -> None:
    words = Vocabulary(("york", "new_york", "city"))
    made = without(Embedding(words, np.eye(3)), {"york"})
    assert made.vocabulary.words == ("city",)


def test_marks_are_read_in_every_unicode_form() -> None:
    words = ["caf\u00e9", "cafe\u0301", "caf\u00e9_au_lait", "cafe"]
    for listed in words[:2]:
        assert is_blocked(words, {listed}).tolist() == [True, True, True, False]


def test_nothing_blocked_changes_nothing() -> None:
    embedding = Embedding(Vocabulary(("a", "b")), np.eye(2))
    assert without(embedding, {"c"}) is embedding
    with pytest.raises(DataError, match="every word"):
        without(embedding, {"a", "b"})


def test_stop_words_that_pass_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "block.txt"
    path.write_text("the\npeople\n")
    with pytest.raises(ParameterError, match=r"holds stop words \(\d+\)"):
        resolved(asked(str(path)))
    assert resolved(asked(str(path), protect="all")).block == str(path)


@pytest.mark.parametrize("others", [{"form": "tf"}, {"mechanism": "syntf"}])
def test_what_would_not_be_obeyed_is_refused(
    block: str, others: dict[str, object]
) -> None:
    with pytest.raises(ParameterError, match="block"):
        WordTreatment.of(WordSettings(block=block, **others))  # type: ignore[arg-type]


def test_a_list_that_cannot_be_read(tmp_path: Path) -> None:
    empty = tmp_path / "empty.txt"
    empty.write_text("# nothing\n")
    for path in (str(tmp_path / "none.txt"), str(empty)):
        with pytest.raises(DataError):
            plan(asked(path))


def test_a_changed_list_is_another_job(block: str) -> None:
    before = WordTreatment.of(asked(block)).job()
    Path(block).write_text("world\n")
    assert WordTreatment.of(asked(block)).job() != before
