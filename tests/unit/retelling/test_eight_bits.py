"""Writing in 8-bit integers: near the whole numbers, and equal whatever is beside."""

import importlib.util
import re
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("onnxruntime")

from publius.core.errors import ParameterError
from publius.core.rng import seeded
from publius.language.models.causal.llama import CausalModel, Shape
from publius.retelling.adapter import Adapter
from publius.retelling.block_list import BlockList
from publius.retelling.decoder import Sampling
from publius.retelling.eight_bits import decoder as module
from publius.retelling.eight_bits import graph, tables
from publius.retelling.eight_bits.decoder import EightBitDecoder
from publius.retelling.eight_bits.tables import tables_of
from publius.retelling.word_bias import Wanted


def _letters() -> object:
    path = Path(__file__).with_name("test_decoder.py")
    spec = importlib.util.spec_from_file_location("tiny_decoder", path)
    assert spec is not None
    assert spec.loader is not None
    found = importlib.util.module_from_spec(spec)
    sys.modules.setdefault("tiny_decoder", found)
    spec.loader.exec_module(found)
    return found


TINY = _letters()
HEADS, SHARED, SIZE, INNER, LAYERS = 4, 2, 16, 96, 2
WIDTH = HEADS * SIZE
NOTHING = Adapter({}, 1.0)


def model(seed: int = 0) -> CausalModel:
    """Return a small Llama that is large enough for the runtime's attention."""
    rng = np.random.default_rng(seed)
    tokenizer = TINY.tiny_model().tokenizer
    shapes = {
        "attn_q": (WIDTH, WIDTH),
        "attn_k": (SHARED * SIZE, WIDTH),
        "attn_v": (SHARED * SIZE, WIDTH),
        "attn_output": (WIDTH, WIDTH),
        "ffn_gate": (INNER, WIDTH),
        "ffn_up": (INNER, WIDTH),
        "ffn_down": (WIDTH, INNER),
    }
    weights = {
        "token_embd.weight": rng.normal(size=(len(tokenizer.pieces), WIDTH)),
        "output.weight": rng.normal(size=(len(tokenizer.pieces), WIDTH)) / 4,
        "output_norm.weight": 1 + rng.normal(size=WIDTH) / 9,
    }
    for layer in range(LAYERS):
        for kind, shape in shapes.items():
            weights[f"blk.{layer}.{kind}.weight"] = rng.normal(size=shape) / 8
        for kind in ("attn_norm", "ffn_norm"):
            weights[f"blk.{layer}.{kind}.weight"] = 1 + rng.normal(size=WIDTH) / 9
    ready = {name: weight.astype(np.float32) for name, weight in weights.items()}
    shape = Shape(LAYERS, HEADS, SHARED, WIDTH, 1e4, 1e-5)
    return CausalModel(ready, shape, tokenizer, 0)


def decoder(seed: int = 0, ends: tuple[int, ...] = (2, 4)) -> EightBitDecoder:
    return EightBitDecoder(model(seed), tables_of(model(seed), NOTHING), ends)


def pieces(rows: int, seed: int = 3) -> list[list[int]]:
    rng = np.random.default_rng(seed)
    return [rng.integers(5, 99, rng.integers(1, 24)).tolist() for _ in range(rows)]


def scores(made: EightBitDecoder, prompts: list[list[int]]) -> list[np.ndarray]:
    """Return the scores of all pieces after each prompt, then after one more."""
    room = max(map(len, prompts)) + 1
    cells = (LAYERS, len(prompts), SHARED, room, SIZE)
    keys, values = (np.zeros(cells, np.float32) for _ in range(2))
    first = []
    for row, own in enumerate(prompts):
        part = keys[:, row : row + 1], values[:, row : row + 1]
        first.append(_sorted(made.run(own, len(own), [0], part))[0])
    last = [own[-1] for own in prompts]
    then = _sorted(made.run(last, 1, [len(own) for own in prompts], (keys, values)))
    return [np.stack(pair) for pair in zip(first, then, strict=True)]


def _sorted(likely: tuple[np.ndarray, np.ndarray]) -> np.ndarray:
    found, numbers = likely
    return np.take_along_axis(found, np.argsort(numbers, axis=1), axis=1)


@pytest.fixture
def _all_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(graph, "PIECES", 1 << 20)


