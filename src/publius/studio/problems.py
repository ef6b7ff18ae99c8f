"""Errors as ``application/problem+json``: what is wrong, never what was sent."""

import json
import re
from collections.abc import Iterable, Mapping
from html import escape
from http import HTTPStatus

from starlette.exceptions import HTTPException
from starlette.formparsers import MultiPartException
from starlette.responses import Response

from publius.core.errors import (
    BudgetError,
    CancelledError,
    FetchError,
    OutputError,
    PubliusError,
    RefutedError,
    TrustError,
    UnknownNameError,
    WorkerError,
    fault,
)

MEDIA_TYPE = "application/problem+json"
UNREADABLE = (HTTPException, MultiPartException)
"""What a form that breaks the rules of forms raises."""

STATUSES: dict[type[PubliusError], HTTPStatus] = {
    BudgetError: HTTPStatus.CONFLICT,
    CancelledError: HTTPStatus.CONFLICT,
    FetchError: HTTPStatus.SERVICE_UNAVAILABLE,
    OutputError: HTTPStatus.INTERNAL_SERVER_ERROR,
    RefutedError: HTTPStatus.CONFLICT,
    TrustError: HTTPStatus.INTERNAL_SERVER_ERROR,
    WorkerError: HTTPStatus.INTERNAL_SERVER_ERROR,
}
"""What is not the request's own fault; everything else is."""

PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>{title} – Publius</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="stylesheet" href="/static/design.css">
<link rel="stylesheet" href="/static/studio.css">
<link rel="icon" href="/static/icon.svg">
</head><body><main><h1>{title}</h1><p role="alert">{detail}.</p></main></body></html>
"""

_QUOTED = re.compile(r",? got .*\Z|[;,:]? (?:known|columns): .*\Z", re.DOTALL)
_NAMED = re.compile(r"'[^']*'")
"""Messages put columns and values between these marks."""

_SHORTEST = 3
"""Shorter strings are found in any sentence."""


class Problem(Exception):  # noqa: N818 - what RFC 9457 calls it
    """A request that cannot be answered.

    Args:
        status: Of the response.
        detail: One sentence without anything that was sent.
    """

    def __init__(self, status: HTTPStatus, detail: str) -> None:
        super().__init__(detail)
        self.status, self.detail = status, detail

    def to_json(self) -> dict[str, object]:
        """Return plain values, as RFC 9457 names them."""
        return {
            "type": "about:blank",
            "title": self.status.phrase,
            "status": int(self.status),
            "detail": self.detail,
        }

    def response(self) -> Response:
        """Return the response that tells it."""
        body = json.dumps(self.to_json()).encode()
        return Response(body, int(self.status), media_type=MEDIA_TYPE)

    def page(self) -> Response:
        """Return the same for a browser that asked for a page."""
        told = PAGE.format(title=escape(self.status.phrase), detail=escape(self.detail))
        return Response(told, int(self.status), media_type="text/html")


def problem_of(error: Exception, sent: Iterable[str] = ()) -> Problem:
    """Return what may be told about an error.

    Args:
        error: Raised while a request was answered.
        sent: Strings of the request, none of which is repeated.
    """
    if isinstance(error, Problem):
        return error
    if isinstance(error, PubliusError):
        status = STATUSES.get(type(error), HTTPStatus.UNPROCESSABLE_ENTITY)
        return Problem(status, _without(_plain(error), sent))
    if isinstance(error, UNREADABLE):  # its text may quote the request
        status = HTTPStatus(getattr(error, "status_code", HTTPStatus.BAD_REQUEST))
        return Problem(status, "the request cannot be read as what this address takes")
    if isinstance(error, MemoryError):
        return Problem(HTTPStatus.INSUFFICIENT_STORAGE, "there is not enough memory")
    return Problem(HTTPStatus.INTERNAL_SERVER_ERROR, fault(error))


def strings_of(value: object) -> Iterable[str]:
    """Yield every string of a JSON value, names of fields included."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for key, item in value.items():
            yield from strings_of(key)
            yield from strings_of(item)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from strings_of(item)


def _plain(error: PubliusError) -> str:
    """Return the message without the value that it may quote."""
    if isinstance(error, UnknownNameError):
        return f"no such {error.kind}; see /v1/openapi.json for the names"
    message = " ".join(str(error).split())
    message = _NAMED.sub("…", _QUOTED.sub("", message))
    return message or "the request cannot be answered"


def _without(message: str, sent: Iterable[str]) -> str:
    for text in sorted({one.strip() for one in sent}, key=len, reverse=True):
        # A name of ours that was sent as a field is not a secret, but costs nothing.
        if len(text) >= _SHORTEST and text in message and not _is_public(text):
            message = message.replace(text, "…")
    return message


def _is_public(text: str) -> bool:
    return re.fullmatch(r"[a-z][a-z_-]{0,24}", text) is not None and text in PUBLIC


PUBLIC: set[str] = set()
"""Names of fields, settings and mechanisms, which messages may hold."""
