import pytest

from publius.core.errors import DataError
from publius.embeddings.vocabulary import Vocabulary
from publius.language.length import MOST_CHARACTERS
from publius.language.tokenizer import Tokenizer
from publius.materials.words.oov import OovPolicy
from publius.materials.words.words import count_terms, find_words

VOCABULARY = Vocabulary(("house", "river", "London"))


def test_every_form_is_looked_up_once() -> None:
    found = find_words(["House the house", "HOUSE qx"], Tokenizer(), VOCABULARY)
    assert found.forms == ["House", "the", "house", "HOUSE", "qx"]
    assert found.ids.tolist() == [0, -1, 0, 0, -1]
    assert found.owner.tolist() == [0, 0, 0, 1, 1]
    assert found.protected.tolist() == [True, False, True, True, True]


def test_a_vocabulary_with_capitals_knows_words_as_they_are_written() -> None:
    found = find_words(["London london"], Tokenizer(), VOCABULARY)
    assert found.ids.tolist() == [2, -1]


def test_counts_leave_unknown_words_out() -> None:
    texts = ["house qx house", "", "river the"]
    counts = count_terms(texts, Tokenizer(), VOCABULARY, OovPolicy.UNIFORM)
    assert counts.toarray().tolist() == [[2, 0, 0], [0, 0, 0], [0, 1, 0]]


def test_counts_refuse_unknown_words_when_asked() -> None:
    with pytest.raises(DataError, match="1 of 3"):
        count_terms(["house qx house"], Tokenizer(), VOCABULARY, OovPolicy.REFUSE)


def test_a_text_that_would_fill_the_memory_is_refused() -> None:
    texts = ["house", "x" * (MOST_CHARACTERS + 1)]
    with pytest.raises(DataError, match=r"text 2 .* cut it into several rows"):
        find_words(texts, Tokenizer(), VOCABULARY)


def test_there_is_no_policy_to_keep() -> None:
    assert {policy.value for policy in OovPolicy} == {"uniform", "mask", "refuse"}