@pytest.mark.usefixtures("_all_pieces")
def test_scores_are_those_of_the_model_but_for_rounding() -> None:
    whole, prompts = model(), pieces(6)
    everything = np.arange(len(whole.tokenizer.pieces))
    for prompt, rounded in zip(prompts, scores(decoder(), prompts), strict=True):
        for own, found in zip((prompt, [*prompt, prompt[-1]]), rounded, strict=True):
            before = np.tile(own, (len(everything), 1))
            after = np.hstack([before[:, 1:], everything[:, None]])
            wanted = whole.log_probability(before, after)[:, -1]
            apart = (found - found.mean()) - (wanted - wanted.mean())
            assert np.sqrt((apart**2).mean()) < 0.05 * wanted.std()


@pytest.mark.usefixtures("_all_pieces")
def test_scores_have_the_same_bits_whatever_stands_beside() -> None:
    made, prompts = decoder(), pieces(9)
    together = scores(made, prompts)
    alone = [scores(made, [prompt])[0] for prompt in prompts]
    other = scores(made, [prompts[0], *pieces(20, seed=8)])
    for one, several in zip(alone, together, strict=True):
        np.testing.assert_array_equal(one, several)
    np.testing.assert_array_equal(other[0], alone[0])
    assert not np.array_equal(alone[0], alone[1])


