"""A memo draws a row once: the same bytes again, other noise for anything else."""

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import publius as pb
from publius.adapters.memo import EQUAL_NAMES, EQUAL_ROWS
from publius.core.errors import DataError, ParameterError
from publius.mechanisms.words.given import word_settings

KEY = bytes(range(32))
GOLDEN = [3883344686, 4170324674, 3055099509]
SETTLED = (
    b'[["exponential.v1", "hop:k=10:cap=4@dcb2cb3a46fc19c9"], '
    b'{"epsilon": 0.01, "metric": "hop:k=10:cap=4", "vocabulary": 200}]'
)
SMALL = pb.WordSettings(vocabulary=200, epsilon=0.01)
TEXTS = ["The people said: vote!", "the government of the world", "people people"] * 4


def memo(key: bytes = KEY, **settings: Any) -> pb.Memo:
    return pb.Memo(
        key, pb.WordSettings(**{"vocabulary": 200, "epsilon": 0.01, **settings})
    )


def test_asking_again_gives_the_same_in_any_order_and_batch() -> None:
    ids = list(range(len(TEXTS)))
    whole = memo().release(TEXTS, ids)
    again = pickle.loads(pickle.dumps(memo()))  # noqa: S301 - made here
    assert again.release(TEXTS[::-1], ids[::-1]) == whole[::-1]
    assert [
        again.release([t], [i])[0] for t, i in zip(TEXTS, ids, strict=True)
    ] == whole


@pytest.mark.parametrize(
    "other",
    [
        memo(bytes(32)),
        memo(epsilon=0.02),
        memo(vocabulary=201),
        memo(protect="all"),
    ],
    ids=["key", "epsilon", "vocabulary", "protect"],
)
def test_another_key_or_setting_draws_anew(other: pb.Memo) -> None:
    long = [" ".join(["people"] * 30)]
    assert memo().release(long, [1]) != other.release(long, [1])


def test_settings_that_change_no_law_change_no_noise() -> None:
    ids = list(range(len(TEXTS)))
    assert memo(repeats="3").release(TEXTS, ids) == memo().release(TEXTS, ids)


def test_equal_texts_are_apart_by_their_ids_only() -> None:
    long = [" ".join(["people"] * 30)] * 2
    apart, alike = memo().release(long, ["a", "b"]), memo().release(long)
    assert apart[0] != apart[1]
    assert alike[0] == alike[1]
    assert memo().release(long[:1], [""]) != alike[:1]


def test_whole_numbers_and_their_digits_name_the_same_row() -> None:
    texts = TEXTS[:1]
    assert memo().release(texts, [7]) == memo().release(texts, ["7"])
    assert memo().release(texts, np.array([7])) == memo().release(texts, ["7"])  # type: ignore[arg-type]


def test_ids_and_texts_cannot_be_shifted_into_each_other() -> None:
    one = memo()._stream("ab", "c", has_id=True).integers(0, 1 << 62)
    other = memo()._stream("a", "bc", has_id=True).integers(0, 1 << 62)
    assert one != other


def test_it_is_told_what_a_memo_leaves_uncovered() -> None:
    named, bare = memo().guarantee(has_ids=True), memo().guarantee(has_ids=False)
    assert EQUAL_NAMES in named.scope.uncovered
    assert EQUAL_ROWS in bare.scope.uncovered
    assert EQUAL_ROWS not in named.scope.uncovered
    assert any("key of the memo" in line for line in named.scope.assumptions)


def test_missing_texts_stay_missing() -> None:
    assert memo().release(["people", None], [1, 2])[1] is None


@pytest.mark.parametrize("ids", [[1.0], [None], [True], [1, 2], [b"x"]])
def test_what_names_no_row_is_refused(ids: list[Any]) -> None:
    with pytest.raises(DataError):
        memo().release(["people"], ids)


@pytest.mark.parametrize("key", [b"", bytes(31), "0" * 32, bytearray(32)])
def test_a_key_is_32_bytes(key: Any) -> None:
    with pytest.raises(ParameterError, match="32 bytes"):
        pb.Memo(key)


def test_no_print_and_no_name_of_a_memo_holds_the_key() -> None:
    secret = bytes(range(100, 132))
    shown = repr(memo(secret)) + memo(secret).fingerprint("x")
    assert repr(secret) not in shown
    assert secret.hex() not in shown
    assert (
        memo().fingerprint("x")
        != memo().fingerprint("y")
        != memo(secret).fingerprint("y")
    )


def test_words_of_a_corpus_stay_equal_across_calls() -> None:
    one = memo(consistent="corpus")
    first = one.release(["people government"], [1])[0]
    other = one.release(["government people"], [2])[0]
    assert first is not None
    assert other == " ".join(reversed(first.split(" ")))


def test_the_derivation_never_changes_silently() -> None:
    stream = memo()._stream("row 1", "people", has_id=True)
    assert stream.integers(0, 1 << 32, size=3).tolist() == GOLDEN
    assert memo()._settled() == SETTLED


@pytest.mark.statistical
@pytest.mark.parametrize("changed", ["text", "id", "key"])
def test_noise_of_other_rows_is_independent(changed: str) -> None:
    """Compare the first draws of neighbouring streams with independent ones."""
    rows = 3000

    def first(place: int, step: int) -> int:
        number = 2 * place + step
        key = KEY if changed != "key" else number.to_bytes(32, "little")
        name = str(number) if changed == "id" else "1"
        text = f"people {number}" if changed == "text" else "people"
        one = pb.Memo(key, SMALL)
        one._context.append(b"fixed")
        return int(one._stream(name, text, has_id=True).integers(0, 1 << 16))

    pairs = np.array([[first(i, 0), first(i, 1)] for i in range(rows)]) / 2.0**16 - 0.5
    correlation = float(np.corrcoef(pairs.T)[0, 1])
    assert abs(correlation) < 6 / rows**0.5
    shared = pairs.copy()
    shared[: rows // 4, 1] = shared[: rows // 4, 0]  # one in four draws its noise twice
    assert abs(float(np.corrcoef(shared.T)[0, 1])) > 6 / rows**0.5


def test_an_epsilon_of_four_draws_what_it_drew_when_it_was_the_default() -> None:
    found = pb.Memo(KEY, pb.WordSettings(vocabulary=500, epsilon=4.0))
    assert found.fingerprint("x") == "032d3dbe10f4d1d5d9f8a387322a0718"


def test_another_content_of_a_list_draws_anew(tmp_path: Path) -> None:
    """One noise under two laws would tell more than two draws."""
    listed = tmp_path / "listed.txt"
    listed.write_text("government\n")
    own = {"mechanism": "graded", "metric": "hop", "sensitive_words": str(listed)}
    long = [" ".join(["people"] * 40)]
    used = pb.Memo(KEY, word_settings({"vocabulary": 200, "epsilon": 4.0, **own}))
    before = used.release(long, [1])
    assert used.release(long, [1]) == before
    listed.write_text("government\nworld\n")
    assert used.release(long, [1]) != before
    assert len(pickle.dumps(used)) < 2000


def test_a_block_list_is_obeyed(tmp_path: Path) -> None:
    listed = tmp_path / "listed.txt"
    listed.write_text("people\n")
    used = memo(block=str(listed))
    written = " ".join(str(one) for one in used.release(["people vote"] * 300))
    assert "people" not in written.lower().split()
