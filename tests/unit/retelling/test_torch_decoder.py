"""The decoder in torch writes what the one in NumPy writes."""

import importlib.util
import sys
from dataclasses import replace
from pathlib import Path

import pytest

torch = pytest.importorskip("torch")

from publius.core.errors import ParameterError
from publius.core.rng import seeded
from publius.retelling import torch_decoder
from publius.retelling.decoder import Decoder, Sampling
from publius.retelling.word_bias import Wanted


def _tiny() -> object:
    path = Path(__file__).with_name("test_decoder.py")
    spec = importlib.util.spec_from_file_location("tiny_decoder", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules.setdefault("tiny_decoder", module)
    spec.loader.exec_module(module)
    return module


TINY = _tiny()
PROMPTS = [[0, 10, 11, 12], [0, 40], [0, 20, 21, 22, 23, 24, 25], [0, 50, 51]]


@pytest.fixture(autouse=True)
def _whole_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    # Numbers of 16 bits would decide near ties differently.
    monkeypatch.setattr(torch_decoder, "KIND", torch.float32)


@pytest.mark.parametrize("longest", [1, 7, 8, 30])
def test_it_writes_what_numpy_writes(longest: int) -> None:
    sampling = Sampling(temperature=0.9, longest=longest)
    made = torch_decoder.TorchDecoder(TINY.tiny_model(), (2, 4), "cpu")
    wanted = Decoder(TINY.tiny_model(), (2, 4)).write(PROMPTS, sampling, seeded(3))
    assert made.write(PROMPTS, sampling, seeded(3)) == wanted


def test_it_favours_the_words_that_numpy_favours() -> None:
    sampling = Sampling(temperature=0.9, longest=20)
    wanted = Wanted([["ab", "Zq"], ["cd"], [], ["x", "x", "yz"]], 60.0, ahead=2)
    made = torch_decoder.TorchDecoder(TINY.tiny_model(), (2, 4), "cpu")
    decoder = Decoder(TINY.tiny_model(), (2, 4))
    numpy = decoder.write(PROMPTS, sampling, seeded(3), wanted)
    assert made.write(PROMPTS, sampling, seeded(3), wanted) == numpy
    assert made.write(PROMPTS, sampling, seeded(3)) != numpy


def test_other_randomness_writes_another_text() -> None:
    sampling = Sampling(temperature=0.9, longest=30)
    made = torch_decoder.TorchDecoder(TINY.tiny_model(), (2, 4), "cpu")
    one, other = (made.write(PROMPTS, sampling, seeded(seed)) for seed in (3, 4))
    assert one != other


def test_an_adapter_is_added_as_it_is_in_numpy() -> None:
    model, adapter = TINY.tiny_model(), TINY.adapter()
    merged = replace(model, weights=adapter.merged(model.weights))
    sampling = Sampling(longest=20)
    made = torch_decoder.TorchDecoder(model, (2,), "cpu", adapter)
    plain = torch_decoder.TorchDecoder(model, (2,), "cpu")
    wanted = Decoder(merged, (2,)).write(PROMPTS, sampling, seeded(0))
    assert made.write(PROMPTS, sampling, seeded(0)) == wanted
    assert plain.write(PROMPTS, sampling, seeded(0)) != wanted


def test_other_prompts_of_a_batch_change_nothing() -> None:
    made = torch_decoder.TorchDecoder(TINY.tiny_model(), (2,), "cpu")
    one = made._batch([PROMPTS[0]], torch.full((1, 9), 0.3), Sampling(longest=9))
    several = made._batch(PROMPTS, torch.full((4, 9), 0.3), Sampling(longest=9))
    assert several[0] == one[0]


def test_likely_pieces_are_those_among_all() -> None:
    scores = torch.from_numpy(seeded(0).standard_normal((5, 100 * 128)))
    # All likely ones in one run, and in as many runs as there are.
    scores[0, 300:364] += 50
    value, best = torch_decoder.likeliest(scores)
    wanted = torch.topk(scores, torch_decoder.PIECES, dim=1)
    assert torch.equal(best, wanted.indices)
    assert torch.equal(value, wanted.values.float())


def test_a_missing_gpu_is_one_error() -> None:
    assert torch_decoder.chosen("cpu") == "cpu"
    if not torch.cuda.is_available():
        assert torch_decoder.chosen("auto") == "cpu"
        with pytest.raises(ParameterError, match="no GPU"):
            torch_decoder.chosen("cuda")
