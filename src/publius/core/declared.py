"""Values of the types that their fields declare: checked, and each of one kind."""

from collections.abc import Iterable, Mapping
from dataclasses import fields, is_dataclass
from numbers import Integral, Real
from pathlib import Path
from types import MappingProxyType, NoneType, UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

from publius.core.errors import ParameterError

_PLAIN: dict[object, tuple[type | UnionType, str]] = {
    bool: (bool, "true or false"),
    int: (Integral, "a whole number"),
    float: (Real, "a number"),
    str: (str, "a string"),
    Path: (str | Path, "a path"),
    NoneType: (NoneType, "left out"),
}


def settle(settings: object, *, free: tuple[str, ...] = ()) -> None:
    """Check the fields of a frozen dataclass; call it from ``__post_init__``.

    A whole number becomes a float where one is declared, so that equal settings have
    equal digests.

    Args:
        settings: The object.
        free: Fields that are left as they are.

    Raises:
        ParameterError: A value has another type, such as text for yes.
    """
    for name, declared in types_of(type(settings)).items():
        if name not in free:
            value = as_declared(name, declared, getattr(settings, name))
            object.__setattr__(settings, name, value)


def types_of(kind: type[object]) -> Mapping[str, Any]:
    """Return the declared type of every field of a dataclass."""
    hints = get_type_hints(kind)
    own = [field.name for field in fields(kind)]  # type: ignore[arg-type]
    return MappingProxyType({name: hints[name] for name in own})


def as_declared(name: str, declared: Any, value: object) -> object:  # noqa: ANN401
    """Return a value as its field declares it.

    A whole number is also a number, a string also a path; a list is also a tuple, and
    a single value a tuple of one. Values of types that cannot be checked pass.

    Raises:
        ParameterError: It has another type.
    """
    kinds = get_args(declared) if _is_union(declared) else (declared,)
    if not all(map(_is_known, kinds)):
        return value
    for kind in kinds:
        if _fits(kind, value):
            return kind(value) if kind in (int, float, Path) else value
    for kind in filter(_is_row, kinds):
        items = [value] if isinstance(value, str | Real) else value
        if isinstance(items, Iterable) and not isinstance(items, bytes | Mapping):
            return tuple(as_declared(name, get_args(kind)[0], item) for item in items)
    wanted = " or ".join(map(_words, kinds))
    raise ParameterError(f"{name} must be {wanted}, got {_shown(value)}")


def _is_union(declared: object) -> bool:
    return get_origin(declared) in (Union, UnionType)


def _is_row(kind: object) -> bool:
    """Say whether a type is a tuple of any length, of plain values."""
    arguments = get_args(kind)
    return get_origin(kind) is tuple and arguments[1:] == (...,)


def _is_known(kind: object) -> bool:
    if _is_row(kind):
        return get_args(kind)[0] in _PLAIN
    return kind in _PLAIN or (isinstance(kind, type) and is_dataclass(kind))


def _fits(kind: Any, value: object) -> bool:  # noqa: ANN401
    if _is_row(kind) or (isinstance(value, bool) and kind is not bool):
        return False
    return isinstance(value, _PLAIN[kind][0] if kind in _PLAIN else kind)


def _words(kind: Any) -> str:  # noqa: ANN401
    if _is_row(kind):
        return f"a list in which each item is {_words(get_args(kind)[0])}"
    return _PLAIN[kind][1] if kind in _PLAIN else f"of type {kind.__name__}"


def _shown(value: object) -> str:
    """Return a setting as it was given; of anything larger, what it is."""
    is_short = isinstance(value, str | Real | NoneType)
    return repr(value) if is_short else f"a value of type {type(value).__name__}"
