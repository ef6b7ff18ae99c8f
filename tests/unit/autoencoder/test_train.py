"""The training loop: it learns, stops, resumes and logs."""

import csv
import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from publius.autoencoder import Architecture, Training, files
from publius.autoencoder.batches import Corpus, held_out_split
from publius.autoencoder.network import build
from publius.autoencoder.settings import Weights
from publius.autoencoder.subwords import packed
from publius.autoencoder.train import (
    Progress,
    TrainingFiles,
    _measure,
    _started,
    device_of,
    train,
)
from publius.core.errors import DataError, ParameterError

SHAPE = Architecture(
    vocabulary=20, width=16, hidden=16, encoder_layers=1, latent=4, max_tokens=8
)
SETTINGS = Training(
    epochs=3, batch=16, rate=1e-2, noise=(0.1, 0.1), patience=0, device="cpu",
    held_out=0.1,
)  # fmt: skip


def corpus(count: int = 80, *, authors: bool = False, labels: bool = False) -> Corpus:
    rng = np.random.default_rng(1)
    rows = [[4 + i % 16] * int(rng.integers(1, 7)) for i in range(count)]
    return Corpus(
        packed(rows),
        np.arange(count) % 2 if authors else None,
        np.arange(count) // 4 % 2 if labels else None,
    )


def equal(first: torch.nn.Module, second: torch.nn.Module) -> bool:
    pairs = zip(first.parameters(), second.parameters(), strict=True)
    return all(torch.equal(a, b) for a, b in pairs)


@pytest.mark.parametrize("network", ["gru", "transformer"])
@pytest.mark.parametrize("kind", ["vae", "dp-vae", "avg-aae", "dp-aae"])
def test_every_kind_learns(kind: str, network: str) -> None:
    told: list[Progress] = []
    shape = replace(SHAPE, kind=kind, network=network, authors=2, width=32)
    train(shape, corpus(authors=True), SETTINGS, TrainingFiles(watch=told.append))
    assert [each.epoch for each in told] == [1, 2, 3]
    assert told[-1].loss < min(told[0].loss, math.log(20))


@pytest.mark.parametrize("kind", ["dp-vae", "dp-aae"])
def test_a_resumed_run_equals_an_unbroken_one(kind: str, tmp_path: Path) -> None:
    shape = replace(SHAPE, kind=kind, authors=2)
    given = corpus(authors=True)
    given = replace(given, labels=np.arange(len(given.tokens)) % 3)
    settings = replace(SETTINGS, weights=Training.usual(shape).weights)
    whole = train(shape, given, settings)
    files = TrainingFiles(checkpoint=tmp_path / "kept.safetensors")

    class Stop(Exception):  # noqa: N818 - stands for a lost connection
        pass

    def stop(told: Progress) -> None:
        if told.epoch == 2:
            raise Stop

    with pytest.raises(Stop):
        train(shape, given, settings, replace(files, watch=stop))
    resumed = train(shape, given, settings, replace(files, resume=True))
    assert equal(whole, resumed)
    assert not equal(whole, train(shape, given, replace(settings, seed=1)))


def test_resuming_without_a_checkpoint_starts_anew(tmp_path: Path) -> None:
    files = TrainingFiles(checkpoint=tmp_path / "none", resume=True)
    assert equal(
        train(SHAPE, corpus(), SETTINGS, files), train(SHAPE, corpus(), SETTINGS)
    )


def test_a_checkpoint_of_another_architecture_is_refused(tmp_path: Path) -> None:
    files = TrainingFiles(checkpoint=tmp_path / "kept", resume=True)
    train(SHAPE, corpus(), replace(SETTINGS, epochs=1), files)
    with pytest.raises(ParameterError, match="another architecture"):
        train(replace(SHAPE, latent=5), corpus(), SETTINGS, files)


@pytest.mark.parametrize(("first", "second"), [(None, 2), (2, 3), (2, None)])
def test_a_checkpoint_of_other_labels_is_refused(
    first: int | None, second: int | None, tmp_path: Path
) -> None:
    files = TrainingFiles(checkpoint=tmp_path / "kept", resume=True)

    def labelled(count: int | None) -> Corpus:
        place = np.arange(len(corpus().tokens))
        return replace(corpus(), labels=None if count is None else place % count)

    train(SHAPE, labelled(first), replace(SETTINGS, epochs=1), files)
    with pytest.raises(ParameterError, match="other authors or labels"):
        train(SHAPE, labelled(second), SETTINGS, files)


def test_it_stops_when_nothing_gets_better(tmp_path: Path) -> None:
    log = tmp_path / "log.csv"
    settings = replace(SETTINGS, epochs=40, rate=3.0, patience=2)
    train(SHAPE, corpus(), settings, TrainingFiles(log=log))
    rows = list(csv.DictReader(log.read_text().splitlines()))
    assert len(rows) < 40
    losses = [float(row["held_out"]) for row in rows]
    assert min(losses[-2:]) >= min(losses[:-2])


def test_the_best_weights_are_kept_not_the_last() -> None:
    told: list[Progress] = []
    settings = replace(SETTINGS, epochs=8, rate=0.7, patience=2)
    network = train(SHAPE, corpus(), settings, TrainingFiles(watch=told.append))
    losses = [each.held_out for each in told]
    assert losses[-1] > min(losses)
    run = _started(SHAPE, corpus(), settings, torch.device("cpu"), network)
    measured = _measure(run, corpus(), held_out_split(80, settings)[1], settings)
    assert measured == pytest.approx(min(losses), rel=1e-5)


