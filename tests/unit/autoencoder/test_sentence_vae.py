"""Rewriting: what it guarantees, what it draws, and what it does with odd input."""

import math
from dataclasses import replace

import numpy as np
import pytest
import torch

from publius.accounting.gaussian import guarantee_epsilon
from publius.autoencoder import (
    Architecture,
    Decoding,
    SentenceVAE,
    Training,
    Weights,
)
from publius.autoencoder import sentence_vae as front
from publius.autoencoder.decoding import decode
from publius.autoencoder.layers import contract as torch_contract
from publius.autoencoder.network import build
from publius.core.errors import DataError, ParameterError, UnknownNameError
from publius.core.guarantee import Guarantee, Unit
from publius.core.rng import seeded
from publius.mechanisms.gaussian import contract

TEXTS = ["the movie was good. my dog is bad!", "", "the actor was long."]


def test_one_text_comes_back_for_each_and_empty_stays_empty(tiny: SentenceVAE) -> None:
    out = tiny.rewrite(TEXTS, seeded(0), sigma=0.1)
    assert out.sentences.tolist() == [2, 0, 1]
    assert out.texts[1] == ""
    assert all(out.texts[i] for i in (0, 2))
    assert tiny.count(TEXTS).tolist() == [2, 0, 1]


def test_little_noise_keeps_more_than_much_noise(tiny: SentenceVAE) -> None:
    texts = ["the movie was good."] * 200
    few, many = (
        set(tiny.rewrite(texts, seeded(0), sigma=sigma).texts) for sigma in (0.01, 3.0)
    )
    assert len(few) < len(many)


def test_the_same_stream_gives_the_same_texts_for_any_batch(tiny: SentenceVAE) -> None:
    texts = TEXTS * 9
    whole = tiny.rewrite(texts, seeded(5), sigma=0.5).texts
    parts = replace(tiny, batch=4).rewrite(texts, seeded(5), sigma=0.5).texts
    assert whole == parts
    assert whole != tiny.rewrite(texts, seeded(6), sigma=0.5).texts


def test_no_draw_comes_from_torch(tiny: SentenceVAE) -> None:
    state = torch.random.get_rng_state()
    tiny.rewrite(TEXTS, seeded(0), sigma=0.5, decoding=Decoding("nucleus"))
    assert torch.equal(state, torch.random.get_rng_state())


