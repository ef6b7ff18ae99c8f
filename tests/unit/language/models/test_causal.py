"""The causal language model: file format, pieces, and the forward pass."""

import struct
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest
from tokenizers import Tokenizer, models, pre_tokenizers, trainers

from publius.core.errors import DataError, FetchError
from publius.language.models import causal as language_model
from publius.language.models.causal import load_language_model
from publius.language.models.causal.byte_pairs import BytePairs
from publius.language.models.causal.gguf import open_gguf, read_gguf
from publius.language.models.causal.llama import CausalModel, Shape

TEXTS = [
    "The quick brown fox can't jump over 127 lazy dogs, it's too slow.",
    "Été à Paris — naïve café_owner's  double  spaces\n\nand lines ",
    "日本語 and emoji 🎉 and 3.14",
    "",
]


def _string(text: str) -> bytes:
    return struct.pack("<Q", len(text.encode())) + text.encode()


def _gguf(
    settings: Mapping[str, bytes], tensors: Mapping[str, tuple[int, list[int], bytes]]
) -> bytes:
    """Write a file: settings as kind and value, tensors as kind, shape and bytes."""
    head = b"GGUF" + struct.pack("<IQQ", 3, len(tensors), len(settings))
    for name, value in settings.items():
        head += _string(name) + value
    body = b""
    for name, (kind, shape, raw) in tensors.items():
        head += _string(name) + struct.pack("<I", len(shape))
        head += struct.pack(f"<{len(shape)}Q", *shape[::-1])
        head += struct.pack("<IQ", kind, len(body))
        body += raw + b"\0" * (-len(raw) % 32)
    return head + b"\0" * (-len(head) % 32) + body


def test_gguf_unpacks_every_kind_of_weight(tmp_path: Path) -> None:
    plain = np.arange(64, dtype="<f4").reshape(2, 32)
    eight = np.arange(-16, 16, dtype=np.int8)
    four = np.arange(32) % 16
    packed = (four[:16] | (four[16:] << 4)).astype(np.uint8)
    path = tmp_path / "m.gguf"
    path.write_bytes(
        _gguf(
            {
                "n": struct.pack("<II", 4, 7),
                "s": struct.pack("<I", 8) + _string("é"),
                "l": struct.pack("<IIQ", 9, 8, 2) + _string("a") + _string("b"),
            },
            {
                "plain": (0, [2, 32], plain.tobytes()),
                "eight": (8, [32], np.float16(0.5).tobytes() + eight.tobytes()),
                "four": (
                    3, [32], np.array([0.25, -1], "<f2").tobytes() + packed.tobytes(),
                ),
            },
        )
    )  # fmt: skip
    found = read_gguf(path)
    assert found.settings == {"n": 7, "s": "é", "l": ["a", "b"]}
    assert (found.weights["plain"] == plain).all()
    assert (found.weights["eight"] == eight * 0.5).all()
    assert (found.weights["four"] == four * 0.25 - 1).all()
    unread = open_gguf(path)
    assert unread.settings == found.settings
    assert {n: w.tolist() for n, w in unread.weights.items()} == {
        n: w.tolist() for n, w in found.weights.items()
    }


def test_a_weight_that_is_cut_off_is_one_error(tmp_path: Path) -> None:
    path = tmp_path / "m.gguf"
    weight = np.arange(64, dtype=np.float32).reshape(2, 32)
    path.write_bytes(_gguf({}, {"plain": (0, [2, 32], weight.tobytes())}))
    whole = open_gguf(path)
    assert (whole.weights["plain"] == weight).all()
    path.write_bytes(path.read_bytes()[:-8])
    with pytest.raises(DataError, match="cannot read"):
        whole.weights["plain"]


@pytest.mark.parametrize("content", [b"", b"GGML" + b"\0" * 40, b"GGUF\3\0\0\0\xff"])
def test_a_broken_file_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "m.gguf"
    path.write_bytes(content)
    with pytest.raises(DataError):
        read_gguf(path)


@pytest.fixture(scope="module")
def reference() -> Tokenizer:
    """A small byte-pair tokenizer of another library."""
    made = Tokenizer(models.BPE())
    made.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Digits(individual_digits=True),
            pre_tokenizers.ByteLevel(add_prefix_space=False),
        ]
    )
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(
        vocab_size=330, initial_alphabet=alphabet, show_progress=False
    )
    made.train_from_iterator(TEXTS * 3, trainer)
    return made


