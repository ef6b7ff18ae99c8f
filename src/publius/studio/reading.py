"""JSON → requests: every value is checked, none may name a file of the server."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, get_args, get_origin

from publius.core.config import WordSettings
from publius.core.declared import as_declared, types_of
from publius.core.errors import ParameterError, UnknownNameError
from publius.embeddings.catalogue import CATALOGUE
from publius.materials.sentences.settings import SentenceSettings
from publius.mechanisms.words.given import defaults, own_fields
from publius.retelling.settings import RetellSettings
from publius.services.verb import SETTINGS
from publius.studio.uploads import Uploads

Read = Callable[[str, object, Uploads], object]
"""Name of a field, its JSON value, the files that were sent → the field's value."""

SEPARATORS = ("/", "\\", "..", "~")
SENTENCES = ("sigma", "epsilon", "delta", "sentences", "per", "decoding")
RETELLING = ("epsilon", "order", "words", "passage", "use_words", "temperature")
FILES = ("block", "sensitive_words", "wordnet", "options")
"""Settings that name files, or belong to programs that HTTP knows nothing about."""

SHARED = tuple(name for name in defaults() if name not in FILES)
"""Settings of words that may be given by name beside the fields of a request."""


def plain(kind: type[object]) -> Read:
    """Read numbers, strings and flags as they are declared."""

    def read(name: str, value: object, _: Uploads) -> object:
        return safe(name, as_declared(name, types_of(kind)[name], value))

    return read


def safe(name: str, value: object) -> object:
    """Return a value that cannot be the path of a file."""
    if isinstance(value, str) and any(mark in value for mark in SEPARATORS):
        raise ParameterError(f"{name} must be a name, not the path of a file")
    return value


def secret(name: str, value: object, _: Uploads) -> object:
    """Read a text, which is never used as anything but a text."""
    if not isinstance(value, str):
        raise ParameterError(f"{name} must be a string")
    return value


def columns(name: str, value: object, _: Uploads) -> object:
    """Read a list of names of columns."""
    if not isinstance(value, list) or not all(isinstance(v, str) for v in value):
        raise ParameterError(f"{name} must be a list of strings")
    return tuple(value)


def column(name: str, value: object, _: Uploads) -> object:
    """Read the name of a column, which may hold any character."""
    if value is not None and not isinstance(value, str):
        raise ParameterError(f"{name} must be a string")
    return value


def sentences(name: str, value: object, _: Uploads) -> object:
    """Read how sentences are rewritten; the model is the one of the package."""
    return SentenceSettings(**_object(name, value, SENTENCES))


def shared_types() -> Mapping[str, object]:
    """Return the declared type of every setting of words."""
    own = {name: field.type for name, field in own_fields().items()}
    return {**types_of(WordSettings), **own}


def retelling(name: str, value: object, _: Uploads) -> object:
    """Read how a text is retold; who writes is the server's own choice."""
    return RetellSettings(**_object(name, value, RETELLING))


def _object(name: str, value: object, known: Sequence[str]) -> Mapping[str, Any]:
    if not isinstance(value, Mapping) or not set(value) <= set(known):
        raise ParameterError(f"{name} must be an object of {', '.join(known)}")
    return value


def typed(kind: type[object], name: str, text: str) -> object:
    """Return the value of a form's field as its declared type has it."""
    known = types_of(kind)
    wanted = known.get(name) or shared_types().get(name) or str
    kinds = get_args(wanted) or (wanted,)
    if get_origin(wanted) is tuple:
        return [part.strip() for part in text.split(",") if part.strip()]
    if bool in kinds:
        return text.lower() in ("true", "yes", "on", "1")
    for number in (int, float):
        if number in kinds or (number is int and float in kinds):
            with suppress(ValueError):
                return number(text)
    return text


def numbers(name: str, value: object, _: Uploads) -> object:
    """Read a list of numbers."""
    if not isinstance(value, list) or not all(map(_is_number, value)):
        raise ParameterError(f"{name} must be a list of numbers")
    return tuple(float(number) for number in value)


def strings(name: str, value: object, _: Uploads) -> object:
    """Read a list of names."""
    if not isinstance(value, list) or not all(isinstance(v, str) for v in value):
        raise ParameterError(f"{name} must be a list of strings")
    return tuple(safe(name, one) for one in value)


