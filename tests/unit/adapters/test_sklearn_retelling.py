"""TextObfuscator(mechanism="retell"): a model writes from drawn words."""

import pickle
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from sklearn.base import clone

import publius as pb
from publius.adapters import built as module
from publius.core.arrays import Rng
from publius.core.errors import DataError, ParameterError
from publius.core.guarantee import Unit
from publius.retelling import assemble
from publius.retelling.block_list import BlockList

TEXTS = ["The doctor came to London, didn't he?", "A printer of 1994 broke."]


class Echo:
    """Write the released words, and remember them."""

    name = "echo"

    def __init__(self) -> None:
        self.seen: list[Sequence[str]] = []

    def write(self, passages: Sequence[Sequence[str]], rng: Rng) -> list[str]:
        rng.random()
        self.seen += passages
        return [" ".join(words) for words in passages]


@pytest.fixture
def writer(monkeypatch: pytest.MonkeyPatch) -> Iterator[Echo]:
    echo = Echo()
    monkeypatch.setattr(assemble, "writer_of", lambda _: echo)
    module._retelling.cache_clear()
    yield echo
    module._retelling.cache_clear()


def obfuscator(**settings: Any) -> pb.TextObfuscator:
    return pb.TextObfuscator(mechanism="retell", random_state=1, **settings)


def test_texts_are_written_from_drawn_words(writer: Echo) -> None:
    made = obfuscator(epsilon=3.0).fit()
    released = made.transform([*TEXTS, None])
    assert released[2] is None
    assert len(writer.seen) == 2  # an absent text has no passage
    assert not any("," in text or "?" in text for text in released[:2])
    assert isinstance(made.sanitizer_, pb.Retelling)
    assert made.guarantee_.worst_loss <= 12.01
    again = pickle.loads(pickle.dumps(made))  # noqa: S301 - made here
    assert again.transform(TEXTS) == clone(made).fit().transform(TEXTS)


def test_a_number_of_words_is_a_guarantee_about_the_text(writer: Echo) -> None:
    asked = pb.RetellSettings(words=5)
    made = obfuscator(retelling=asked, epsilon=2.5).fit()
    assert made.guarantee_.unit is Unit.DOCUMENT
    made.transform(TEXTS)
    assert [len(words) for words in writer.seen] == [5, 5]


@pytest.mark.parametrize(
    "given", [{"vocabulary": 200}, {"metric": "hop"}, {"protect": "all"}]
)
def test_settings_that_would_not_be_obeyed_are_refused(
    writer: Echo, given: dict[str, Any]
) -> None:
    with pytest.raises(ParameterError, match="a retelling has no setting"):
        obfuscator(**given).fit()
    assert not writer.seen


def test_a_retelling_needs_its_mechanism() -> None:
    with pytest.raises(ParameterError, match='mechanism="retell"'):
        pb.TextObfuscator(vocabulary=200, retelling=pb.RetellSettings()).fit()


@pytest.mark.slow  # forms the certificate of what a list leaves
def test_a_block_list_is_obeyed_and_read_anew(writer: Echo, tmp_path: Path) -> None:
    listed = tmp_path / "never.txt"
    listed.write_text("film\n")
    made = obfuscator(epsilon=6.0, block=str(listed)).fit()
    assert isinstance(made.sanitizer_, pb.Retelling)
    assert made.sanitizer_.blocked == BlockList.of(["film"])
    told = made.guarantee_.scope.assumptions
    assert any("1 words of the vocabulary are on a public" in line for line in told)
    released = " ".join(made.transform(["A film about a film."] * 40))
    assert "film" not in released.lower().split()
    assert writer.seen
    listed.write_text("film\nmovie\n")
    with pytest.raises(DataError, match="call fit again"):
        made.transform(["A film."])
