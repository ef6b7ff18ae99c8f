"""The dial: what it says of two words is true of these two words."""

import re

import numpy as np
import pytest
from starlette.testclient import TestClient

from publius.core.config import WordSettings
from publius.core.mechanism import Finite
from publius.materials.words.assemble import resolved, word_embedding, word_mechanism
from publius.studio import drafts, release, write
from publius.studio.dial import PAIR, Dial
from publius.studio.drafts import RETELLING
from publius.studio.slider import DEFAULT, STEPS

SETTINGS = [WordSettings(), WordSettings(metric="hop", epsilon=4.0)]


@pytest.mark.parametrize("settings", SETTINGS, ids=["like", "hop"])
def test_the_law_of_the_two_words_keeps_the_bound(settings: WordSettings) -> None:
    chosen = resolved(settings)
    dial, mechanism = Dial.of(chosen), word_mechanism(chosen)
    assert isinstance(mechanism, Finite)
    law = mechanism.channel(word_embedding(chosen).vocabulary.encode(PAIR))
    drawn = np.isfinite(law).all(axis=0)
    assert (np.isfinite(law).any(axis=0) == drawn).all()
    loss = np.abs(law[0, drawn] - law[1, drawn]).max()
    assert 0.5 * dial.pair < loss <= dial.pair < dial.worst


@pytest.mark.parametrize("settings", SETTINGS, ids=["like", "hop"])
def test_the_two_words_are_near(settings: WordSettings) -> None:
    dial = Dial.of(resolved(settings))
    assert dial.pair == pytest.approx(dial.epsilon, rel=1e-3)


@pytest.mark.parametrize("step", [0, DEFAULT, len(STEPS) - 1])
def test_the_page_states_the_odds_of_the_pair(browser: TestClient, step: int) -> None:
    shown = browser.post("/write/preview", data={"text": "a house", "step": str(step)})
    stated = re.search(r"at most ([\d,.]+) to 1", shown.text)
    assert stated is not None
    factor = float(stated[1].replace(",", ""))
    assert np.exp(STEPS[step]) * 0.99 < factor < np.exp(STEPS[step]) * 1.01
    assert "unit of the metric “like”" in shown.text


def test_retold_texts_state_the_settings_that_run(
    browser: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = {"text": "a house", "manner": "retell"}
    sent = {"file": ("a.csv", b"body\nthe old house\n")}

    def told() -> tuple[str, str]:
        page = browser.post("/write/preview", data=given).text
        return page, browser.post("/release/file", files=sent).text

    assert all(f"drawn at ε = {RETELLING.epsilon:g} on" in page for page in told())
    other = drafts.RetellSettings(epsilon=1.5)
    monkeypatch.setattr(write, "RETELLING", other)
    monkeypatch.setattr(release, "RETELLING", other)
    assert all("drawn at ε = 1.5 on" in page for page in told())


def test_a_missing_writer_says_how_to_get_it(
    browser: TestClient, monkeypatch: pytest.MonkeyPatch, tmp_path: object
) -> None:
    monkeypatch.setenv("PUBLIUS_CACHE", str(tmp_path))
    given = {"text": "the old house", "manner": "retell", "now": "yes"}
    for path in ("/write/preview", "/write/release"):
        shown = browser.post(path, data=given).text
        assert "nothing was drawn" in shown
        assert "publius retelling get" in shown
        assert "old house" not in shown


def test_another_draw_is_told_by_the_loss_of_any_two(browser: TestClient) -> None:
    given = {"text": "the old house", "step": str(DEFAULT), "tab": "a"}
    browser.post("/write/release", data=given)
    second = browser.post("/write/release", data=given).text
    assert "at most 22 instead of 11 for one word" in second
