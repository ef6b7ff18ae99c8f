"""The audit of whole texts: it refutes planted faults and clears correct releases."""

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result

import publius as pb
from publius.assessment.auditing import Plan
from publius.assessment.auditing.text_events import TextAudit, audit_releases
from publius.assessment.auditing.text_views import embedding_view, surface_views
from publius.assessment.auditing.texts import (
    Audited,
    audit_audited,
    audited,
    audited_sanitizer,
    mean_vectors,
)
from publius.cli import audit_command
from publius.core.arrays import IdArray, Rng
from publius.core.config import WordSettings
from publius.core.errors import DataError, RefutedError
from publius.core.guarantee import Guarantee
from publius.core.mechanism import Mechanism
from publius.core.rng import seeded
from publius.materials.words.assemble import resolved, sanitizer, word_space
from publius.materials.words.sanitizer import Sanitizer

PLAN = Plan(draws=4000)
A, B = "The people saw the government again.", "The people saw the president again."
NAMES = ("We saw quorble again.", "We saw zyxwins again.")


def settings(epsilon: float = 1.0, **changes: object) -> WordSettings:
    return resolved(WordSettings(vocabulary=100, epsilon=epsilon, **changes))  # type: ignore[arg-type]


def subject(epsilon: float = 1.0, **changes: object) -> Audited:
    return audited(settings(epsilon, **changes))


@dataclass(frozen=True)
class Stated:
    """A mechanism with another's guarantee."""

    drawn: Mechanism[IdArray, IdArray]
    guaranteed: Guarantee

    @property
    def name(self) -> str:
        return self.drawn.name

    def guarantee(self) -> Guarantee:
        return self.guaranteed

    def perturb(self, x: IdArray, rng: Rng) -> IdArray:
        return self.drawn.perturb(x, rng)


def stated(drawn: float, guaranteed: float, **changes: object) -> Audited:
    """Return the release of one ε that states another."""
    used = sanitizer(settings(drawn, **changes))
    right = sanitizer(settings(guaranteed, **changes))
    wrong = Stated(used.mechanism, right.mechanism.guarantee())
    lying = Sanitizer(right.tokenizer, right.embedding, wrong, right.oov)
    return audited_sanitizer(lying, word_space(settings(guaranteed, **changes)))


def audit(a: str, b: str, used: Audited, plan: Plan = PLAN) -> TextAudit:
    return audit_audited(a, b, used, plan=plan, rng=seeded(3))


@pytest.mark.parametrize("epsilon", [0.5, 1.0, 2.0])
def test_a_correct_release_is_cleared(epsilon: float) -> None:
    result = audit(A, B, subject(epsilon))
    assert not result.refutes_claim
    assert math.isfinite(result.verdict.claim)
    assert result.advantage.low <= result.most_advantage
    assert result.exact is not None
    assert result.verdict.epsilon.low <= result.exact


@pytest.mark.slow
@pytest.mark.parametrize(
    ("drawn", "claim"), [(15.0, 1.5), (2.0, 1.0)], ids=["cache that lies", "half noise"]
)
def test_a_law_of_another_epsilon_is_refuted(drawn: float, claim: float) -> None:
    assert audit(A, B, stated(drawn, claim), Plan(draws=16_000)).refutes_claim
    assert not audit(A, B, stated(claim, claim), Plan(draws=16_000)).refutes_claim


def test_a_layout_that_follows_the_secret_is_refuted() -> None:
    right = subject()

    def release(texts: list[str], rng: Rng) -> Sequence[str]:
        wide = ["government" in text for text in texts]
        drawn = zip(right.release(texts, rng), wide, strict=True)
        return [text.replace(" ", "  ", 1) if w else text for text, w in drawn]

    result = audit(A, B, Audited(release, right.certified, right.embed))
    assert result.refutes_claim
    assert result.verdict.event.startswith("layout")


def test_a_kept_unknown_word_is_refuted() -> None:
    right = subject()
    assert not audit(*NAMES, right).refutes_claim

    def release(texts: list[str], rng: Rng) -> Sequence[str]:
        kept = [text.split()[2] for text in texts]
        drawn = zip(right.release(texts, rng), kept, strict=True)
        return [" ".join([*text.split()[:2], k, "again."]) for text, k in drawn]

    result = audit(*NAMES, Audited(release, right.certified))
    assert result.verdict.claim == 0
    assert result.refutes_claim
    # The witness names no word of the texts.
    assert "quorble" not in json.dumps(result.to_json())


def test_one_draw_for_all_words_is_refuted() -> None:
    texts = "people people", "people years"
    right = subject(protect="all")
    used = sanitizer(settings(protect="all"))
    assert not audit(*texts, right).refutes_claim

    def release(batch: list[str], rng: Rng) -> Sequence[str]:
        words = used.embedding.vocabulary
        law = used.mechanism.channel(words.encode(batch[0].split()))  # type: ignore[attr-defined]
        noise = rng.gumbel(size=(len(batch), 1, words.size))
        drawn = np.argmax(law[None] + noise, axis=2)
        return [" ".join(words.words[i] for i in row) for row in drawn.tolist()]

    assert audit(*texts, Audited(release, right.certified)).refutes_claim


def test_losses_of_repeated_words_add() -> None:
    a, b = " ".join(["people"] * 6), " ".join(["years"] * 6)
    right = subject(2.0)
    six = audit(a, b, right)
    one = audit("people", "years", right)
    assert six.verdict.claim == pytest.approx(6 * one.verdict.claim)
    assert not six.refutes_claim
    # Whoever states the loss of one word for all six is refuted.
    low = Audited(right.release, lambda *_: right.certified("people", "years"))
    assert audit(a, b, low).refutes_claim


