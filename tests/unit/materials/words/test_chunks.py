"""Texts released by their chunks are the texts of the sanitizer, to the last bit."""

from functools import lru_cache

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from publius.core.config import WordSettings
from publius.core.errors import DataError
from publius.core.rng import seeded
from publius.materials.words import chunks
from publius.materials.words.assemble import sanitizer
from publius.materials.words.chunks import ChunkedTexts
from publius.materials.words.forms import TextForm, text_rows
from publius.materials.words.sanitizer import Sanitizer

PIECES = ["the", "People", "PEOPLE", "it", "'s", "A.B.", "AT&T", "(of)", "qx", "\u00e9"]
PIECES += [" ", "  ", "\n", "\t", ".", "-", "\u3000", "\x1c", "@x.y", "http://a"]
TEXTS = st.lists(st.lists(st.sampled_from(PIECES)).map("".join), max_size=4)


def column_of(texts: list[str]) -> pa.Array:
    return pa.array(texts, pa.large_string())


@lru_cache
def cleaner(**settings: object) -> Sanitizer:
    return sanitizer(WordSettings(vocabulary=300, **settings))  # type: ignore[arg-type]


@lru_cache
def chunked(oov: str, protect: str) -> ChunkedTexts:
    return ChunkedTexts(cleaner(oov=oov, protect=protect))


@given(TEXTS, st.sampled_from(["uniform", "mask"]), st.sampled_from(["content", "all"]))
def test_the_same_texts_and_costs(texts: list[str], oov: str, protect: str) -> None:
    used = chunked(oov, protect)
    column, costs = used.release(column_of(texts), seeded(0))
    release = used.sanitizer.release(texts, seeded(0))
    column.validate(full=True)
    assert column.to_pylist() == release.texts
    assert costs.tolist() == release.perturbed.tolist()
    assert used.count(column_of(texts)).tolist() == costs.tolist()


@given(st.text(alphabet="aAwst.,:;!?)]\"'`([-\n \u2019", max_size=40))
def test_plain_words_are_taken_apart_as_the_tokenizer_does(text: str) -> None:
    used = chunked("uniform", "content")
    column, costs = used.release(column_of([text, f"the {text}"]), seeded(0))
    release = used.sanitizer.release([text, f"the {text}"], seeded(0))
    assert column.to_pylist() == release.texts
    assert costs.tolist() == release.perturbed.tolist()


def test_addresses_are_no_plain_words() -> None:
    texts = ["www.", "www.,! people", "http://, it", "www"]
    column, _ = chunked("uniform", "content").release(column_of(texts), seeded(0))
    assert column.to_pylist() == cleaner().release(texts, seeded(0)).texts


def test_slices_and_missing_cells() -> None:
    texts = ["people of", None, "", "a vote", "the world "]
    column = pa.array(["x y", *texts, "z"]).slice(1, 5)
    made, costs = ChunkedTexts(cleaner()).release(column, seeded(3))
    release = cleaner().release([text or "" for text in texts], seeded(3))
    assert made.to_pylist() == release.texts
    assert costs.tolist() == release.perturbed.tolist()


def test_memory_begins_anew_when_it_is_full(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chunks, "MOST_CHUNKS", 2)
    used = ChunkedTexts(cleaner())
    for text in ("people of the world", "the government", "people", "a vote of people"):
        column, _ = used.release(column_of([text]), seeded(1))
        assert column.to_pylist() == cleaner().release([text], seeded(1)).texts


def test_unknown_words_are_refused() -> None:
    with pytest.raises(DataError, match="1 of 2 protected words"):
        ChunkedTexts(cleaner(oov="refuse")).release(column_of(["people qx"]), seeded(0))


@pytest.mark.parametrize(
    "settings", [{"function_words": "drop"}, {"consistent": "text"}]
)
def test_other_settings_are_left_to_the_sanitizer(settings: dict[str, str]) -> None:
    used = cleaner(**settings)
    assert not ChunkedTexts.fits(used)
    made = TextForm(used).release(text_rows(["the people, people"]), seeded(2))
    columns, costs = made.columns, made.costs
    release = used.release(["the people, people"], seeded(2))
    assert columns[0].to_pylist() == release.texts
    assert costs.tolist() == release.perturbed.tolist()


@pytest.mark.parametrize("first", ["", "people The people. the, THE\n People"])
def test_known_and_new_chunks_may_stand_side_by_side(first: str) -> None:
    used = ChunkedTexts(cleaner())
    texts = [
        first,
        "The people, of a world's May\nit's PEOPLE A. a",
        "people (of) pEople",
    ]
    for text in (*texts, *texts):
        column, costs = used.release(column_of([text]), seeded(2))
        release = cleaner().release([text], seeded(2))
        assert column.to_pylist() == release.texts
        assert costs.tolist() == release.perturbed.tolist()
