"""A block list on the like space: blocked words are inputs and never outputs."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from publius.core.config import WordSettings
from publius.core.errors import DataError, ParameterError
from publius.core.rng import seeded
from publius.embeddings.blocked import told_of_blocked
from publius.embeddings.embedding import Embedding
from publius.embeddings.like import LikeTable, like_table, with_numbers
from publius.embeddings.like_blocked import like_without
from publius.embeddings.like_build import Lexicon
from publius.embeddings.like_store import with_like
from publius.embeddings.store import write_store
from publius.embeddings.vocabulary import Vocabulary
from publius.materials.words.assemble import resolved, sanitizer
from publius.mechanisms.exponential import Exponential
from publius.mechanisms.folded_exponential import FoldedExponential

WORDS = tuple(f"w{chr(97 + i // 26)}{chr(97 + i % 26)}" for i in range(60))
CITIES = WORDS[50:55]
STOPPING = WORDS[:5]


@pytest.fixture(scope="module")
def words() -> Embedding:
    vectors = np.random.default_rng(3).normal(size=(60, 5)).astype(np.float32)
    lexicon = Lexicon(stop_words=STOPPING, classes={"city": CITIES})
    return with_like(Embedding(Vocabulary(WORDS), vectors), lexicon, 48)


def folded(embedding: Embedding) -> FoldedExponential:
    table = like_table(embedding)
    law = Exponential.calibrated(table.space.symbols, 1.0)
    return FoldedExponential(
        law, table.space, table.spoken, table.counts, table.vector_near
    )


def written(table: LikeTable, embedding: Embedding) -> set[str]:
    return {embedding.vocabulary.words[i] for i in table.spoken.tolist()}


def test_blocked_words_are_never_written_and_still_known(words: Embedding) -> None:
    blocked = {"wak", "wal", CITIES[0], "7", "elsewhere"}
    made = like_without(words, blocked)
    before = written(like_table(words), with_numbers(words))
    assert written(like_table(made), made) == before - blocked
    assert made.vocabulary.encode(["wak", "7", "elsewhere"]).tolist()[2] == -1
    assert (made.vocabulary.encode(["wak", "7"]) >= 0).all()
    draws = folded(made).perturb(np.repeat(np.arange(made.size), 50), seeded(1))
    assert not {made.vocabulary.words[i] for i in draws.tolist()} & blocked


def test_a_blocked_word_has_the_law_of_an_allowed_one(words: Embedding) -> None:
    made = like_without(words, {"wak", CITIES[0]})
    law, table = folded(made), like_table(made)
    ids = made.vocabulary.encode(["wak", CITIES[0], CITIES[1]])
    own = int(table.spoken[table.counts[: table.fold[ids[0]]].sum()])
    rows = law.channel(np.append(ids, own))
    assert np.array_equal(rows[0], rows[3])
    assert np.array_equal(rows[1], rows[2])
    assert np.isneginf(rows[:, ids[:2]]).all()
    assert told_of_blocked(made.vocabulary).startswith("2 words of the vocabulary")


def test_the_certificate_holds_between_all_inputs(words: Embedding) -> None:
    made = like_without(words, set(WORDS[5:25]))
    law = folded(made)
    inputs = np.arange(len(WORDS))
    rows = law.channel(inputs)
    reached = np.isfinite(rows[0])
    distances = law.space.rows(inputs)[:, inputs]
    loss = np.abs(rows[:, None, reached] - rows[None, :, reached]).max(axis=2)
    bound = np.minimum(law.certificate.epsilon * distances, law.guarantee().worst_loss)
    assert (loss <= bound + 1e-9).all()
    assert (loss > bound / 2 + 1e-9).any()


def test_no_distance_becomes_longer(words: Embedding) -> None:
    """What is said of near words stays true with any list."""
    made = like_without(words, set(WORDS[10:30]))
    before, after = like_table(words).space, like_table(made).space
    every = np.arange(before.size)
    assert (after.rows(every) <= before.rows(every)).all()
    assert like_table(made).vector_near[0] <= like_table(words).vector_near[0]
    assert after.id != before.id


def test_a_word_is_joined_to_the_nearest_of_its_kind(words: Embedding) -> None:
    table = like_table(words)
    made = like_without(words, {"waz"})
    symbol, stand_in = (t.fold[WORDS.index("waz")] for t in (table, like_table(made)))
    chosen = int(like_table(made).spoken[stand_in])
    assert made.vocabulary.words[chosen] not in {*STOPPING, *CITIES}
    far = table.space.symbols.rows(np.array([symbol]))[0]
    assert far[table.fold[chosen]] == 1


def test_a_class_without_a_word_is_joined_to_another(words: Embedding) -> None:
    made = like_without(words, CITIES)
    assert "city" not in like_table(made).classes
    symbol = int(like_table(made).fold[WORDS.index(CITIES[0])])
    assert like_table(made).class_of(symbol).endswith("number")


def test_nothing_blocked_changes_nothing_and_everything_is_refused(
    words: Embedding,
) -> None:
    same = like_without(words, {"elsewhere"})
    assert like_table(same).space.id == like_table(words).space.id
    assert told_of_blocked(same.vocabulary) == ""
    with pytest.raises(DataError, match="every word"):
        like_without(words, with_numbers(words).vocabulary.words)


@pytest.fixture
def settings(words: Embedding, tmp_path: Path) -> WordSettings:
    """Settings that name an embedding with a like space, and a block list."""
    list_of_words, folder = tmp_path / "block.txt", tmp_path / "words"
    list_of_words.write_text("WAK\nwal\n")
    write_store(words, folder)
    return WordSettings(embedding=str(folder), block=str(list_of_words))


def test_a_list_does_not_change_the_metric(settings: WordSettings) -> None:
    """A block list used to move the default to another metric without a word."""
    assert resolved(settings).metric == "like"


def test_the_default_obeys_a_list(settings: WordSettings) -> None:
    texts = ["wak wal wba"] * 300
    drawn = sanitizer(replace(settings, block="")).release(texts, seeded(2)).texts
    assert {"wak", "wal"} < set(" ".join(drawn).split())
    made = sanitizer(settings)
    drawn = made.release(texts, seeded(2)).texts
    assert not {"wak", "wal"} & set(" ".join(drawn).split())
    said = made.guarantee().scope.assumptions
    assert any(line.startswith("2 words of the vocabulary") for line in said)


def test_stop_words_of_the_embedding_are_refused(settings: WordSettings) -> None:
    """They pass as they are; those of another language count, not the English ones."""
    Path(settings.block).write_text("the\n")
    assert resolved(settings).block == settings.block
    Path(settings.block).write_text(STOPPING[0])
    with pytest.raises(ParameterError, match="stop words"):
        resolved(settings)