@pytest.mark.parametrize("scope", ["text", "corpus"])
def test_equal_draws_keep_their_own_guarantee(scope: str) -> None:
    right = subject(2.0, consistent=scope)
    a, b = "people people people", "years years years"
    result = audit(a, b, right)
    assert not result.refutes_claim
    assert math.isinf(audit(a, "people people years", right).verdict.claim)
    # Independent draws for every place lose more than this guarantee says.
    places = Audited(subject(2.0).release, right.certified)
    assert audit(a, b, places, Plan(draws=12_000)).refutes_claim


@pytest.mark.parametrize(
    "changes",
    [
        {"form": "bag"},
        {"form": "bag", "length": 3},
        {"form": "tf", "length": 3},
        {"oov": "mask"},
        {"mechanism": "laplace"},
        {"remap": "bayes"},
    ],
    ids=str,
)
def test_every_form_is_audited(changes: dict[str, object]) -> None:
    chosen = WordSettings(vocabulary=100, epsilon=2.0, **changes)  # type: ignore[arg-type]
    result = pb.audit_texts(A, B, chosen, plan=Plan(draws=400), rng=seeded(1))
    assert not result.refutes_claim
    assert result.verdict.claim > 0


def test_texts_of_another_layout_are_told_apart_without_a_refutation() -> None:
    result = audit(A, B.replace("again", "Again"), subject())
    assert math.isinf(result.verdict.claim)
    assert not result.refutes_claim
    assert result.advantage.low > 0.9
    assert result.remarks
    assert result.to_json()["certified"] is None


def test_the_same_seed_gives_the_same_result() -> None:
    one, other = (audit(A, B, subject(), Plan(draws=400)) for _ in range(2))
    assert one == other


def test_a_claim_with_delta_is_refuted_only_beyond_it() -> None:
    def draw(which: int, count: int, rng: Rng) -> list[str]:
        rare = rng.random(count) < 0.05
        return ["rare" if which == 0 and r else "usual" for r in rare.tolist()]

    plan = Plan(draws=4000)
    assert audit_releases(draw, 1.0, plan, seeded(0)).refutes_claim
    assert not audit_releases(draw, 1.0, plan, seeded(0), delta=0.06).refutes_claim


def test_every_view_tells_something_apart() -> None:
    x = ["A b  cc cc", "A b  cc dd"] * 50
    other = ["a b c", "e f g"] * 50
    used = sanitizer(settings())
    views = [*surface_views(), embedding_view(mean_vectors(used.embedding))]
    for view in views[:-1]:
        score = view.learn(x, other)
        assert score(x).mean() > score(other).mean(), view.name
    words = used.embedding.vocabulary.words
    score = views[-1].learn([words[40]] * 9, [words[60]] * 9)
    assert score([words[40]])[0] > score([words[60]])[0]


def run(folder: Path, *arguments: str, **texts: str) -> Result:
    for name, text in texts.items():
        (folder / f"{name}.txt").write_text(text, encoding="utf-8")
    paths = ("--texts", str(folder / "a.txt"), str(folder / "b.txt"))
    return CliRunner().invoke(audit_command.command, [*paths, *arguments])


def test_the_command(tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text("[words]\nvocabulary = 100\nepsilon = 1.0\n")
    options = ("--settings", str(file), "--draws", "2000")
    done = run(tmp_path, *options, "--json", a=A, b=B)
    assert done.exception is None
    found = json.loads(done.stdout)
    assert found["refuted"] is False
    assert 0 <= found["loss_low"] < found["certified"] < found["reach"]
    assert "government" not in done.stdout
    plain = run(tmp_path, *options, a=A, b=B)
    assert "certified loss between the two texts" in plain.stdout
    assert "not refuted" in plain.stdout
    other = run(tmp_path, *options, a=A, b=B.replace("The", "the"))
    assert "no bound covers" in other.stdout


def test_the_command_refutes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lying = stated(15.0, 1.5)
    monkeypatch.setattr("publius.services.audit.audited", lambda _: lying)
    done = run(tmp_path, "--draws", "2000", a=A, b=B)
    assert isinstance(done.exception, RefutedError)
    assert done.exception.exit_code == 3
    assert "takes" in done.stdout


def test_a_text_in_the_place_of_its_file_is_not_repeated() -> None:
    asked = ("--texts", "The doctor", "x" * 300)
    refused = CliRunner().invoke(audit_command.command, asked)
    assert isinstance(refused.exception, DataError)
    assert "the first of --texts" in str(refused.exception)
    assert "doctor" not in str(refused.exception)


def test_the_command_refuses(tmp_path: Path) -> None:
    assert run(tmp_path, "--epsilon", "1", a=A, b=B).exit_code == 2
    assert run(tmp_path, "--exec", "x", a=A, b=B).exit_code == 2
    lone = CliRunner().invoke(audit_command.command, ["--channel", "x"])
    assert lone.exit_code == 2
    missing = run(tmp_path, "--settings", str(tmp_path / "no.toml"), a=A, b=B)
    assert isinstance(missing.exception, DataError)
    (tmp_path / "b.txt").write_bytes(b"\xff")
    assert isinstance(run(tmp_path, a=A).exception, DataError)
    both = tmp_path / "both.toml"
    both.write_text('[words]\nmechanism = "dp-vae"\nepsilon = 2.0\n')
    assert "sentences" in str(run(tmp_path, "--settings", str(both), b=B).exception)
