import math

import pytest

from publius.core.errors import ParameterError, UnknownNameError
from publius.embeddings.space_spec import DEFAULT_SPACE, SpaceSpec, parse_space


@pytest.mark.parametrize(
    ("text", "spec"),
    [
        ("euclidean", SpaceSpec("euclidean")),
        ("angular:cap=0.5", SpaceSpec("angular", cap=0.5)),
        ("hop", SpaceSpec("hop", 10, 4.0)),
        ("hop:k=20:cap=3", SpaceSpec("hop", 20, 3.0)),
        ("hop:cap=3:k=20", SpaceSpec("hop", 20, 3.0)),
        ("hop:cap=inf", SpaceSpec("hop", 10, math.inf)),
        (DEFAULT_SPACE, SpaceSpec("hop", 10, 4.0)),
    ],
)
def test_parse(text: str, spec: SpaceSpec) -> None:
    assert parse_space(text) == spec


@pytest.mark.parametrize(
    "text",
    [
        "euclidean:k=3",
        "hop:k=0",
        "hop:k=-1",
        "hop:k=1.5",
        "hop:k=inf",
        "hop:k=nan",
        "hop:cap=2.5",
        "hop:cap=0",
        "hop:cap=nan",
        "hop:cap=",
        "hop:cap",
        "hop:",
        "hop:k=3:k=4",
        "hop:size=3",
        "euclidean:cap=-1",
        "euclidean:cap=x",
    ],
)
def test_bad_settings_are_refused(text: str) -> None:
    with pytest.raises(ParameterError):
        parse_space(text)


@pytest.mark.parametrize("text", ["", "hops", ":k=3", "Euclidean"])
def test_unknown_names_are_refused(text: str) -> None:
    with pytest.raises(UnknownNameError, match="known: angular"):
        parse_space(text)