def texts(name: str, value: object, _: Uploads) -> object:
    """Read a list of texts."""
    if not isinstance(value, list) or not all(isinstance(v, str) for v in value):
        raise ParameterError(f"{name} must be a list of strings")
    return value


def target(name: str, value: object, _: Uploads) -> object:
    """Read a name and a number, as a list or as an object with one field."""
    pair = list(value.items())[:1] if isinstance(value, Mapping) else [value]
    items = list(pair[0]) if pair and isinstance(pair[0], list | tuple) else []
    if len(items) != 2 or not isinstance(items[0], str) or not _is_number(items[1]):
        raise ParameterError(f"{name} must be a list of a name and a number")
    return items[0], float(items[1])


def table(name: str, value: object, uploads: Uploads) -> object:
    """Read ``{"file": ID}``: a file that was sent before."""
    if not isinstance(value, Mapping) or set(value) != {"file"}:
        raise ParameterError(
            f'{name} must be {{"file": ID}} with the id that /v1/files answered'
        )
    return str(uploads.find(value["file"]).path)


def released(name: str, value: object, uploads: Uploads) -> object:
    """Read a column of the same table, or a file of released texts."""
    if isinstance(value, Mapping):
        return table(name, value, uploads)
    column_name = plain_string(name, value)
    with suppress(OSError):  # too long for the name of a file
        if Path(column_name).exists():
            raise ParameterError(
                f"{name} is a file of the server too; rename the column"
            )
    return column_name


def plain_string(name: str, value: object) -> str:
    """Read the name of a column."""
    if not isinstance(value, str):
        raise ParameterError(f"{name} must be a string")
    return str(safe(name, value))


def matrix(name: str, value: object, uploads: Uploads) -> object:
    """Read rows of numbers, or a file of them."""
    if isinstance(value, Mapping):
        return table(name, value, uploads)
    rows = value if isinstance(value, list) else []
    is_flat = bool(rows) and all(map(_is_number, rows))
    is_deep = bool(rows) and all(
        isinstance(row, list) and len(row) == len(rows[0]) and all(map(_is_number, row))
        for row in rows
        if isinstance(rows[0], list)
    )
    if not is_flat and not (is_deep and isinstance(rows[0], list)):
        raise ParameterError(f"{name} must be rows of numbers, all of one length")
    return value


def embedding(name: str, value: object, _: Uploads) -> object:
    """Read the name of an embedding of the catalogue."""
    if not isinstance(value, str):
        raise ParameterError(f"{name} must be a string")
    if value not in CATALOGUE:
        raise UnknownNameError(name, value, CATALOGUE)
    return value


def metric(name: str, value: object, _: Uploads) -> object:
    """Read the metric of a channel, which elsewhere may be a file of distances."""
    if value != "discrete":
        raise ParameterError(
            f"{name} is discrete here; the file of a channel may hold its distances"
        )
    return value


def settings_from(given: Mapping[str, object]) -> dict[str, object]:
    """Return settings of words by name, each of them checked.

    Raises:
        UnknownNameError: A name is no setting.
        ParameterError: A setting names a file.
    """
    known, settings = shared_types(), {}
    for name, value in given.items():
        if name not in SHARED:
            raise UnknownNameError("field or setting", name, SHARED)
        settings[name] = safe(name, as_declared(name, known[name], value))
    if "embedding" in settings and settings["embedding"] not in CATALOGUE:
        raise UnknownNameError("embedding", str(settings["embedding"]), CATALOGUE)
    return settings


def read_fields(
    given: Mapping[str, object], readers: Mapping[str, Read], uploads: Uploads
) -> dict[str, object]:
    """Return the fields of a request; what no reader knows is a setting of words."""
    own = {
        name: readers[name](name, value, uploads)
        for name, value in given.items()
        if name in readers
    }
    rest = {name: value for name, value in given.items() if name not in readers}
    named = rest.pop(SETTINGS, {}) if SETTINGS in rest else {}
    if not isinstance(named, Mapping):
        raise ParameterError("settings must be an object")
    return {**own, **settings_from({**named, **rest})}


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
