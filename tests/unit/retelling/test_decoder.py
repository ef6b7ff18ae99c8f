"""The decoder writes what the model's probabilities say, whatever the batch."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from publius.core.errors import DataError, ParameterError
from publius.core.rng import seeded
from publius.language.models.causal.byte_pairs import BytePairs
from publius.language.models.causal.llama import CausalModel, Shape
from publius.retelling import decoder as decoding
from publius.retelling.adapter import KINDS, Adapter, pack, read_adapter, unpack
from publius.retelling.decoder import Decoder, Sampling
from publius.retelling.word_bias import Wanted

WIDTH, INNER, HEADS, SHARED, LAYERS = 24, 40, 6, 2, 2
LETTERS = [chr(code) for code in range(33, 127)]


def tiny_model(seed: int = 0) -> CausalModel:
    """Return a small Llama with random weights and one piece per letter."""
    rng = np.random.default_rng(seed)
    pieces = ["<end>", "<turn>", "<stop>", "Ġ", "Ċ", *LETTERS]
    size = WIDTH // HEADS
    shapes = {
        "attn_q": (WIDTH, WIDTH),
        "attn_k": (SHARED * size, WIDTH),
        "attn_v": (SHARED * size, WIDTH),
        "attn_output": (WIDTH, WIDTH),
        "ffn_gate": (INNER, WIDTH),
        "ffn_up": (INNER, WIDTH),
        "ffn_down": (WIDTH, INNER),
    }
    weights = {
        "token_embd.weight": rng.normal(size=(len(pieces), WIDTH)),
        "output_norm.weight": np.ones(WIDTH),
    }
    for layer in range(LAYERS):
        for kind, shape in shapes.items():
            weights[f"blk.{layer}.{kind}.weight"] = rng.normal(size=shape) / 4
        for kind in ("attn_norm", "ffn_norm"):
            weights[f"blk.{layer}.{kind}.weight"] = 1 + rng.normal(size=WIDTH) / 9
    ready = {name: weight.astype(np.float32) for name, weight in weights.items()}
    shape = Shape(LAYERS, HEADS, SHARED, WIDTH, 1e4, 1e-5)
    return CausalModel(ready, shape, BytePairs(pieces, []), 0)


def greedy(model: CausalModel, prompt: list[int], longest: int) -> list[int]:
    """Return the likeliest continuation by whole passes of the model."""
    pieces = list(prompt)
    everything = np.arange(len(model.tokenizer.pieces))
    for _ in range(longest):
        before = np.tile(pieces, (len(everything), 1))
        after = np.hstack([before[:, 1:], everything[:, None]])
        score = model.log_probability(before, after)[:, -1]
        pieces.append(int(score.argmax()))
    return pieces[len(prompt) :]


def test_writing_piece_by_piece_follows_whole_passes() -> None:
    model = tiny_model()
    prompts = [[0, 10, 11, 12], [0, 30], [0, *range(40, 52)]]
    decoder = Decoder(model, (2,))
    cold = Sampling(temperature=1e-6, longest=9)
    wanted = [greedy(model, prompt, 9) for prompt in prompts]
    assert not any(2 in own for own in wanted)
    made = decoder.write(prompts, cold, seeded(0))
    assert made == [model.tokenizer.decode(own).strip() for own in wanted]


def test_batches_do_not_change_the_text() -> None:
    decoder = Decoder(tiny_model(), (2,))
    prompts = [[0, *range(5, 5 + count)] for count in (3, 9, 4, 20, 1)]
    whole = decoder.write(prompts, Sampling(longest=12), seeded(4))
    assert whole == decoder.write(prompts, Sampling(longest=12, batch=2), seeded(4))
    assert whole != decoder.write(prompts, Sampling(longest=12), seeded(5))


def test_a_passage_ends_where_the_model_ends_it() -> None:
    model = tiny_model()
    prompt = [0, 10, 11, 12]
    whole = greedy(model, prompt, 9)
    end = next(piece for piece in whole if piece != whole[0])
    cold = Sampling(temperature=1e-6, longest=9)
    made = Decoder(model, (end,)).write([prompt], cold, seeded(0))
    assert made == [model.tokenizer.decode(whole[: whole.index(end)]).strip()]


def test_the_decoder_writes_words_that_are_wanted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    model = tiny_model()
    monkeypatch.setattr(decoding, "PIECES", len(model.tokenizer.pieces) - 1)
    prompts, words = [[0, 10, 11], [0, 30]], [["zz"], ["qq"]]
    sampling = Sampling(longest=14)
    decoder = Decoder(model, (2,))
    plain = decoder.write(prompts, sampling, seeded(1))
    made = decoder.write(prompts, sampling, seeded(1), Wanted(words, 60.0))
    for own, before, text in zip(words, plain, made, strict=True):
        assert all(word in text for word in own)
        assert not all(word in before for word in own)


def test_batches_do_not_change_what_is_favoured() -> None:
    decoder = Decoder(tiny_model(), (2,))
    prompts = [[0, *range(5, 5 + count)] for count in (3, 9, 4)]
    wanted = Wanted([["ab"], ["cd", "x"], []], 4.0)
    whole = decoder.write(prompts, Sampling(longest=12), seeded(4), wanted)
    parts = decoder.write(prompts, Sampling(longest=12, batch=2), seeded(4), wanted)
    assert whole == parts
    assert whole != decoder.write(prompts, Sampling(longest=12), seeded(4))


@pytest.mark.parametrize("settings", [{"temperature": 0.0}, {"share": 0.0}])
def test_senseless_sampling_is_refused(settings: dict[str, float]) -> None:
    with pytest.raises(ParameterError):
        Sampling(**settings)


def adapter(rank: int = 3, seed: int = 1) -> Adapter:
    rng, model = np.random.default_rng(seed), tiny_model()
    parts = {}
    for layer in range(LAYERS):
        for kind in KINDS:
            name = f"blk.{layer}.{kind}.weight"
            out, into = model.weights[name].shape
            a, b = rng.normal(size=(rank, into)), rng.normal(size=(out, rank))
            parts[name] = (a.astype(np.float16), b.astype(np.float16))
    wide = {
        n: (a.astype(np.float32), b.astype(np.float32)) for n, (a, b) in parts.items()
    }
    return Adapter(wide, 0.5, {"steps": "7"})


def test_an_adapter_survives_its_file(tmp_path: Path) -> None:
    path = tmp_path / "a.safetensors"
    path.write_bytes(pack(adapter()))
    again, mark = read_adapter(path)
    assert again.facts == {"steps": "7"}
    assert len(mark) == 16
    base = tiny_model().weights
    a, b = adapter().parts["blk.0.attn_q.weight"]
    wanted = base["blk.0.attn_q.weight"] + 0.5 * b @ a
    merged = again.merged(base)["blk.0.attn_q.weight"]
    # Matrices are rounded to 1/127 of the largest number of a row.
    assert merged == pytest.approx(wanted, abs=0.03 * float(np.abs(wanted).max()))
    assert again.merged(base)["output_norm.weight"] is base["output_norm.weight"]


def test_rounding_an_adapter_moves_a_number_by_half_a_step_at_most() -> None:
    again = unpack("a", pack(adapter()))
    for name, pair in adapter().parts.items():
        for whole, rounded in zip(pair, again.parts[name], strict=True):
            step = np.abs(whole).max(axis=1, keepdims=True) / 127
            assert (np.abs(whole - rounded) <= 0.5001 * step).all()


def test_a_damaged_or_foreign_adapter_is_one_error(tmp_path: Path) -> None:
    raw = pack(adapter())
    for broken in (b"", raw[:40], raw[:-9], b"\xff" * 64, raw.replace(b"F32", b"F16")):
        with pytest.raises(DataError):
            unpack("x", broken)
    with pytest.raises(DataError, match="cannot read"):
        read_adapter(tmp_path / "missing")
    other = replace(
        adapter(), parts={"blk.9.attn_q.weight": adapter().parts["blk.0.attn_q.weight"]}
    )
    with pytest.raises(DataError, match="another language model"):
        other.merged(tiny_model().weights)
