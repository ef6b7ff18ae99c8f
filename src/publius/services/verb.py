"""What every verb has in common: a request or keywords in, a result out."""

import functools
import importlib
import inspect
from collections.abc import Callable, Mapping
from dataclasses import MISSING, fields
from typing import Generic, Protocol, TypeVar

from publius.core.errors import ParameterError, UnknownNameError
from publius.core.watch import SILENT, Watch

SETTINGS = "settings"
"""The field of a request that holds word settings; keywords may name theirs too."""


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
        if len(values) == 1 and isinstance(values[0], self.request):
            if given:
                raise ParameterError(
                    "give a request or its fields, not both; "
                    "dataclasses.replace changes a request"
                )
            return self._service(values[0], watch)
        return self._service(self.asked(*values, **given), watch)

    def __repr__(self) -> str:
        return f"<publius.{self.__name__}>"  # type: ignore[attr-defined]

    def asked(self, *values: object, **given: object) -> RequestT:
        """Return the request that values and keywords describe.

        Raises:
            ParameterError: A field is missing, unknown or given twice.
        """
        own = fields(self.request)  # type: ignore[arg-type]
        named = [field.name for field in own if not field.kw_only]
        if len(values) > len(named):
            raise ParameterError(f"{self} takes at most {len(named)} values")
        first = dict(zip(named, values, strict=False))
        if twice := sorted(first.keys() & given.keys()):
            raise ParameterError(f"{twice[0]} was given twice")
        return request_from(self.request, {**first, **given})


def _words(given: Mapping[str, object]) -> object:
    # Times and places are released without any word mechanism being loaded.
    read = importlib.import_module("publius.mechanisms.words.given")
    return read.word_settings(given)


def request_from(kind: type[RequestT], given: Mapping[str, object]) -> RequestT:
    """Return a request made from names and values: keywords, TOML or JSON.

    Args:
        kind: Its type. If it has a field ``settings`` of word settings, their names are
            understood too.
        given: Fields by name.

    Raises:
        ParameterError: A field is missing.
        UnknownNameError: A name means nothing here.
    """
    known = {field.name: field for field in fields(kind)}  # type: ignore[arg-type]
    own = {name: value for name, value in given.items() if name in known}
    rest = {name: value for name, value in given.items() if name not in known}
    takes_words = known.get(SETTINGS) is not None
    settings = own.get(SETTINGS)
    if takes_words and isinstance(settings, Mapping):
        own[SETTINGS] = _words({**settings, **rest})
    elif takes_words and rest:
        if settings is not None:
            raise ParameterError("give settings, or single settings by name, not both")
        own[SETTINGS] = _words(rest)
    elif rest:
        raise UnknownNameError("argument", next(iter(rest)), known)
    for name, field in known.items():
        is_needed = field.default is MISSING and field.default_factory is MISSING
        if is_needed and name not in own:
            raise ParameterError(f"{name} is missing")
    return kind(**own)


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
    """Return what help() and editors show: the fields, then watch."""
    own = inspect.signature(request).parameters.values()
    watch = inspect.Parameter("watch", inspect.Parameter.KEYWORD_ONLY, default=SILENT)
    returns = inspect.signature(service).return_annotation
    return inspect.Signature([*own, watch], return_annotation=returns)