def test_a_time_limit_ends_a_run() -> None:
    told: list[Progress] = []
    settings = replace(SETTINGS, epochs=10_000, minutes=0.005)
    train(SHAPE, corpus(), settings, TrainingFiles(watch=told.append))
    assert 1 <= len(told) < 10_000
    assert told[-1].share == 1.0


def test_the_global_stream_of_torch_is_left_alone() -> None:
    before = torch.random.get_rng_state()
    train(SHAPE, corpus(), replace(SETTINGS, epochs=1))
    assert torch.equal(before, torch.random.get_rng_state())


def test_authors_are_needed_to_tell_them_apart() -> None:
    with pytest.raises(ParameterError, match="two known authors"):
        train(replace(SHAPE, kind="dp-aae", authors=2), corpus(), SETTINGS)


def test_a_run_can_go_on_from_another_kind() -> None:
    first = train(SHAPE, corpus(), replace(SETTINGS, epochs=6))
    told: list[Progress] = []
    again = replace(SETTINGS, epochs=1)
    train(SHAPE, corpus(), again, TrainingFiles(watch=told.append))
    train(SHAPE, corpus(), again, TrainingFiles(watch=told.append), start=first)
    assert told[1].loss < told[0].loss
    shape = replace(SHAPE, kind="dp-aae", authors=2)
    network = build(shape, seed=0)
    network.adopt(first)
    assert network.content is not None
    assert torch.equal(network.content.weight, first.mean.weight)
    assert torch.equal(network.words.weight, first.words.weight)


def test_an_encoder_of_content_alone_is_blind_to_function_words() -> None:
    shape = replace(SHAPE, content_only=True)
    is_content = np.arange(20) != 5
    given = replace(corpus(), is_content=is_content)
    network = train(shape, given, replace(SETTINGS, epochs=1))
    plain, filled, other = (
        network.encode(torch.tensor([row]), torch.tensor([3])).mean
        for row in ([7, 8, 0], [7, 5, 8], [7, 6, 8])
    )
    assert torch.allclose(plain, filled)
    assert not torch.allclose(plain, other)
    nothing = network.encode(torch.tensor([[5, 5, 5]]), torch.tensor([3])).mean
    assert torch.isfinite(nothing).all()


def test_labels_must_be_as_many_as_sentences() -> None:
    with pytest.raises(DataError, match="one label for each sentence"):
        Corpus(packed([[5, 6], [7]]), labels=np.zeros(3, np.int64))


def test_one_sentence_is_too_few() -> None:
    with pytest.raises(DataError, match="at least two sentences"):
        Corpus(packed([[5, 6]]))


def test_a_missing_gpu_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    with pytest.raises(ParameterError, match="no CUDA device"):
        device_of("cuda")
    assert device_of("auto").type == "cpu"


def test_a_gpu_that_is_too_small_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object, **__: object) -> None:
        raise torch.cuda.OutOfMemoryError

    monkeypatch.setattr("publius.autoencoder.train._epochs", full)
    with pytest.raises(ParameterError, match="smaller --batch"):
        train(SHAPE, corpus(), SETTINGS)


@pytest.mark.parametrize(
    "bad",
    [
        {"epochs": 0}, {"batch": 0}, {"rate": 0.0}, {"noise": (1.0, 0.5)},
        {"noise": (0.0, 1.0)}, {"word_dropout": 1.0}, {"device": "tpu"},
        {"minutes": -1.0},
    ],
)  # fmt: skip
def test_bad_settings_are_refused(bad: dict[str, object]) -> None:
    with pytest.raises(ParameterError):
        replace(Training(), **bad)  # type: ignore[arg-type]


def test_settings_survive_being_written() -> None:
    settings = Training(noise=(0.2, 0.4), weights=Weights(kl=0.5))
    assert Training.from_json(settings.to_json()) == settings
    with pytest.raises(DataError):
        Training.from_json("{}")


def test_a_network_depends_on_its_seed_alone() -> None:
    assert equal(build(SHAPE, seed=3), build(SHAPE, seed=3))
    assert not equal(build(SHAPE, seed=3), build(SHAPE, seed=4))


def test_a_checkpoint_is_a_safetensors_file(tmp_path: Path) -> None:
    run = TrainingFiles(checkpoint=tmp_path / "kept")
    train(SHAPE, corpus(), replace(SETTINGS, epochs=1), run)
    stored = files.read(tmp_path / "kept")
    assert files.number_of(stored, "epoch") == 1
    assert any(name.startswith("adam/") for name in stored.weights)


def test_the_held_out_loss_counts_what_a_label_costs() -> None:
    given = corpus(labels=True)

    def measured(weights: Weights) -> float:
        settings = replace(SETTINGS, weights=weights)
        run = _started(SHAPE, given, settings, torch.device("cpu"), None)
        return _measure(run, given, held_out_split(80, settings)[1], settings)

    silent = measured(Weights(label_motivator=0.0, label_words=0.0))
    asked = measured(Weights(label_motivator=500.0, label_words=0.0))
    # An untrained motivator of two labels costs log 2 a sentence of few sub-words.
    assert asked - silent > 500 * 0.5 * math.log(2) / 8
