"""Texts and tables for pipelines: lines in, lines out; a table in, a table out."""

import shutil
from collections.abc import AsyncIterator, Iterator, Mapping
from dataclasses import replace
from http import HTTPStatus
from pathlib import Path

from starlette.background import BackgroundTask
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import FileResponse, Response, StreamingResponse
from starlette.routing import Route

from publius.core.config import WordSettings
from publius.core.errors import ParameterError
from publius.core.rng import RunKey, secure
from publius.core.watch import SILENT
from publius.materials.words.assemble import resolved
from publius.materials.words.sanitizer import Sanitizer
from publius.mechanisms.words.given import word_settings
from publius.reporting.statements import word_statements
from publius.services.prepared import PREPARED
from publius.studio import reading
from publius.studio.answers import json_bytes, parsed, take_form
from publius.studio.desk import Desk
from publius.studio.pages import Handler
from publius.studio.problems import Problem, problem_of, strings_of
from publius.studio.verbs import RELEASES, Endpoint

LINES = "application/x-ndjson"
BATCH = 256
UNCHARGED = (
    "lines name nobody, so that this server's ledger cannot charge them; send a table "
    "to /v1/release/file"
)
NOT_A_LINE = 'every line must be a JSON object such as {"text": "…"}'


def routes(desk: Desk) -> list[Route]:
    """Return the addresses for pipelines."""
    files = [
        Route(f"/v1/{one.name}/file", _file(one, desk), methods=["POST"])
        for one in RELEASES
    ]
    return [Route("/v1/stream", _stream(desk), methods=["POST"]), *files]


def _stream(desk: Desk) -> Handler:
    async def answer(request: Request) -> Response:
        if desk.ledger is not None:
            raise Problem(HTTPStatus.CONFLICT, UNCHARGED)
        return await _streamed(request)

    return answer


async def _streamed(request: Request) -> Response:
    """Release every line; settings are in the query, texts never are."""
    query = dict(request.query_params)
    try:
        given = {name: reading.typed(WordSettings, name, text)
                 for name, text in query.items()}  # fmt: skip
        settings = _of_texts(word_settings(reading.settings_from(given)))
        settings = await run_in_threadpool(resolved, settings)
        cleaner = await run_in_threadpool(PREPARED, settings)
    except Exception as error:  # noqa: BLE001 - only what is safe is told
        raise problem_of(error, strings_of(query)) from None
    if settings.consistent == "corpus":
        cleaner = replace(cleaner, key=RunKey.fresh())
    body = await request.body()
    return StreamingResponse(_lines(body, cleaner, settings), media_type=LINES)


def _of_texts(settings: WordSettings) -> WordSettings:
    if settings.form != "text":
        raise ParameterError("a stream releases texts; send a file for other forms")
    return settings


async def _lines(
    body: bytes, cleaner: Sanitizer, settings: WordSettings
) -> AsyncIterator[bytes]:
    """Yield what is guaranteed, then one line per text; a problem ends the stream."""
    guarantee = cleaner.guarantee()
    yield _line(
        {
            "mechanism": cleaner.mechanism.name,
            "guarantee": guarantee.to_json(),
            "statements": word_statements(guarantee, settings),
        }
    )
    try:
        for texts in _batches(body):
            released = await run_in_threadpool(cleaner.release, texts, secure())
            yield b"".join(_line({"released": text}) for text in released.texts)
    except Exception as error:  # noqa: BLE001 - only what is safe is told
        yield _line({"problem": problem_of(error).to_json()})


def _line(value: Mapping[str, object]) -> bytes:
    return json_bytes(value) + b"\n"


def _batches(body: bytes) -> Iterator[list[str]]:
    """Yield the texts of the lines, many at a time."""
    lines = [line for line in body.split(b"\n") if line.strip()]
    for start in range(0, len(lines), BATCH):
        yield [_text(line) for line in lines[start : start + BATCH]]


def _text(line: bytes) -> str:
    text = parsed(line, NOT_A_LINE).get("text")
    if not isinstance(text, str):
        raise Problem(HTTPStatus.BAD_REQUEST, NOT_A_LINE)
    return text


def _file(one: Endpoint, desk: Desk) -> Handler:
    async def answer(request: Request) -> Response:
        upload, fields = await take_form(desk, request)
        folder = desk.uploads.new_folder()
        try:
            given = {
                name: reading.typed(one.kind, name, text)
                for name, text in fields.items()
            }
            given |= {"table": {"file": upload.id}}
            call = one.call({"format": "same"} | given, desk, folder)
            await run_in_threadpool(call, SILENT)
            path = await run_in_threadpool(_data, folder)
        except Exception as error:  # noqa: BLE001 - only what is safe is told
            shutil.rmtree(folder, ignore_errors=True)
            raise problem_of(error, strings_of(fields)) from None
        finally:
            desk.uploads.forget(upload.id)
        clean = BackgroundTask(shutil.rmtree, folder, ignore_errors=True)
        return FileResponse(path, filename=path.name, background=clean)

    return answer


def _data(folder: Path) -> Path:
    return next(path for path in folder.iterdir() if path.stem == "data")
