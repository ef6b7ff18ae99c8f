"""Rivals that write by a language model: on a tiny one, piece by piece."""

import importlib.util
import itertools
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


@pytest.fixture(autouse=True)
def _beside_each_other(monkeypatch: pytest.MonkeyPatch) -> None:
    # Scripts import their neighbours, as they do when they are run.
    monkeypatch.syspath_prepend(str(SCRIPTS))


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
    steps = ModelSteps(model)
    other = script.Llama(model.weights, model.shape, "cpu", script.torch.float32)
    state, hidden = other.begin(prompts)
    assert other.scores(hidden).numpy() == pytest.approx(
        steps.begin(prompts, 40), abs=1e-3
    )
    # More steps than memory has room for: it grows on the way.
    for pieces in np.random.default_rng(0).integers(4, 30, (40, 3)):
        hidden = other.advance(script.torch.from_numpy(pieces), state)
        scores = steps.advance(pieces)
    assert other.scores(hidden).numpy() == pytest.approx(scores, abs=1e-3)


def test_settings_share_a_prompt_and_do_not_touch_it() -> None:
    pytest.importorskip("torch")
    model = _model()
    script = _module(SCRIPTS / "generate_rivals.py")
    other = script.Llama(model.weights, model.shape, "cpu", script.torch.float32)
    bundle = {"pieces": np.arange(3), "distances": (1 - np.eye(3)).astype(np.uint8)}
    laws = script.Laws(bundle, "cpu")
    start = other.begin([[5, 9, 7], [6]])
    slots, run = [[-1] * 12, [7, -1, -1]], {"kind": "clipped", "width": 9.0, "ends": []}
    written = []
    for temperature in (1.0, 5.0, 1.0):
        laws.draws.manual_seed(3)
        run["temperature"] = temperature
        written.append(script.filled(other, start, slots, run, laws))
    assert written[0] == written[2] != written[1]
    assert written[0][1][0] == 7


def test_a_cut_run_goes_on_with_the_same_texts(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    model = _model()
    script = _module(SCRIPTS / "generate_rivals.py")
    llama = script.Llama(model.weights, model.shape, "cpu", script.torch.float32)
    run = {"name": "x", "draw": 0, "rows": "Asked", "kind": "clipped", "width": 9.0,
           "temperature": 1.0, "ends": [], "texts": 2}  # fmt: skip
    bundle = {
        "pieces": np.arange(3), "distances": (1 - np.eye(3)).astype(np.uint8),
        "Asked_prompt": np.array([5, 6, 7]), "Asked_prompt_counts": np.array([2, 1]),
        "Asked_slots": np.full(9, -1), "Asked_slots_counts": np.array([4, 5]),
        "runs": np.frombuffer(script.json.dumps([run]).encode(), dtype=np.uint8),
    }  # fmt: skip
    texts = []
    for out, parts in (("whole", [[0], [1]]), ("cut", [[0]]), ("cut", [[0], [1]])):
        work = script.Work(bundle, llama, tmp_path / out)
        for part in parts:
            work.write("Asked", part, model.tokenizer.decode)
        texts.append(dict(work.texts_of(run)))
    assert set(texts[1]) == {"0"}
    assert texts[0] == texts[2]


def test_torch_draws_by_the_laws_of_the_lab(seed: int) -> None:
    pytest.importorskip("torch")
    script = _module(SCRIPTS / "generate_rivals.py")
    law = PriorExponential.balanced(1.0 - np.eye(3), 1.5, 2.0)
    bundle = {"pieces": np.arange(3), "distances": (1 - np.eye(3)).astype(np.uint8)}
    laws = script.Laws({**bundle, "base1": law.base}, "cpu")
    laws.draws.manual_seed(seed)
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


def _inverting() -> ModuleType:
    """Return the script of the inverter, beside the scripts that it reads."""
    for name in ("generate_rivals", "measure_rivals"):
        _module(SCRIPTS / f"{name}.py")
    return _module(SCRIPTS / "invert_rivals.py")


def test_a_beam_finds_the_likeliest_words_of_a_text(seed: int) -> None:
    torch = pytest.importorskip("torch")
    model, script = _model(), _inverting()
    llama = script.Llama(model.weights, model.shape, "cpu", torch.float32)
    pieces = torch.tensor([9, 10])
    channel = torch.from_numpy(np.random.default_rng(seed).normal(0, 2, (2, 2)))
    view = script.View([5, -2, 7, -3], channel.float())

    def score(words: tuple[int, int]) -> float:
        row = [script.BEGIN, 5, int(pieces[words[0]]), 7, int(pieces[words[1]])]
        read = model.log_probability(np.array([row[:-1]]), np.array([row[1:]]))
        return float(read.sum()) + float(channel[0, words[0]] + channel[1, words[1]])

    # Four sequences and a beam of four: nothing is lost on the way.
    best = max(itertools.product(range(2), repeat=2), key=score)
    (found,) = script.beamed(llama, pieces, [view])
    assert tuple(found) == best


def test_the_inverter_computes_the_channel_that_was_drawn_from() -> None:
    torch = pytest.importorskip("torch")
    model, script = _model(), _inverting()
    llama = script.Llama(model.weights, model.shape, "cpu", torch.float32)
    language = _language(model)
    law = PriorExponential.balanced(language.lexicon.distances, 1.5, 2.0)
    channels = script.Channels(PriorReplacement(language, law), llama)
    slots = [5, -3, 7, -2]
    rows = channels.of(slots).numpy()
    pieces, drawn = language.lexicon.pieces, (1, 0)
    for place, prefix in enumerate(([0, 5], [0, 5, int(pieces[1]), 7])):
        scores = ModelSteps(model).begin([prefix], 1)[0, pieces]
        exact = law.log_law(np.tile(scores, (3, 1)), np.arange(3))[:, drawn[place]]
        # Up to what is the same for every secret word.
        gap = rows[place] - exact
        assert gap - gap[0] == pytest.approx(np.zeros(3), abs=1e-3)
