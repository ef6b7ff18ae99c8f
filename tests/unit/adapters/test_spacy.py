"""The spaCy component, in a pipeline without a model."""

from pathlib import Path

import pytest

import publius as pb

spacy = pytest.importorskip(
    "spacy", reason="needs publius[spacy]", exc_type=ImportError
)

from publius.adapters.spacy import FACTORY, Releasing
from publius.core.errors import ParameterError, UnknownNameError

SETTINGS = {"vocabulary": 200, "epsilon": 0.01}
TEXT = "People said: vote! The government of the world."


def pipeline(**settings: object) -> "spacy.language.Language":
    nlp = spacy.blank("en")
    nlp.add_pipe(FACTORY, config={"settings": {**SETTINGS, **settings}})
    return nlp


def test_a_document_has_its_released_text_and_keeps_its_own() -> None:
    doc = pipeline()(TEXT)
    assert doc.text == TEXT
    assert doc._.released != TEXT
    assert doc._.released.endswith(" of the " + doc._.released.split()[-1])


def test_documents_are_released_in_batches_with_noise_of_their_own() -> None:
    docs = list(pipeline().pipe([TEXT] * 5, batch_size=2))
    assert len({doc._.released for doc in docs}) == 5


def test_the_guarantee_is_that_of_the_settings() -> None:
    component = pipeline().get_pipe(FACTORY)
    assert isinstance(component, Releasing)
    assert component.settings == pb.WordSettings(vocabulary=200, epsilon=0.01)
    assert component.guarantee().terms


def test_a_pipeline_on_disk_holds_settings_only(tmp_path: Path) -> None:
    pipeline().to_disk(tmp_path / "nlp")
    again = spacy.load(tmp_path / "nlp")
    assert again(TEXT)._.released != TEXT
    size = sum(f.stat().st_size for f in tmp_path.rglob("*") if f.is_file())
    assert size < 1_000_000


def test_what_is_no_setting_is_refused_when_the_pipe_is_added() -> None:
    with pytest.raises(UnknownNameError, match="epsilon"):
        pipeline(epsilom=3.0)


def test_a_stream_of_documents_is_no_corpus() -> None:
    with pytest.raises(ParameterError, match='use consistent="text"'):
        pipeline(consistent="corpus")