@pytest.mark.parametrize(("rows", "threads"), [(1, 1), (2, 2), (32, 1), (5, 3)])
def test_rows_and_threads_do_not_change_a_text(
    rows: int, threads: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    made, prompts, sampling = decoder(), pieces(11), Sampling(longest=15)
    wanted = made.write(prompts, sampling, seeded(4))
    monkeypatch.setattr(module, "ROWS", rows)
    monkeypatch.setattr(module, "threads_allowed", lambda: threads)
    assert made.write(prompts, sampling, seeded(4)) == wanted
    assert made.write(prompts, sampling, seeded(5)) != wanted


def test_words_of_other_passages_do_not_change_what_is_favoured(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    made, prompts, sampling = decoder(), pieces(5), Sampling(longest=15)
    words = [["ab", "x"], ["Zq"], [], ["y", "y"], ["cd"]]
    wanted = made.write(prompts, sampling, seeded(4), Wanted(words, 4.0))
    assert made.write(prompts, sampling, seeded(4)) != wanted
    # One passage after another, so that other rows stand beside each.
    monkeypatch.setattr(module, "ROWS", 1)
    assert made.write(prompts, sampling, seeded(4), Wanted(words, 4.0)) == wanted
    others = [words[0], *[["mn"]] * 4]
    first = made.write(prompts, sampling, seeded(4), Wanted(others, 4.0))[0]
    assert first == wanted[0]


def test_what_would_be_a_blocked_word_is_not_written(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    made, prompts = decoder(), pieces(7)
    before = made.write(prompts, Sampling(longest=25), seeded(4))
    listed = BlockList.of(
        {word for text in before for word in re.findall(r"[^\W\d_]+", text)}
    )
    sampling = Sampling(longest=25, blocked=listed)
    wanted = made.write(prompts, sampling, seeded(4), Wanted([["ab"]] * 7, 4.0))
    assert any(map(listed.holds, before))
    assert not any(map(listed.holds, wanted))
    monkeypatch.setattr(module, "ROWS", 1)
    again = made.write(prompts, sampling, seeded(4), Wanted([["ab"]] * 7, 4.0))
    assert again == wanted


def test_a_text_is_a_function_of_its_prompt_and_its_own_random_numbers() -> None:
    made, prompts, sampling = decoder(), pieces(7), Sampling(longest=15)
    chance = np.random.default_rng(1).random((7, 15))
    whole = made.continued(prompts, chance, sampling)
    parts = [
        made.continued([own], row[None], sampling)[0]
        for own, row in zip(prompts, chance, strict=True)
    ]
    assert whole == parts
    longer = [prompts[0], *(own * 4 for own in prompts[1:])]
    assert made.continued(longer, chance, sampling)[0] == whole[0]
    assert made.continued(longer, chance, sampling)[1:] != whole[1:]


def test_a_passage_ends_where_the_model_ends_it() -> None:
    sampling, prompt = Sampling(temperature=1e-6, longest=12), [[0, 10, 11, 12]]
    whole = decoder(ends=()).continued(prompt, np.zeros((1, 12)), sampling)[0]
    assert len(whole) == 12
    end = next(piece for piece in whole if piece != whole[0])
    made = decoder(ends=(end,)).continued(prompt, np.zeros((1, 12)), sampling)[0]
    assert made == whole[: whole.index(end)]


def test_nothing_is_written_for_no_prompt() -> None:
    assert decoder().write([], Sampling(), seeded(0)) == []


def test_a_passage_that_the_model_cannot_read_is_refused() -> None:
    with pytest.raises(ParameterError, match="shorter passages"):
        decoder().write([[5] * graph.PLACES], Sampling(), seeded(0))


def test_sums_of_two_products_fit_into_16_bits() -> None:
    made = tables_of(model(), NOTHING)
    largest = max(np.abs(t).max() for t in made.values() if t.dtype == np.int8)
    assert largest == tables.LARGEST
    # Processors without exact instructions cut off what is larger.
    assert 2 * (graph.ZERO + graph.LARGEST) * int(largest) < 1 << 15


def test_a_weight_is_rounded_by_half_a_step_of_its_row() -> None:
    whole = model().weights["blk.0.ffn_gate.weight"]
    made = tables_of(model(), NOTHING)
    rounded = made["0.gate"].T * made["0.gate.scale"][:, None]
    step = np.abs(whole).max(axis=1, keepdims=True) / tables.LARGEST
    assert (np.abs(rounded - whole) <= 0.5001 * step).all()


def test_what_was_taught_is_in_the_tables() -> None:
    a, b = np.ones((1, WIDTH), np.float32), np.ones((INNER, 1), np.float32)
    taught = Adapter({"blk.0.ffn_gate.weight": (a, b)}, 0.5)
    whole = model()
    merged = replace(whole, weights=taught.merged(whole.weights))
    made, wanted = tables_of(whole, taught), tables_of(merged, NOTHING)
    for name, table in wanted.items():
        np.testing.assert_array_equal(made[name], table)
    plain = tables_of(whole, NOTHING)["0.gate"]
    assert not np.array_equal(made["0.gate"], plain)


def test_a_model_without_a_table_of_its_own_for_scores_uses_that_of_pieces() -> None:
    whole = model()
    weights = {n: w for n, w in whole.weights.items() if n != "output.weight"}
    made = tables_of(replace(whole, weights=weights), NOTHING)
    np.testing.assert_array_equal(made["head"], made["embedded"].T)
    assert not np.array_equal(tables_of(whole, NOTHING)["head"], made["head"])


def test_tables_are_kept_and_mapped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PUBLIUS_CACHE", str(tmp_path))
    formed = tables_of(model(), NOTHING, "key")
    monkeypatch.setattr(tables, "_fill", None)
    mapped = tables_of(model(), NOTHING, "key")
    for name, table in formed.items():
        np.testing.assert_array_equal(mapped[name], table)
    assert not mapped["head"].flags.writeable


@pytest.mark.skipif(sys.platform != "linux", reason="asks Linux what is in memory")
def test_mapped_tables_do_not_stay_in_memory_twice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PUBLIUS_CACHE", str(tmp_path))
    tables_of(model(), NOTHING, "key")
    mapped = tables_of(model(), NOTHING, "key")
    copied = {name: table.copy() for name, table in mapped.items()}
    assert _resident(tmp_path) > 0
    made = EightBitDecoder(model(), mapped, (2, 4))
    assert _resident(tmp_path) == 0
    prompts, sampling = pieces(3), Sampling(longest=9)
    wanted = decoder().write(prompts, sampling, seeded(1))
    assert made.write(prompts, sampling, seeded(1)) == wanted
    for name, table in copied.items():
        np.testing.assert_array_equal(mapped[name], table)
    tables.lay_aside(copied)  # nothing to give back


def _resident(folder: Path) -> int:
    """Return how much memory mapped files of a folder take, in kilobytes."""
    lines = iter(Path("/proc/self/smaps").read_text().splitlines())
    return sum(
        int(next(line for line in lines if line.startswith("Rss:")).split()[1])
        for head in lines
        if str(folder) in head
    )


def test_a_damaged_table_is_formed_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PUBLIUS_CACHE", str(tmp_path))
    formed = {n: t.copy() for n, t in tables_of(model(), NOTHING, "key").items()}
    (path,) = (tmp_path / tables.KIND).iterdir()
    raw = bytearray(path.read_bytes())
    raw[5000] ^= 1
    path.write_bytes(raw)
    again = tables_of(model(), NOTHING, "key")
    for name, table in formed.items():
        np.testing.assert_array_equal(again[name], table)
    assert path.read_bytes() != bytes(raw)
