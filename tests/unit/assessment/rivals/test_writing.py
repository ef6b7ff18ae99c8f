"""Rivals that write by a language model: on a tiny one, piece by piece."""

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from publius.assessment.rivals.asking import (
    ContextReplacement,
    Language,
    PriorReplacement,
    PromptedParaphrase,
    write,
)
from publius.assessment.rivals.clipped import ClippedScores
from publius.assessment.rivals.lexicon import Lexicon
from publius.assessment.rivals.passages import content_of, cut_after, with_words
from publius.assessment.rivals.prior import PriorExponential
from publius.assessment.rivals.slots import FREE, Script, filled, slots_of, until
from publius.assessment.rivals.steps import ModelSteps
from publius.core.arrays import FloatArray, IdArray, Rng
from publius.embeddings.vocabulary import Vocabulary
from publius.language.models.causal.llama import CausalModel

TESTS = Path(__file__).parents[2]
SCRIPTS = TESTS.parents[1] / "scripts"
WORDS = ("film", "story", "london")


def _module(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules.setdefault(path.stem, module)
    spec.loader.exec_module(module)
    return module


def _model() -> CausalModel:
    found = _module(TESTS / "retelling" / "test_decoder.py").tiny_model()
    assert isinstance(found, CausalModel)
    return found


def _language(model: CausalModel) -> Language:
    """Return three words that a letter each stands for."""
    pieces = np.array([model.tokenizer.encode(letter)[0] for letter in "xyz"])
    away = 1.0 - np.eye(3)
    lexicon = Lexicon(pieces, away, np.arange(3), WORDS)
    return Language(model.tokenizer, lexicon, Vocabulary(WORDS))


def test_steps_give_the_scores_of_whole_passes() -> None:
    model = _model()
    steps, rows = ModelSteps(model), np.array([[5, 9, 7, 30], [6, 6, 8, 31]])
    scores = [steps.begin([row[:2] for row in rows.tolist()], 3)]
    scores += [steps.advance(rows[:, 2]), steps.advance(rows[:, 3])]
    for place, found in enumerate(scores):
        before = rows[:, : place + 2]
        for row in range(2):
            every = np.arange(found.shape[1])
            after = np.tile(before[row], (len(every), 1))
            wanted = np.hstack([after[:, 1:], every[:, None]])
            log = model.log_probability(after, wanted)[:, -1]
            own = found[row] - np.logaddexp.reduce(found[row])
            assert own == pytest.approx(log, abs=1e-3)


def test_torch_reads_the_same_scores_as_numpy() -> None:
    pytest.importorskip("torch")
    model = _model()
    script = _module(SCRIPTS / "generate_rivals.py")
    prompts = [[5, 9, 7], [6], [8, 8]]
    steps, other = ModelSteps(model), script.Llama(model.weights, model.shape, "cpu")
    assert other.begin(prompts, 2).numpy() == pytest.approx(
        steps.begin(prompts, 2), abs=1e-3
    )
    pieces = np.array([4, 5, 6])
    read = other.advance(script.torch.from_numpy(pieces)).numpy()
    assert read == pytest.approx(steps.advance(pieces), abs=1e-3)


def test_torch_draws_by_the_laws_of_the_lab(seed: int) -> None:
    pytest.importorskip("torch")
    script = _module(SCRIPTS / "generate_rivals.py")
    law = PriorExponential.balanced(1.0 - np.eye(3), 1.5, 2.0)
    bundle = {"pieces": np.arange(3), "distances": (1 - np.eye(3)).astype(np.uint8)}
    laws = script.Laws({**bundle, "base1": law.base}, "cpu", seed)
    scores, n = np.array([0.5, -0.7, -9.0]), 40_000
    rows = script.torch.from_numpy(np.tile(scores, (n, 1))).float()
    for secret in (1, 3):
        run = {"kind": "prior", "width": 2.0, "rate": 1.5, "base": "base1"}
        own = script.torch.full((n,), secret)
        count = np.bincount(laws.draw(run, rows, own).numpy(), minlength=3) / n
        right = np.exp(law.log_law(scores[None], np.array([secret]))[0])
        assert count == pytest.approx(right, abs=0.015)
    run = {"kind": "clipped", "width": 2.0, "temperature": 0.8}
    count = np.bincount(laws.draw(run, rows, own).numpy(), minlength=3) / n
    right = np.exp(ClippedScores(2.0, 0.8).log_law(scores))
    assert count == pytest.approx(right, abs=0.015)


def test_slots_keep_what_passes_and_open_what_is_secret() -> None:
    model = _model()
    language = _language(model)
    slots = slots_of("The film, and a Stranger", model.tokenizer, language.lexicon,
                     language.vocabulary)  # fmt: skip
    encode = model.tokenizer.encode
    assert slots == (*encode("The"), -2, *encode(", and a"), -5)


def test_given_pieces_stay_and_secrets_reach_the_draw() -> None:
    seen: list[int] = []

    def draw(scores: FloatArray, secret: IdArray, rng: Rng) -> IdArray:
        del scores, rng
        seen.extend(secret.tolist())
        return np.full(len(secret), 9)

    scripts = [Script((5,), (6, -2, 7)), Script((5, 6), (FREE,)), Script((5,), (-4,))]
    found = filled(ModelSteps(_model()), scripts, draw, np.random.default_rng(0),
                   batch=2)  # fmt: skip
    assert found == [[6, 9, 7], [9], [9]]
    assert sorted(seen) == [FREE, 0, 2]


def test_rows_do_not_disturb_each_other() -> None:
    def draw(scores: FloatArray, secret: IdArray, rng: Rng) -> IdArray:
        del secret, rng
        return np.argmax(scores, axis=1)

    scripts = [Script((5, 9), (FREE,) * 4), Script((30,), (FREE,) * 2)]
    rng = np.random.default_rng(0)
    alone = [filled(ModelSteps(_model()), [s], draw, rng)[0] for s in scripts]
    assert filled(ModelSteps(_model()), scripts, draw, rng) == alone


def test_a_prior_reads_released_words_only() -> None:
    """Until the first draw, texts with other secrets give the model the same."""
    model = _model()
    language = _language(model)
    law = PriorExponential.balanced(1.0 - np.eye(3), 1.0, 2.0)
    asking = PriorReplacement(language, law)
    one, other = asking.scripts(["the film and the story", "the london and the film"])
    assert one.prompt == other.prompt
    assert [s if s >= 0 else None for s in one.slots] == [
        s if s >= 0 else None for s in other.slots
    ]


def test_a_replacement_in_context_shows_the_original_to_the_model() -> None:
    language = _language(_model())
    asking = ContextReplacement(language, ClippedScores(2.0, 1.0))
    one, other = asking.scripts(["the film and the story", "the film and the london"])
    # The secret of a later place is read before the first draw.
    assert one.prompt != other.prompt


@pytest.mark.parametrize("kind", ["prompt", "context", "prior"])
def test_every_rival_writes(kind: str, seed: int) -> None:
    model = _model()
    language = _language(model)
    law = ClippedScores(5.0, 1.0)
    asking = {
        "prompt": PromptedParaphrase(language, law, 7),
        "context": ContextReplacement(language, law),
        "prior": PriorReplacement(
            language, PriorExponential.balanced(1.0 - np.eye(3), 1.0, 2.0)
        ),
    }[kind]
    texts = ["The film is a story.", "London"]
    rng = np.random.default_rng(seed)
    found = write(ModelSteps(model), asking, texts, rng)
    assert len(found) == 2
    if kind != "prompt":
        assert set(found[1]) <= set("xyz")
        assert "film" not in found[0]


def test_texts_are_cut_after_content_words() -> None:
    text = "The film  is a long story, and it ends."
    assert cut_after(text, 2) == "The film is a long"
    assert cut_after(text, 5) is None
    assert content_of("The film is Long") == ["film", "long"]
    assert with_words("The film, is Long!", ["a", "b"]) == "The a, is b!"
    assert until([4, 5, 0, 6], (0, 2)) == [4, 5]
