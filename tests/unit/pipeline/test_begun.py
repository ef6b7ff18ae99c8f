"""A run that began under other defaults is resumed under its own."""

import json
from pathlib import Path
from typing import Any

import pytest

from publius.core.config import WordSettings
from publius.pipeline.begun import JOB, begun_with
from publius.pipeline.request import ReleaseRequest
from publius.tables.columns import Columns

OLD = {"metric": "hop:k=10:cap=4", "epsilon": 4.0}


def request(out: Path, *, resume: bool = True) -> ReleaseRequest[WordSettings]:
    return ReleaseRequest(
        path="posts.csv",
        out=out,
        columns=Columns(("text",)),
        settings=WordSettings(),
        resume=resume,
    )


@pytest.fixture
def begun(tmp_path: Path) -> Path:
    record = tmp_path / JOB
    record.parent.mkdir()
    record.write_text(json.dumps({"settings": OLD}))
    return tmp_path


@pytest.mark.parametrize(
    ("given", "metric", "epsilon"),
    [
        ({}, "hop:k=10:cap=4", 4.0),
        ({"epsilon": 4.0}, "hop:k=10:cap=4", 4.0),
        ({"metric": "like"}, "like", 4.0),
        ({"metric": "like", "epsilon": 3.0}, "like", 3.0),
    ],
)
def test_what_is_not_asked_for_is_what_the_run_began_with(
    begun: Path, given: dict[str, Any], metric: str, epsilon: float
) -> None:
    found = begun_with(request(begun), WordSettings(**given))
    assert (found.metric, found.epsilon) == (metric, epsilon)


def test_a_level_stays_a_level(begun: Path) -> None:
    found = begun_with(request(begun), WordSettings(level=3.0))
    assert (found.metric, found.epsilon, found.level) == (OLD["metric"], None, 3.0)


def test_a_new_run_and_a_bad_record_change_nothing(begun: Path) -> None:
    asked = WordSettings()
    assert begun_with(request(begun, resume=False), asked) == asked
    (begun / JOB).write_text("[")
    assert begun_with(request(begun), asked) == asked
    (begun / JOB).unlink()
    assert begun_with(request(begun), asked) == asked
