"""What others may rely on: keys of JSON, the dumped channel, draws that follow it."""

import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.stats import chi2

import publius as pb
from publius.core.config import WordSettings
from publius.materials.words.assemble import sanitizer

ALPHA = 1e-9
N = 60
METRICS = ["hop", "euclidean", "angular"]


def parsed(text: str) -> Any:
    """Read JSON that must not hold NaN or infinity."""

    def refuse(name: str) -> None:
        raise AssertionError(name)

    return json.loads(text, parse_constant=refuse)


def certified(publius: Callable[..., Any], metric: str, epsilon: float) -> Any:
    options = ("--epsilon", epsilon, "--vocabulary", N, "--metric", metric)
    done = publius("certify", *options, "--dump-channel", "c.npz", "--json")
    assert done.code == 0, done.err
    assert done.err == ""
    return parsed(done.out)


@pytest.mark.parametrize("balanced", [True, False])
@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("epsilon", [0.5, 3.0])
def test_the_certificate_follows_from_the_dumped_channel(
    publius: Callable[..., Any],
    tmp_path: Path,
    metric: str,
    epsilon: float,
    balanced: bool,  # noqa: FBT001
) -> None:
    options = ("--epsilon", epsilon, "--vocabulary", N, "--metric", metric)
    plain = () if balanced else ("--plain",)
    done = publius("certify", *options, *plain, "--dump-channel", "c.npz", "--json")
    said = parsed(done.out)
    with np.load(tmp_path / "c.npz", allow_pickle=False) as dumped:
        words, log_prob, distance = (
            dumped[k] for k in ("words", "log_prob", "distance")
        )
        unknown = dumped["log_prob_unknown"]
    assert words.shape == (N,)
    assert log_prob.shape == distance.shape == (N, N)
    assert np.allclose(np.exp(log_prob).sum(axis=1), 1, atol=1e-9)
    assert np.array_equal(distance, distance.T)
    assert not np.diag(distance).any()
    loss = np.abs(log_prob[:, None, :] - log_prob[None, :, :]).max(axis=2)
    apart = distance > 0
    ratio = loss[apart] / distance[apart]
    assert ratio.max() <= said["epsilon"] + 1e-12 <= epsilon + 1e-12
    assert ratio.max() >= said["epsilon"] - said["slack"] - 1e-6
    assert loss.max() <= said["worst_loss"] + 1e-12
    assert loss.max() >= said["worst_loss"] - 1e-6
    assert np.abs(log_prob - unknown).max() <= said["unknown_loss"] + 1e-12
    rank = {word: place for place, word in enumerate(words.tolist())}
    one, other = (rank[word] for word in said["worst_pair"])
    attained = loss[one, other] / distance[one, other]
    assert attained >= said["epsilon"] - said["slack"] - 1e-6
    near = np.median(np.sort(distance, axis=1)[:, 10])
    # The worst loss also bounds the level where few words are that near.
    level = min(said["epsilon"] * near, said["worst_loss"])
    assert said["level_at_10th_neighbour"] == pytest.approx(level, rel=1e-6)


def fits(counts: Any, probability: Any) -> float:
    """Return the p-value of counts under a law; rare outputs are put together."""
    expected = probability * counts.sum()
    common = expected >= 5
    seen = np.append(counts[common], counts[~common].sum())
    wanted = np.append(expected[common], expected[~common].sum())
    seen, wanted = seen[wanted > 0], wanted[wanted > 0]
    return float(chi2.sf(((seen - wanted) ** 2 / wanted).sum(), len(wanted) - 1))


