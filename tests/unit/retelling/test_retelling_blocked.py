"""A retelling with a block list: blocked words stay inputs and are never outputs."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from publius.core.arrays import Rng
from publius.core.errors import DataError
from publius.core.rng import seeded
from publius.embeddings.embedding import Embedding
from publius.embeddings.like import like_table
from publius.embeddings.like_blocked import like_without
from publius.embeddings.like_build import Lexicon
from publius.embeddings.like_store import with_like
from publius.embeddings.vocabulary import Vocabulary
from publius.mechanisms.exponential import Exponential
from publius.mechanisms.folded_exponential import FoldedExponential
from publius.retelling.assemble import block_list, word_settings, writer_of
from publius.retelling.block_list import BlockList
from publius.retelling.retelling import Cut, Retelling
from publius.retelling.server import ServerWriter
from publius.retelling.settings import RetellSettings
from publius.retelling.treatment import RetellTreatment, public_settings

WORDS = tuple(f"w{chr(97 + i // 26)}{chr(97 + i % 26)}" for i in range(60))
CITIES = WORDS[50:55]
NEVER = ("wak", "WAL", CITIES[0], "the", "wba wbc")


@dataclass
class Dresser:
    """Writes what it was given with blocked words in many forms between."""

    words: Sequence[str]
    name: str = "dresser"

    def write(self, passages: Sequence[Sequence[str]], rng: Rng) -> list[str]:
        forms = [
            str.upper,
            str.title,
            "\u200b".join,
            "\u0301".join,
            lambda word: f"{word}'s",
            lambda word: f"{word}2",
        ]
        made = []
        for own in passages:
            parts = list(own)
            for word in self.words:
                dress = forms[int(rng.integers(len(forms)))]
                parts.insert(int(rng.integers(len(parts) + 1)), dress(word))
            made.append(" ".join(parts))
        return made


@pytest.fixture(scope="module")
def words() -> Embedding:
    vectors = np.random.default_rng(3).normal(size=(60, 5)).astype(np.float32)
    lexicon = Lexicon(stop_words=WORDS[:5], classes={"city": CITIES})
    return with_like(Embedding(Vocabulary(WORDS), vectors), lexicon, 48)


def retelling(words: Embedding, never: Sequence[str], law: str) -> Retelling:
    made = like_without(words, {word.lower() for word in never})
    table = like_table(made)
    symbols = Exponential.calibrated(table.space.symbols, 1.0)
    mechanism = FoldedExponential(
        symbols, table.space, table.spoken, table.counts, table.vector_near
    )
    cut, blocked = Cut("shuffle", 4), BlockList.of(never)
    return Retelling(made, table, mechanism, Dresser(never), cut, law, blocked)


@pytest.mark.slow
@pytest.mark.parametrize("law", ["retell.v1", "retell.v2", "retell.v3"])
@settings(derandomize=True, max_examples=40, deadline=None)
@given(
    text=st.lists(st.sampled_from([*WORDS, "7", "zzz"]), max_size=12).map(" ".join),
    never=st.lists(
        st.sampled_from([*WORDS[5:], *NEVER, "7"]), min_size=1, max_size=6, unique=True
    ),
    seed=st.integers(0, 99),
)
def test_a_blocked_word_is_in_no_output(
    words: Embedding, law: str, text: str, never: list[str], seed: int
) -> None:
    made = retelling(words, never, law)
    (released,) = made.release([text], seeded(seed)).texts
    bare = re.sub("[\u0301\u200b]", "", released).casefold()
    found = {*re.findall(r"[^\W_]+", bare), *re.findall(r"[^\W\d_]+", bare)}
    assert not {word.casefold() for word in never} & found
    assert "wba wbc" not in never or not re.search(r"\bwba\W+wbc\b", bare)
    open_list = replace(made, blocked=None)
    if made.count([text])[0]:
        assert made.blocked is not None
        assert made.blocked.holds(open_list.release([text], seeded(seed)).texts[0])


def test_a_blocked_word_is_drawn_for_like_an_allowed_one(words: Embedding) -> None:
    made = retelling(words, NEVER, "retell.v3")
    ids = made.embedding.vocabulary.encode(["wak", "wal", CITIES[0], CITIES[1]])
    assert (ids >= 0).all()
    rows = made.mechanism.channel(ids)
    assert np.isneginf(rows[:, ids[:3]]).all()
    assert np.array_equal(rows[2], rows[3])
    drawn = [
        w for own in made.draw(["wak wal"] * 200, seeded(1)) for p in own for w in p
    ]
    assert not {"wak", "wal"} & {word.lower() for word in drawn}
    assert made.count(["wak wal"]).tolist() == [2]


def test_the_guarantee_tells_of_the_list(words: Embedding) -> None:
    for cut in (Cut("keep"), Cut("shuffle", 4, 10)):
        made = replace(retelling(words, NEVER, "retell.v3"), cut=cut)
        told = made.guarantee().scope.assumptions
        assert any(line.startswith("3 words of the vocabulary") for line in told)
        assert any(line.startswith("No word of the block list") for line in told)
        open_list = replace(made, blocked=None).guarantee().scope.assumptions
        assert not any(line.startswith("No word of the block") for line in open_list)


@pytest.fixture
def asked(tmp_path: Path) -> RetellSettings:
    listed = tmp_path / "mrs-smith" / "never.txt"
    listed.parent.mkdir()
    listed.write_text("# a remark\nFilm\nthe\nnew york\n")
    return RetellSettings(block=str(listed), server="http://localhost:1")


def test_settings_name_a_list_that_words_and_writer_obey(asked: RetellSettings) -> None:
    assert block_list(asked) == BlockList.of(["film", "the", "new york"])
    assert word_settings(asked).block == asked.block
    writer = writer_of(asked)
    assert isinstance(writer, ServerWriter)
    assert writer.sampling.blocked == block_list(asked)
    assert block_list(RetellSettings()) is None


def test_a_job_keeps_to_the_content_of_the_list(asked: RetellSettings) -> None:
    def job(settings: RetellSettings) -> dict[str, object]:
        return RetellTreatment.of(settings, resumes=False).job()

    before = job(asked)
    Path(asked.block).write_text("film\n")
    assert job(asked)["settings"] == before["settings"]
    assert job(asked)["lists"] != before["lists"]
    assert "block" not in str(job(RetellSettings()))


def test_a_manifest_names_the_list_without_its_folder(asked: RetellSettings) -> None:
    assert public_settings(asked, "somebody")["block"] == "never.txt"


def test_a_list_without_a_word_is_refused(asked: RetellSettings) -> None:
    Path(asked.block).write_text("# nothing\n")
    with pytest.raises(DataError, match="no word"):
        block_list(asked)
