"""The convolutional attacker learns words and their order, from its own stream."""

import numpy as np
import pytest
import torch

from publius.assessment.attacks import Documents, Knowledge, attack
from publius.assessment.attacks.convolution import Convolution

torch.set_num_threads(1)


def documents(marks: tuple[str, str]) -> Documents:
    rng = np.random.default_rng(0)
    common = ["the", "film", "was", "long", "and", "good", "but", "odd"]
    texts = [
        " ".join([*rng.choice(common, 12), marks[i % 2], *rng.choice(common, 6)])
        for i in range(80)
    ]
    return Documents(texts, texts, np.arange(80) % 2, np.arange(80) < 50)


@pytest.mark.slow
@pytest.mark.parametrize("marks", [("gonna", "indeed"), ("alas so", "so alas")])
def test_it_finds_words_and_their_order(marks: tuple[str, str]) -> None:
    rng = np.random.default_rng(0)
    made = Convolution(epochs=25, batch=16, device="cpu")
    found = attack(made, documents(marks), Knowledge.STATIC, rng)
    assert found.accuracy.value > 0.85


def test_it_finds_lengths() -> None:
    texts = [" ".join(["film"] * (5 + 15 * (i % 2))) for i in range(80)]
    given = Documents(texts, texts, np.arange(80) % 2, np.arange(80) < 50)
    made = Convolution(epochs=25, batch=64, device="cpu")
    found = attack(made, given, Knowledge.STATIC, np.random.default_rng(0))
    assert found.accuracy.value > 0.85


def test_a_guess_does_not_depend_on_the_texts_beside_it() -> None:
    given = documents(("a", "b"))
    made = Convolution(epochs=1, device="cpu").train(
        given.known(Knowledge.STATIC), np.random.default_rng(3)
    )
    rng = np.random.default_rng(0)
    alone = made.guess(["so odd", ""], rng).ranking
    beside = made.guess(["so odd", "", "and long " * 200], rng).ranking[:2]
    assert alone == pytest.approx(beside, abs=1e-5)


def test_it_finds_nothing_in_nothing() -> None:
    rng = np.random.default_rng(0)
    made = Convolution(epochs=3, batch=16, device="cpu")
    found = attack(made, documents(("", "")), Knowledge.STATIC, rng)
    assert found.accuracy.low < 0.5 < found.accuracy.high


def test_it_depends_on_its_stream_alone() -> None:
    state = torch.random.get_rng_state()
    made, given = Convolution(epochs=1, device="cpu"), documents(("a", "b"))
    first, second = (
        made.train(given.known(Knowledge.STATIC), np.random.default_rng(3)).guess(
            given.targets, np.random.default_rng(0)
        )
        for _ in range(2)
    )
    assert np.array_equal(first.ranking, second.ranking)
    assert torch.equal(state, torch.random.get_rng_state())
