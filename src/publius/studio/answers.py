"""JSON and forms, in and out."""

import json
from collections.abc import Mapping
from http import HTTPStatus

from starlette.datastructures import UploadFile
from starlette.requests import Request
from starlette.responses import Response

from publius.core.json import finite
from publius.studio.desk import Desk
from publius.studio.problems import Problem
from publius.studio.uploads import Upload


def as_json(value: Mapping[str, object], status: int = 200) -> Response:
    """Return a JSON response; a number that is not finite is null."""
    return Response(json_bytes(value), status, media_type="application/json")


def json_bytes(value: Mapping[str, object]) -> bytes:
    """Return a value as JSON on one line."""
    return json.dumps(finite(value), ensure_ascii=False, allow_nan=False).encode()


async def json_object(request: Request) -> dict[str, object]:
    """Return the body as a JSON object."""
    return parsed(await request.body(), "the body must be one JSON object")


def parsed(content: bytes, otherwise: str) -> dict[str, object]:
    """Return a JSON object, or refuse with a sentence."""
    try:
        value = json.loads(content, parse_constant=_refuse)
        if b"\\u" in content:  # half a character cannot be written again
            json.dumps(value, ensure_ascii=False).encode()
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, dict):
        raise Problem(HTTPStatus.BAD_REQUEST, otherwise)
    return value


def _refuse(_: str) -> object:
    raise ValueError("not JSON")


async def take_form(desk: Desk, request: Request) -> tuple[Upload, dict[str, str]]:
    """Store the file of a form, sent under the name ``file``; return other fields."""
    async with request.form(max_files=1, max_fields=64) as form:
        file = form.get("file")
        if not isinstance(file, UploadFile) or not file.filename:
            raise Problem(
                HTTPStatus.BAD_REQUEST, "send one file in a form, under the name 'file'"
            )
        fields = {key: one for key, one in form.items() if isinstance(one, str)}
        return await desk.uploads.store(file), fields