@pytest.fixture(scope="module")
def pieces(reference: Tokenizer, tmp_path_factory: pytest.TempPathFactory) -> BytePairs:
    folder = tmp_path_factory.mktemp("bpe")
    reference.model.save(str(folder))
    lines = (folder / "merges.txt").read_text("utf-8").splitlines()[1:]
    vocabulary = reference.get_vocab()
    names = sorted(vocabulary, key=lambda name: vocabulary[name])
    return BytePairs(names, [(a, b) for a, b in (line.split(" ") for line in lines)])


@pytest.mark.parametrize("text", TEXTS)
def test_pieces_are_those_of_the_reference(
    text: str, pieces: BytePairs, reference: Tokenizer
) -> None:
    assert pieces.encode(text) == reference.encode(text).ids


def _tiny(pieces: BytePairs) -> CausalModel:
    rng = np.random.default_rng(0)
    size = {"attn_q": (8, 8), "attn_k": (4, 8), "attn_v": (4, 8), "attn_output": (8, 8),
            "ffn_gate": (12, 8), "ffn_up": (12, 8), "ffn_down": (8, 12),
            "attn_norm": (8,), "ffn_norm": (8,)}  # fmt: skip
    weights = {
        f"blk.{layer}.{name}.weight": rng.normal(0, 0.4, shape).astype(np.float32)
        for layer in range(2)
        for name, shape in size.items()
    }
    table = rng.normal(0, 1, (len(pieces.pieces), 8)).astype(np.float32)
    weights |= {"token_embd.weight": table, "output_norm.weight": np.ones(8, "f4")}
    return CausalModel(weights, Shape(2, 4, 2, 8, 1e4, 1e-5), pieces, 0)


def _slow(model: CausalModel, ids: list[int]) -> np.ndarray:
    """Compute the log-probabilities after `ids` place by place, in complex numbers."""
    w = {name: value.astype(float) for name, value in model.weights.items()}

    def normal(row: np.ndarray, name: str) -> np.ndarray:
        return row / np.sqrt((row**2).mean() + 1e-5) * w[f"{name}.weight"]

    def turned(head: np.ndarray, place: int) -> np.ndarray:
        pairs = head[0::2] + 1j * head[1::2]
        return pairs * np.exp(1j * place * 1e4 ** (-np.arange(len(pairs)) / len(pairs)))

    rows = [w["token_embd.weight"][i] for i in ids]
    for layer in range(2):
        n = f"blk.{layer}."
        q, k, v = (
            [(w[f"{n}attn_{c}.weight"] @ normal(r, f"{n}attn_norm")).reshape(-1, 2)
             for r in rows] for c in "qkv"
        )  # fmt: skip
        new = []
        for t, row in enumerate(rows):
            heads = []
            for h in range(4):
                asked = turned(q[t][h], t)
                score = np.array(
                    [(asked.conj() * turned(k[s][h // 2], s)).sum().real
                     for s in range(t + 1)]
                ) / np.sqrt(2)  # fmt: skip
                share = np.exp(score) / np.exp(score).sum()
                heads.append(sum(share[s] * v[s][h // 2] for s in range(t + 1)))
            out = row + w[f"{n}attn_output.weight"] @ np.concatenate(heads)
            inner = normal(out, f"{n}ffn_norm")
            gate = w[f"{n}ffn_gate.weight"] @ inner
            gate = gate / (1 + np.exp(-gate)) * (w[f"{n}ffn_up.weight"] @ inner)
            new.append(out + w[f"{n}ffn_down.weight"] @ gate)
        rows = new
    score = w["token_embd.weight"] @ normal(rows[-1], "output_norm")
    return score - np.log(np.exp(score).sum())


def test_the_forward_pass_is_that_of_the_formula(pieces: BytePairs) -> None:
    model = _tiny(pieces)
    ids = np.array([[3, 40, 7, 99, 12]])
    before = np.array([[0, 3, 40, 7, 99]])
    found = model.log_probability(before, ids)[0]
    expected = [_slow(model, before[0, : t + 1].tolist())[ids[0, t]] for t in range(5)]
    assert found == pytest.approx(expected, abs=1e-4)


def test_texts_of_other_lengths_do_not_matter(pieces: BytePairs) -> None:
    model = _tiny(pieces)
    together = model.surprise(TEXTS)
    alone = np.concatenate([model.surprise([text]) for text in TEXTS])
    assert together == pytest.approx(alone, abs=1e-5, nan_ok=True)
    assert np.isnan(together).tolist() == [False, False, False, True]


def test_a_missing_model_says_how_to_get_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PUBLIUS_CACHE", str(tmp_path))
    with pytest.raises(FetchError, match="--get-language-model"):
        load_language_model()


def test_a_file_without_tokenizer_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "m.gguf"
    path.write_bytes(_gguf({}, {}))
    with pytest.raises(DataError, match="tokenizer"):
        language_model.read_model(path)
