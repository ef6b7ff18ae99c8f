import math

import numpy as np
import pytest

from publius.core.config import WordSettings
from publius.core.errors import DataError
from publius.core.guarantee import Unit
from publius.core.rng import seeded
from publius.materials.words.assemble import sanitizer
from publius.materials.words.bags import bag_guarantee, release_bags
from publius.materials.words.oov import MASK_TEXT
from publius.materials.words.sanitizer import Sanitizer

TEXTS = ["The people of the world", "", "qwertz", "and the"]


def cleaner(**settings: object) -> Sanitizer:
    return sanitizer(WordSettings(vocabulary=200, **settings))  # type: ignore[arg-type]


def test_a_bag_of_its_own_size_holds_every_protected_word() -> None:
    bags = release_bags(cleaner(), TEXTS, None, seeded(0))
    assert [len(bag) for bag in bags] == [2, 0, 1, 0]


@pytest.mark.parametrize("length", [1, 7])
def test_a_bag_of_fixed_length_tells_no_length(length: int) -> None:
    bags = release_bags(cleaner(), TEXTS, length, seeded(0))
    assert [len(bag) for bag in bags] == [length] * len(TEXTS)


def test_no_texts() -> None:
    assert release_bags(cleaner(), [], 3, seeded(0)) == []
    assert release_bags(cleaner(), [], None, seeded(0)) == []


def test_order_is_forgotten() -> None:
    rank = {w: i for i, w in enumerate(cleaner().embedding.vocabulary.words)}
    for bag in release_bags(cleaner(epsilon=0.1), ["people world"] * 30, 9, seeded(1)):
        assert [rank[w] for w in bag] == sorted(rank[w] for w in bag)


def test_an_empty_text_and_an_unknown_one_have_the_same_law() -> None:
    used = cleaner()
    empty = release_bags(used, ["the"], 5000, seeded(2))[0]
    unknown = release_bags(used, ["qwertz"], 5000, seeded(3))[0]
    one, other = ({w: bag.count(w) for w in bag} for bag in (empty, unknown))
    words = sorted(set(one) | set(other))
    difference = np.array([one.get(w, 0) - other.get(w, 0) for w in words])
    noise = np.sqrt([one.get(w, 0) + other.get(w, 0) + 1 for w in words])
    assert np.abs(difference / noise).max() < 7


def test_masks_come_first_and_are_counted() -> None:
    bag = release_bags(cleaner(oov="mask"), ["people qwertz"], None, seeded(0))[0]
    assert bag[0] == MASK_TEXT
    assert len(bag) == 2


def test_refusal_does_not_depend_on_the_draw_or_on_empty_texts() -> None:
    used = cleaner(oov="refuse")
    assert len(release_bags(used, ["", "people"], 1, seeded(0))) == 2
    text = "people " * 500 + "qwertz"
    for seed in range(5):
        with pytest.raises(DataError, match="1 of 501"):
            release_bags(used, [text], 1, seeded(seed))


def test_guarantee_of_a_bag_of_its_own_size() -> None:
    guarantee = bag_guarantee(cleaner().guarantee(), None)
    assert guarantee.unit is Unit.TOKEN
    assert guarantee.scope.uncovered == ("The number of protected words of a text.",)
    masked = bag_guarantee(cleaner(oov="mask").guarantee(), None)
    assert "How many of them were unknown." in masked.scope.uncovered


def test_guarantee_of_a_fixed_bag_bounds_any_two_texts() -> None:
    word = cleaner().guarantee()
    guarantee = bag_guarantee(word, 6)
    worst = max(word.worst_loss, word.landmarks.unknown_loss)
    assert guarantee.unit is Unit.DOCUMENT
    assert math.isclose(guarantee.worst_loss, 6 * worst)
    assert not any("number" in line for line in guarantee.scope.uncovered)


def test_the_fixed_bag_bound_holds_for_mixtures() -> None:
    """One member of a bag is a mixture of rows: its loss is within one word's worst."""
    used = cleaner()
    channel = np.exp(used.mechanism.channel(np.arange(-1, 200)))  # type: ignore[attr-defined]
    rng = np.random.default_rng(0)
    worst = bag_guarantee(used.guarantee(), 1).worst_loss
    for _ in range(50):
        one, other = rng.dirichlet(np.full(201, 0.02), size=2) @ channel
        assert np.abs(np.log(one / other)).max() <= worst + 1e-9
