"""A device favours the pieces that NumPy favours, step by step."""

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from publius.language.models.causal.byte_pairs import BytePairs
from publius.retelling.torch_bias import DeviceBias
from publius.retelling.word_bias import Wanted, WordBias

PIECES = ["<end>", "Ġ", "a", "b", "c", "A", "Ġa", "Ġab", "Ġc", "d", "Ġd"]
MERGES = [("Ġ", "a"), ("Ġa", "b"), ("Ġ", "c"), ("Ġ", "d")]
WORDS = ["ab", "abc", "cb", "d", "dab", "a"]


@pytest.mark.parametrize("ahead", [None, 1, 4])
def test_it_favours_what_numpy_favours(ahead: int | None) -> None:
    rng = np.random.default_rng(0)
    passages = [rng.choice(WORDS, count).tolist() for count in (0, 1, 3, 8, 8, 16)]
    wanted, tokenizer = Wanted(passages, 2.0, ahead), BytePairs(PIECES, MERGES)
    host = WordBias(wanted, tokenizer, (0,))
    device = DeviceBias(wanted, tokenizer, (0,), "cpu")
    every = np.arange(len(PIECES))
    seen = set()
    for _ in range(60):
        rows = np.sort(rng.permutation(len(passages))[: rng.integers(1, 7)])
        pieces = np.tile(every, (len(rows), 1))
        added = host.added(rows, pieces)
        own = device.added(torch.from_numpy(rows), torch.from_numpy(pieces))
        np.testing.assert_allclose(own.numpy(), added, rtol=1e-6)
        seen.update(np.sign(added).ravel().tolist())
        drawn = rng.integers(0, len(PIECES), len(rows))
        host.take(rows, drawn)
        device.take(torch.from_numpy(rows), torch.from_numpy(drawn))
    assert seen == {-1, 0, 1}


def test_passages_without_words_have_no_wishes() -> None:
    own = DeviceBias(Wanted([[]], 2.0), BytePairs(PIECES, MERGES), (0,), "cpu")
    rows = torch.tensor([0])
    own.take(rows, torch.tensor([2]))
    assert not own.added(rows, torch.arange(len(PIECES))[None, :]).any()
