"""The form under which a word is looked up."""

from collections.abc import Sequence

import numpy as np
import pytest

from publius.core.arrays import UNKNOWN, IdArray
from publius.language.morphology import LOWER, Morphology

VOCABULARY = {"apple": 0, "Apple": 1, "run": 2, "running": 3, "Berlin": 4}


def look_up(words: Sequence[str]) -> IdArray:
    return np.array([VOCABULARY.get(word, UNKNOWN) for word in words], dtype=np.int64)


@pytest.mark.parametrize(
    ("morphology", "ids"),
    [
        (LOWER, [0, 3, 4, UNKNOWN]),
        (Morphology("orth"), [1, 3, 4, UNKNOWN]),
        (
            Morphology("lemma", lambda word: word.removesuffix("ning")),
            [0, 2, 4, UNKNOWN],
        ),
    ],
)
def test_first_known_form_counts(morphology: Morphology, ids: list[int]) -> None:
    found = morphology.encode(["Apple", "Running", "Berlin", "Zebra"], look_up)
    assert found.tolist() == ids


def test_a_lemma_outside_the_vocabulary_leaves_the_word() -> None:
    odd = Morphology("lemma", lambda _: "nowhere")
    assert odd.encode(["running"], look_up).tolist() == [3]


def test_no_words_are_fine() -> None:
    assert LOWER.encode([], look_up).tolist() == []
