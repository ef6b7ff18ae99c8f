"""What every verb has in common: a request or keywords in, a result out."""

import functools
import importlib
import inspect
import re
import textwrap
from collections.abc import Callable, Mapping
from dataclasses import MISSING, Field, fields, is_dataclass
from typing import Any, Generic, Protocol, TypeVar, get_args

import numpy as np

from publius.core.config import WordSettings
from publius.core.declared import as_declared, types_of
from publius.core.errors import FetchError, ParameterError, UnknownNameError
from publius.core.extras import missing_package
from publius.core.rng import is_secure
from publius.core.watch import SILENT, Watch

SETTINGS = "settings"
SEED, RNG = "seed", "rng"
OPENED = (SETTINGS, "sentences", "retelling")
"""Fields of requests that hold settings; keywords may name single ones of them too."""


class Result(Protocol):
    """What a verb returns: frozen, short in print, plain as JSON."""

    def to_json(self) -> Mapping[str, object]:
        """Return plain values: what ``--json`` prints and HTTP answers."""
        ...


RequestT = TypeVar("RequestT")
ResultT_co = TypeVar("ResultT_co", bound=Result, covariant=True)


class Verb(Generic[RequestT, ResultT_co]):
    """Call a service with its request, or with the fields of the request.

    Args:
        request: Type of the request, a dataclass.
        service: Does the work.
    """

    def __init__(
        self,
        request: type[RequestT],
        service: Callable[[RequestT, Watch], ResultT_co],
    ) -> None:
        self.request = request
        self._service = service
        functools.update_wrapper(self, service)
        self.__doc__ = _told(request, service)
        self.__signature__ = _signature(request, service)

    def __call__(
        self, *values: object, watch: Watch = SILENT, **given: object
    ) -> ResultT_co:
        """Return the result of a request.

        Args:
            values: The request, or values of its first fields.
            watch: Told how it goes; may cancel.
            given: Fields of the request, or settings of words, by name.
        """
        if not isinstance(watch, Watch):
            raise ParameterError("watch must be a Watch")
        try:
            return self._service(self.asked(*values, **given), watch)
        except ModuleNotFoundError as error:
            if told := missing_package(error):
                raise FetchError(told) from None
            raise

    def __repr__(self) -> str:
        return f"<publius.{self.__name__}>"  # type: ignore[attr-defined]

    def asked(self, *values: object, **given: object) -> RequestT:
        """Return the request that values and keywords describe.

        Raises:
            ParameterError: A field is missing, unknown, given twice or of another type.
        """
        own = fields(self.request)  # type: ignore[arg-type]
        if RNG in given and _takes_rng(self.request):
            given = _seeded(given)
        if len(values) == 1 and isinstance(values[0], self.request):
            if given:
                raise ParameterError(
                    "give a request or its fields, not both; "
                    "dataclasses.replace changes a request"
                )
            given = {field.name: getattr(values[0], field.name) for field in own}
            return request_from(self.request, given)
        named = [field.name for field in own if not field.kw_only]
        if len(values) > len(named):
            raise ParameterError(f"{self} takes at most {len(named)} values")
        first = dict(zip(named, values, strict=False))
        if twice := sorted(first.keys() & given.keys()):
            raise ParameterError(f"{twice[0]} was given twice")
        return request_from(self.request, {**first, **given})


def _takes_rng(request: type[object]) -> bool:
    """Say whether a generator may be given in place of the seed of a request."""
    names = types_of(request)
    return SEED in names and RNG not in names


def _seeded(given: Mapping[str, object]) -> dict[str, object]:
    """Return keywords with a seed drawn from a generator; a secure one needs none."""
    rest = {name: value for name, value in given.items() if name != RNG}
    rng = given[RNG]
    if rng is None:
        return rest
    if rest.get(SEED) is not None:
        raise ParameterError("give seed or rng, not both")
    if not isinstance(rng, np.random.Generator):
        raise ParameterError(
            "rng must be a NumPy generator, such as pb.secure(), got a value of type "
            f"{type(rng).__name__}"
        )
    if is_secure(rng):
        return rest
    return {**rest, SEED: int(rng.integers(2**63))}


def _words(given: Mapping[str, object]) -> object:
    # Times and places are released without any word mechanism being loaded.
    read = importlib.import_module("publius.mechanisms.words.given")
    return read.word_settings(given)