def test_the_noise_is_that_of_the_mechanism(
    tiny: SentenceVAE, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[float] = []
    kind = type(tiny.mechanism(1.0))
    perturb = kind.perturb

    def spy(self: object, x: object, rng: object) -> object:
        seen.append(self.sigma)  # type: ignore[attr-defined]
        return perturb(self, x, rng)  # type: ignore[arg-type]

    monkeypatch.setattr(kind, "perturb", spy)
    tiny.rewrite(TEXTS, seeded(0), sigma=0.7)
    assert seen == [0.7]


@pytest.mark.parametrize(
    "text",
    [
        "word " * 10_000,
        "x" * 5_000,
        "Съешь же ещё этих мягких французских булок.",
        "汉字没有空格也没有句号",
        "😀" * 50,
        "<s> </s> <pad>",
        "\x00\x01",
        "...",
    ],
)
def test_odd_texts_are_rewritten(tiny: SentenceVAE, text: str) -> None:
    out = tiny.rewrite([text], seeded(0), sigma=1.0)
    assert out.sentences[0] >= 1
    assert out.sentences.tolist() == tiny.count([text]).tolist()


def test_a_long_sentence_is_counted_by_the_piece(tiny: SentenceVAE) -> None:
    count = int(tiny.count(["word " * 10_000])[0])
    assert count >= 10_000 / tiny.shape.max_tokens


def test_nothing_in_nothing_out(tiny: SentenceVAE) -> None:
    assert tiny.rewrite([], seeded(0), sigma=1.0).texts == []
    assert tiny.rewrite(["", "\n"], seeded(0), sigma=1.0).texts == ["", ""]


@pytest.mark.parametrize("sigma", [0.0, -1.0, math.nan, math.inf])
def test_noise_must_be_positive(tiny: SentenceVAE, sigma: float) -> None:
    with pytest.raises(ParameterError, match="sigma must be a finite number > 0"):
        tiny.rewrite(TEXTS, seeded(0), sigma=sigma)


def test_the_guarantee_is_exact_and_survives_json(tiny: SentenceVAE) -> None:
    guarantee = tiny.guarantee(1.0)
    assert guarantee.unit is Unit.SENTENCE
    assert guarantee_epsilon(guarantee, 1e-6) == pytest.approx(45.78590594893, rel=1e-9)
    assert Guarantee.from_json(guarantee.to_json()) == guarantee
    assert any("trained" in line for line in guarantee.scope.uncovered)


@pytest.mark.parametrize(
    ("kind", "word"), [("vae", "Everything"), ("avg-aae", "Everything"),
                       ("dp-aae", "content vector")],
)  # fmt: skip
def test_other_kinds_guarantee_nothing(tiny: SentenceVAE, kind: str, word: str) -> None:
    shape = replace(tiny.shape, kind=kind, authors=2)
    model = replace(tiny, network=build(shape, seed=0))
    guarantee = model.guarantee(1.0)
    assert guarantee.worst_loss == math.inf
    assert guarantee.at(6.0).epsilon(1e-6) == math.inf
    assert word in guarantee.scope.uncovered[0]
    assert guarantee.scope.covered == ()
    assert len(model.rewrite(TEXTS, seeded(0), sigma=1.0).texts) == 3


@pytest.mark.parametrize("strategy", ["greedy", "beam", "top-k", "nucleus"])
def test_every_decoding_ends_within_the_limit(tiny: SentenceVAE, strategy: str) -> None:
    condition = torch.zeros(5, tiny.shape.condition)
    rows = decode(tiny.network, condition, Decoding(strategy), seeded(0))
    assert len(rows) == 5
    assert all(len(row) <= tiny.shape.max_tokens and min(row, default=9) > 3
               for row in rows)  # fmt: skip


def test_narrow_choices_are_greedy(tiny: SentenceVAE) -> None:
    condition = torch.randn(6, tiny.shape.condition, generator=torch.manual_seed(0))
    greedy = decode(tiny.network, condition, Decoding(), seeded(0))
    for same in (Decoding("beam", beams=1), Decoding("top-k", best=1),
                 Decoding("nucleus", mass=1e-9)):  # fmt: skip
        assert decode(tiny.network, condition, same, seeded(1)) == greedy


def test_drawn_words_follow_the_softmax(tiny: SentenceVAE) -> None:
    condition = torch.zeros(4000, tiny.shape.condition)
    rows = decode(tiny.network, condition, Decoding("nucleus", mass=1.0), seeded(0))
    first = np.bincount([row[0] if row else 2 for row in rows], minlength=300) / 4000
    state = tiny.network.start(condition[:1])
    logits, _ = tiny.network.advance(torch.tensor([[1]]), state)
    logits[..., [0, 1, 3]] = -math.inf
    share = torch.softmax(logits[0, 0], dim=0).detach().numpy()
    assert np.abs(first[: len(share)] - share).max() < 0.05
    assert np.abs(first[: len(share)] - share[::-1]).max() > 0.1


def test_the_network_contracts_like_the_mechanism() -> None:
    rows = np.random.default_rng(0).normal(size=(50, 4)) * 3
    found = torch_contract(torch.from_numpy(rows), 3.0).numpy()
    assert found == pytest.approx(contract(rows, 3.0), abs=1e-9)


def test_a_full_gpu_gets_smaller_batches(
    tiny: SentenceVAE, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = tiny.rewrite(TEXTS * 4, seeded(0), sigma=0.3).texts

    def small(network: object, condition: torch.Tensor, *rest: object) -> object:
        if len(condition) > 2:
            raise torch.cuda.OutOfMemoryError
        return decode(network, condition, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr("publius.autoencoder.sentence_vae.decode", small)
    assert tiny.rewrite(TEXTS * 4, seeded(0), sigma=0.3).texts == whole


def test_a_gpu_too_small_to_encode_gets_smaller_parts(
    tiny: SentenceVAE, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = tiny.rewrite(TEXTS * 4, seeded(0), sigma=0.3).texts
    encode = type(tiny.network).encode

    def small(self: object, tokens: torch.Tensor, lengths: object) -> object:
        if len(tokens) > 2:
            raise torch.cuda.OutOfMemoryError
        return encode(self, tokens, lengths)  # type: ignore[arg-type]

    monkeypatch.setattr(type(tiny.network), "encode", small)
    assert tiny.rewrite(TEXTS * 4, seeded(0), sigma=0.3).texts == whole


def test_a_gpu_without_any_room_is_said(
    tiny: SentenceVAE, monkeypatch: pytest.MonkeyPatch
) -> None:
    def never(*_: object) -> object:
        raise torch.cuda.OutOfMemoryError

    monkeypatch.setattr("publius.autoencoder.sentence_vae.decode", never)
    with pytest.raises(ParameterError, match="--device cpu"):
        tiny.rewrite(TEXTS, seeded(0), sigma=0.3)


@pytest.mark.parametrize("bad", [{"strategy": "magic"}, {"mass": 0.0}, {"beams": 0},
                                 {"temperature": 0.0}, {"best": 0}])  # fmt: skip
def test_bad_decodings_are_refused(bad: dict[str, object]) -> None:
    with pytest.raises((ParameterError, UnknownNameError)):
        Decoding(**bad)  # type: ignore[arg-type]


@pytest.mark.parametrize("bad", [{"kind": "gan"}, {"network": "cnn"}, {"latent": 0},
                                 {"bound": 0.0}, {"max_tokens": 1}])  # fmt: skip
def test_bad_architectures_are_refused(bad: dict[str, object]) -> None:
    with pytest.raises((ParameterError, UnknownNameError)):
        Architecture(**bad)  # type: ignore[arg-type]


def test_a_model_goes_on_from_another_with_labels(tiny: SentenceVAE) -> None:
    texts = ["the movie was good.", "this film is bad!"] * 20
    training = Training(epochs=1, batch=16, device="cpu", patience=0)
    again = SentenceVAE.fit(
        texts, labels=["up", "down"] * 20, training=training, start=tiny
    )
    assert again.shape == tiny.shape
    assert again.subwords.written == tiny.subwords.written
    with pytest.raises(DataError, match="one label for each text"):
        SentenceVAE.fit(texts, labels=["up"], training=training, start=tiny)


def test_an_aae_is_asked_to_hide_authors_unless_told_otherwise(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[Training] = []

    def noted(*given: object, **_: object) -> object:
        asked.append(given[2])  # type: ignore[arg-type]
        return build(given[0], seed=0)  # type: ignore[arg-type]

    monkeypatch.setattr(front, "train", noted)
    texts, authors = ["the movie was good.", "this film is bad!"], ["ann", "bob"]
    for kind in ("dp-aae", "dp-vae"):
        shape = Architecture(kind=kind, vocabulary=300, width=8, hidden=8)
        SentenceVAE.fit(texts, authors=authors, shape=shape)
    hiding, plain = asked
    assert hiding.weights == Weights.hiding()
    assert hiding.noise == (0.01, 100.0)
    assert plain == Training()


def test_content_words_are_no_function_words(tiny: SentenceVAE) -> None:
    words = tiny.subwords.decode([[i] for i in range(tiny.subwords.size)])
    found = {w for w, is_in in zip(words, tiny.subwords.content_words(), strict=True)
             if is_in}  # fmt: skip
    assert "movie" in found
    assert not {"the", "was", "!", "."} & found


def test_texts_without_sentences_cannot_be_learnt() -> None:
    with pytest.raises(DataError, match="at least two sentences"):
        SentenceVAE.fit(["", " "])
