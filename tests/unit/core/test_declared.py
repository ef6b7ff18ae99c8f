"""Values are what their fields declare, or an error names them."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from publius.core.declared import as_declared, settle
from publius.core.errors import ParameterError


@dataclass(frozen=True)
class Settings:
    """A dataclass that checks itself."""

    epsilon: float
    count: int | None = None
    names: tuple[str, ...] = ()
    own: object = None

    def __post_init__(self) -> None:
        settle(self, free=("own",))


@pytest.mark.parametrize(
    ("declared", "given", "value"),
    [
        (float, 3, 3.0),
        (float, np.float64(3), 3.0),
        (float | None, None, None),
        (int, np.int64(3), 3),
        (int | str, "30min", "30min"),
        (Path | None, "law.npz", Path("law.npz")),
        (str | Path, Path("a"), Path("a")),
        (tuple[str, ...], ["a", "b"], ("a", "b")),
        (tuple[str, ...], "ab", ("ab",)),
        (tuple[float, ...], range(2), (0.0, 1.0)),
        (tuple[float, ...], np.array([1, 2]), (1.0, 2.0)),
        (object, b"x", b"x"),
    ],
)
def test_a_value_takes_the_declared_type(
    declared: object, given: object, value: object
) -> None:
    made = as_declared("name", declared, given)
    assert made == value
    assert type(made) is type(value)


@pytest.mark.parametrize(
    ("declared", "given", "words"),
    [
        (float, True, "name must be a number, got True"),
        (int, 1.5, "name must be a whole number, got 1.5"),
        (bool, 1, "name must be true or false, got 1"),
        (str | None, 5, "name must be a string or left out, got 5"),
        (tuple[str, ...], [1], "name must be a string, got 1"),
        (tuple[str, ...], {"a": 1}, "list in which each item is a string, got a value"),
        (Settings, 5, "name must be of type Settings, got 5"),
        (float, [1.0], "name must be a number, got a value of type list"),
    ],
)
def test_another_type_is_refused(declared: object, given: object, words: str) -> None:
    with pytest.raises(ParameterError, match=words):
        as_declared("name", declared, given)


def test_a_frozen_object_is_settled() -> None:
    settings = Settings(3, own=5)
    assert (type(settings.epsilon), settings.own) == (float, 5)
    with pytest.raises(ParameterError, match="count must be a whole number or left"):
        Settings(3, count="4")