def request_from(kind: type[RequestT], given: Mapping[str, object]) -> RequestT:
    """Return a request made from names and values: keywords, TOML or JSON.

    Args:
        kind: Its type. If it has a field of settings, their names are understood too;
            settings may also be a table of names and values.
        given: Fields by name.

    Raises:
        ParameterError: A field is missing, or its value has another type.
        UnknownNameError: A name means nothing here.
    """
    known: dict[str, Field[object]] = {field.name: field for field in fields(kind)}  # type: ignore[arg-type]
    own = {name: value for name, value in given.items() if name in known}
    rest = {name: value for name, value in given.items() if name not in known}
    types = types_of(kind)
    if rest:
        opened = (n for n in OPENED if n in known and _kinds(types[n]))
        own |= _opened(next(opened, None), known, own, rest)
    for name, field in known.items():
        is_needed = field.default is MISSING and field.default_factory is MISSING
        if is_needed and name not in own:
            raise ParameterError(f"{name} is missing")
    # What is not shown is a secret, and no error may quote it: the request checks it.
    try:
        made = {
            name: _made(name, types[name], value) if known[name].repr else value
            for name, value in own.items()
        }
    except UnknownNameError as error:
        if error.name not in rest:
            raise
        # It was taken for a setting; a field of the request may have been meant.
        names = (*error.known, *known)
        raise UnknownNameError(error.kind, error.name, names) from None
    return kind(**made)


def _opened(
    field: str | None,
    known: Mapping[str, object],
    own: Mapping[str, object],
    rest: dict[str, object],
) -> dict[str, object]:
    """Return the settings of a request that are given by their names."""
    if field is None:
        raise UnknownNameError("argument", next(iter(rest)), known)
    settings = own.get(field, {})
    if not isinstance(settings, Mapping):
        raise ParameterError(f"give {field}, or single settings by name, not both")
    return {field: {**settings, **rest}}


def _made(name: str, declared: Any, value: object) -> object:  # noqa: ANN401
    """Return the value of a field; a table of names becomes the settings it means."""
    if isinstance(value, Mapping):
        for kind in _kinds(declared):
            return _words(value) if kind is WordSettings else request_from(kind, value)
    return as_declared(name, declared, value)


def _kinds(declared: Any) -> list[type]:  # noqa: ANN401
    """Return the settings types among those that a field may have."""
    kinds = get_args(declared) or (declared,)
    return [kind for kind in kinds if isinstance(kind, type) and is_dataclass(kind)]


def verb(
    request: type[RequestT],
) -> Callable[[Callable[[RequestT, Watch], ResultT_co]], Verb[RequestT, ResultT_co]]:
    """Make a service callable with its request or with the request's fields."""

    def wrap(
        service: Callable[[RequestT, Watch], ResultT_co],
    ) -> Verb[RequestT, ResultT_co]:
        return Verb(request, service)

    return wrap


def _signature(
    request: type[object], service: Callable[..., object]
) -> inspect.Signature:
    """Return what help() and editors show: the fields, then rng and watch."""
    own = inspect.signature(request).parameters.values()
    keyword = inspect.Parameter.KEYWORD_ONLY
    added = [inspect.Parameter("watch", keyword, default=SILENT)]
    if _takes_rng(request):
        added.insert(0, inspect.Parameter(RNG, keyword, default=None))
    returns = inspect.signature(service).return_annotation
    return inspect.Signature([*own, *added], return_annotation=returns)


def arguments_of(kind: type[object]) -> dict[str, str]:
    """Return what the docstrings of a class and its bases say about each argument."""
    told: dict[str, str] = {}
    for one in reversed(kind.__mro__):
        text = inspect.cleandoc(one.__doc__ or "").partition("Args:\n")[2]
        matches = re.findall(r"^ {4}(\w+): (.*(?:\n {8}.*)*)", text, re.MULTILINE)
        told |= {name: " ".join(line.split()) for name, line in matches}
    return told


def _told(request: type[object], service: Callable[..., object]) -> str:
    """Return what help() shows: what a service does, and every field of its request."""
    lines = [inspect.cleandoc(service.__doc__ or ""), "", "Args:"]
    told = {
        RNG: "A NumPy generator in place of a seed; None and one of pb.secure() draw "
        "fresh secure noise, any other one draws a seed.",
        "watch": "Told how it goes; may cancel.",
        **arguments_of(request),
    }
    for name in _signature(request, service).parameters:
        line = f"{name}: {told.get(name, '')}"
        lines.append(textwrap.fill(line, 84, initial_indent=" " * 4,
                                   subsequent_indent=" " * 8))  # fmt: skip
    return "\n".join(lines)
