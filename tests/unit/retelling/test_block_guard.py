"""A decoder does not draw what would end a blocked word, whatever its pieces are."""

import importlib.util
import re
import sys
from pathlib import Path

import numpy as np
import pytest

from publius.core.rng import seeded
from publius.language.models.causal.byte_pairs import BytePairs
from publius.retelling.block_guard import Guard
from publius.retelling.block_list import BlockList
from publius.retelling.decoder import Decoder, Sampling


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
PIECES = ["<end>", "<stop>", "Ġhe", "ll", "Ġhell", "o", "Ġthe", ".", "1", "3", "Ġ", "L",
          "ÃĮ", "Ġnew", "Ġyork", "!hell!"]  # fmt: skip
TOKENIZER = BytePairs(PIECES, [])
END, STOP = 0, 1


def barred(blocked: list[str], written: list[str]) -> set[str]:
    """Return the pieces that may not follow what was written."""
    guard = Guard(BlockList.of(blocked), TOKENIZER, (END, STOP), 1)
    row = np.zeros(1, dtype=np.int64)
    for piece in written:
        guard.take(row, np.array([PIECES.index(piece)]))
    every = np.arange(len(PIECES))[None]
    return {PIECES[i] for i in np.flatnonzero(guard.barred(row, every)[0])}


@pytest.mark.parametrize(
    ("blocked", "written", "wanted"),
    [
        (["hell"], [], {"Ġhell", "!hell!"}),
        (["hell"], ["Ġhe"], {"ll", "Ġhell", "!hell!"}),
        (["HÉLL"], ["Ġhe", "L"], {"L", "Ġhell", "!hell!"}),
        (["hell"], ["1"], {"Ġhell", "!hell!"}),
        (["the"], ["Ġ"], {"Ġthe"}),
        (["new york"], [], set()),
        (["new york"], ["Ġnew"], {"Ġyork"}),
        (["end", "stop"], [], set()),  # ends of a passage are no words
        # A number is barred where it would end only.
        (["13"], ["Ġ", "1"], set()),
        (["13"], ["Ġ", "1", "3"], set(PIECES) - {"1", "3", "o", "ll", "L", "ÃĮ"}),
    ],
)
def test_what_would_end_a_blocked_word_is_barred(
    blocked: list[str], written: list[str], wanted: set[str]
) -> None:
    assert barred(blocked, written) == wanted


def test_where_nothing_is_left_nothing_is_barred() -> None:
    guard = Guard(BlockList.of(["hell"]), TOKENIZER, (END,), 1)
    row, pieces = np.zeros(1, dtype=np.int64), np.array([[4, 15]])
    assert not guard.barred(row, pieces).any()


def _decoders() -> dict[str, object]:
    made: dict[str, object] = {"numpy": Decoder(TINY.tiny_model(), (2,))}
    if importlib.util.find_spec("torch"):
        late = importlib.import_module("publius.retelling.torch_decoder")
        made["torch"] = late.TorchDecoder(TINY.tiny_model(), (2,), "cpu")
    return made


@pytest.mark.parametrize("kind", ["numpy", "torch"])
@pytest.mark.parametrize("draw", range(4))
def test_no_decoder_writes_what_it_wrote_once_that_is_blocked(
    kind: str, draw: int
) -> None:
    decoder = _decoders().get(kind)
    if decoder is None:
        pytest.skip("needs torch")
    prompts = [[0, *range(5, 5 + count)] for count in (3, 9, 4, 20, 1)]
    before = decoder.write(prompts, Sampling(longest=30), seeded(draw))  # type: ignore[attr-defined]
    listed = BlockList.of(
        {word for text in before for word in re.findall(r"[^\W\d_]+", text)}
    )
    assert any(map(listed.holds, before))
    sampling = Sampling(longest=30, blocked=listed)
    made = decoder.write(prompts, sampling, seeded(draw))  # type: ignore[attr-defined]
    assert not any(map(listed.holds, made))
    assert all(made)


def test_an_empty_list_changes_nothing() -> None:
    decoder = Decoder(TINY.tiny_model(), (2,))
    prompts = [[0, 10, 11, 12], [0, 40]]
    none = Sampling(longest=20, blocked=BlockList.of(["quuxley"]))
    made = decoder.write(prompts, none, seeded(1))
    assert made == decoder.write(prompts, Sampling(longest=20), seeded(1))