@pytest.mark.statistical
@pytest.mark.parametrize("metric", METRICS)
def test_draws_follow_the_dumped_channel(
    publius: Callable[..., Any], tmp_path: Path, metric: str, seed: int
) -> None:
    certified(publius, metric, 3.0)
    with np.load(tmp_path / "c.npz", allow_pickle=False) as dumped:
        words, law = dumped["words"].tolist(), np.exp(dumped["log_prob"])
        unknown = np.exp(dumped["log_prob_unknown"])
    settings = WordSettings(vocabulary=N, metric=metric, epsilon=3.0, protect="all")
    used = sanitizer(settings)
    rank = {word: place for place, word in enumerate(words)}
    asked = [w for w in words if w.isalpha()][:: N // 6]
    for number, (word, row) in enumerate(
        [*((w, law[rank[w]]) for w in asked), ("qwertz", unknown)]
    ):
        text = " ".join([word] * 40_000)
        released = used.release([text], pb.rng.seeded(seed * 100 + number)).texts[0]
        drawn = np.array([rank[w] for w in released.split(" ")])
        counts = np.bincount(drawn, minlength=N)
        assert fits(counts, row) > ALPHA, word
        # A decay that is 8 % off, or every other word an eighth too likely, is seen.
        tilted, skewed = row**1.08, row * (1 + 0.125 * (np.arange(N) % 2))
        assert min(fits(counts, w / w.sum()) for w in (tilted, skewed)) < ALPHA, word


@pytest.mark.statistical
def test_try_follows_the_channel(
    publius: Callable[..., Any], tmp_path: Path, seed: int
) -> None:
    certified(publius, "hop", 4.0)
    with np.load(tmp_path / "c.npz", allow_pickle=False) as dumped:
        words, law = dumped["words"].tolist(), np.exp(dumped["log_prob"])
    word = next(w for w in reversed(words) if w.isalpha() and len(w) > 3)
    text = " ".join([word] * 30_000)
    options = ("--vocabulary", N, "--protect", "all", "--seed", seed, "--json")
    said = parsed(publius("try", text, "--epsilon", 4, *options).out)
    rank = {w: place for place, w in enumerate(words)}
    counts = np.bincount([rank[w] for w in said["released"].split(" ")], minlength=N)
    row = law[rank[word]]
    assert fits(counts, row) > ALPHA
    tilted = row**1.1 / (row**1.1).sum()
    assert fits(counts, tilted) < ALPHA


def test_certify_json(publius: Callable[..., Any]) -> None:
    said = certified(publius, "hop", 4.0)
    keys = {
        "epsilon",
        "beta",
        "worst_pair",
        "worst_loss",
        "level_at_10th_neighbour",
        "slack",
    }
    assert keys <= set(said)
    assert said["beta"] <= said["epsilon"] <= 4.0
    assert len(said["worst_pair"]) == 2
    assert said["worst_loss"] >= said["level_at_10th_neighbour"]


def test_certify_without_an_archive(
    publius: Callable[..., Any], tmp_path: Path
) -> None:
    done = publius("certify", "--epsilon", 2, "--vocabulary", N)
    assert done.code == 0
    assert "worst_pair" in done.out
    assert list(tmp_path.iterdir()) == []
    (tmp_path / "no").write_text("a file, where a folder would have to be")
    done = publius(
        "certify", "--epsilon", 2, "--vocabulary", N, "--dump-channel", "no/c.npz"
    )
    assert (done.code, done.err.count("\n")) == (1, 1)


@pytest.mark.parametrize(
    ("mechanism", "law"), [("exponential", "exponential.v1"), ("laplace", "laplace.v2")]
)
def test_try_json(publius: Callable[..., Any], mechanism: str, law: str) -> None:
    options = ("--mechanism", mechanism, "--epsilon", 6, "--vocabulary", N, "--seed", 2)
    done = publius("try", "The people saw qwertz.", *options, "--json")
    said = parsed(done.out)
    assert said["original"] == "The people saw qwertz."
    assert said["released"].startswith("The ")
    assert said["released"].endswith(".")
    assert "qwertz" not in said["released"]
    assert said["protected_words"] == 3
    assert said["secure"] is False
    assert said["mechanism"] == law
    assert said["loss_of_the_text"] > 0
    assert set(said["guarantee"]) >= {"metric", "unit", "terms", "covered", "uncovered"}
    again = publius("try", "The people saw qwertz.", *options, "--json")
    assert again.out == done.out


def test_try_is_secure_without_a_seed(publius: Callable[..., Any]) -> None:
    options = ("--epsilon", 0.1, "--vocabulary", N, "--json")
    one, other = (
        parsed(publius("try", "people " * 30, *options).out) for _ in range(2)
    )
    assert one["secure"] is True
    assert one["released"] != other["released"]


def test_try_of_nothing(publius: Callable[..., Any]) -> None:
    said = parsed(publius("try", "", "--vocabulary", N, "--oov", "mask", "--json").out)
    assert (said["released"], said["protected_words"]) == ("", 0)
    assert said["loss_of_the_text"] == 0


def test_try_shows_brackets_as_they_are(publius: Callable[..., Any]) -> None:
    done = publius("try", "[red]the[/red] [/b]", "--vocabulary", N)
    assert done.code == 0
    assert "[red]the[/red] [/b]" in done.out


def test_explain_json(publius: Callable[..., Any]) -> None:
    options = ("--epsilon", 4, "--vocabulary", N, "--best", 5)
    said = parsed(publius("explain", "People", *options, "--json").out)
    assert said["word"] == "people"
    shares = [item["probability"] for item in said["replacements"]]
    assert len(shares) == 5
    assert shares == sorted(shares, reverse=True)
    assert math.isclose(sum(shares) + said["other_words"], 1, rel_tol=1e-9)
    assert said["exact"] is True
    assert {"unchanged", "distinct_outputs", "explanations", "neighbours"} <= set(said)
    assert "people" in publius("explain", "people", *options).out


def test_explain_an_unknown_word_does_not_repeat_it(
    publius: Callable[..., Any],
) -> None:
    done = publius("explain", "qwertz", "--vocabulary", N)
    assert done.code == 1
    assert "qwertz" not in done.out + done.err


def test_calibrate_json(publius: Callable[..., Any], tmp_path: Path) -> None:
    options = ("--grid", "1,3", "--vocabulary", N, "--plot", "curves.svg")
    said = parsed(publius("calibrate", *options, "--json").out)
    low, high = said["rows"]
    assert (low["epsilon"], high["epsilon"]) == (1.0, 3.0)
    assert low["unchanged"] < high["unchanged"]
    assert all(1 <= row["explanations"] <= N for row in (low, high))
    assert {"level_at_10th_neighbour", "worst_loss", "distinct_outputs"} <= set(low)
    assert (tmp_path / "curves.svg").read_text().startswith("<svg")


def test_calibrate_one_epsilon_and_a_target(publius: Callable[..., Any]) -> None:
    options = ("--vocabulary", N, "--json")
    said = parsed(publius("calibrate", "--epsilon", 2, *options).out)
    assert [row["epsilon"] for row in said["rows"]] == [2.0]
    target = ("--epsilon", 2, "--target", "unchanged=0.5")
    found = parsed(publius("calibrate", *target, *options).out)["found"]
    assert found["unchanged"] == pytest.approx(0.5, abs=0.02)


@pytest.mark.parametrize(
    "bad",
    [
        ("--grid", "1,x"),
        ("--grid", "1,2", "--epsilon", "3"),
        ("--target", "unchanged=2"),
        ("--grid", "nan"),
    ],
)
def test_calibrate_refuses(publius: Callable[..., Any], bad: tuple[str, str]) -> None:
    done = publius("calibrate", *bad, "--vocabulary", N)
    assert (done.code, done.err.count("\n")) == (1, 1)


def test_embeddings_json(publius: Callable[..., Any], tmp_path: Path) -> None:
    listed = parsed(publius("embeddings", "list", "--json").out)["embeddings"]
    assert {row["name"] for row in listed} >= {
        "glove-50k",
        "glove-full",
        "word2vec-26k",
    }
    said = parsed(publius("embeddings", "info", "glove-50k", "--json").out)
    assert (said["words"], said["dim"]) == (50_000, 100)
    (tmp_path / "e.vec").write_text("2 2\na 1 2\nb 3 4\n")
    assert publius("embeddings", "convert", "e.vec", "e.publius").code == 0
    info = parsed(publius("embeddings", "info", "e.publius", "--json").out)
    assert info["words"] == 2


def test_library_contract() -> None:
    assert isinstance(pb.rng.seeded(3), np.random.Generator)
    assert isinstance(pb.rng.secure(), np.random.Generator)
    one, other = pb.rng.seeded(3), pb.rng.seeded(3)
    assert one.bytes(16) == other.bytes(16)
    used = sanitizer(WordSettings(vocabulary=N))
    assert isinstance(used, pb.Sanitizer)
    assert (
        used.release(["people"]).texts[0]
        in pb.load_embedding("glove-50k", N).vocabulary.words
    )
