"""The service: ``/v1/…`` for every verb, jobs, files; JSON as ``--json`` prints it."""

from collections.abc import Awaitable, Callable, Mapping
from http import HTTPStatus

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import FileResponse, Response
from starlette.routing import Route

from publius.core.watch import SILENT, Watch
from publius.services.embeddings import known_embeddings
from publius.services.mechanisms import mechanisms
from publius.services.verb import Result
from publius.studio import ledger, streaming
from publius.studio.answers import as_json, json_object, take_form
from publius.studio.desk import Desk
from publius.studio.jobs import Job, State
from publius.studio.openapi import description
from publius.studio.problems import Problem, problem_of, strings_of
from publius.studio.verbs import ENDPOINTS, Endpoint, endpoint

Handler = Callable[[Request], Awaitable[Response]]


def routes(desk: Desk) -> list[Route]:
    """Return the routes of the service."""
    return [
        *streaming.routes(desk),
        *ledger.routes(desk),
        *(
            Route(f"/v1/{name}", _verb(one, desk), methods=["POST"])
            for name, one in ENDPOINTS.items()
        ),
        Route("/v1/mechanisms", _listing(mechanisms)),
        Route("/v1/embeddings", _listing(known_embeddings)),
        Route("/v1/openapi.json", _listing(description)),
        Route("/v1/files", _take_file(desk), methods=["POST"]),
        Route("/v1/jobs", _start_job(desk), methods=["POST"]),
        Route("/v1/jobs", _list_jobs(desk)),
        Route("/v1/jobs/{id}", _tell_job(desk)),
        Route("/v1/jobs/{id}", _cancel_job(desk), methods=["DELETE"]),
        Route("/v1/jobs/{id}/result", _job_result(desk)),
        Route("/v1/jobs/{id}/files/{name}", _job_file(desk)),
    ]


def _object(value: object) -> dict[str, object]:
    if not isinstance(value, dict):
        raise Problem(HTTPStatus.BAD_REQUEST, "request must be a JSON object")
    return value


def _verb(one: Endpoint, desk: Desk) -> Handler:
    async def answer(request: Request) -> Response:
        given = await json_object(request)
        try:
            call = one.call(given, desk)
            return as_json(await run_in_threadpool(_called, call))
        except Exception as error:  # noqa: BLE001 - only what is safe is told
            raise problem_of(error, strings_of(given)) from None

    return answer


def _called(call: Callable[[Watch], Result]) -> Mapping[str, object]:
    return call(SILENT).to_json()


def _listing(make: Callable[[], object]) -> Handler:
    async def answer(_: Request) -> Response:
        made = await run_in_threadpool(make)
        return as_json(made if isinstance(made, Mapping) else made.to_json())  # type: ignore[attr-defined]

    return answer


def _take_file(desk: Desk) -> Handler:
    async def answer(request: Request) -> Response:
        upload, _ = await take_form(desk, request)
        return as_json({"id": upload.id, "bytes": upload.size}, HTTPStatus.CREATED)

    return answer


def _start_job(desk: Desk) -> Handler:
    async def answer(request: Request) -> Response:
        given = await json_object(request)
        try:
            one, asked = endpoint(given.get("verb")), _object(given.get("request", {}))
            folder = desk.uploads.new_folder() if one.writes else None
            call = one.call(asked, desk, folder)
        except Exception as error:  # noqa: BLE001 - only what is safe is told
            raise problem_of(error, strings_of(given)) from None
        sent = tuple(strings_of(asked))
        job = desk.jobs.start(Job(one.name, sent, folder), call)
        answered = as_json(job.to_json(), HTTPStatus.ACCEPTED)
        answered.headers["Location"] = f"/v1/jobs/{job.id}"
        return answered

    return answer


def _list_jobs(desk: Desk) -> Handler:
    async def answer(_: Request) -> Response:
        return as_json({"jobs": [job.to_json() for job in desk.jobs.listed()]})

    return answer


def _tell_job(desk: Desk) -> Handler:
    async def answer(request: Request) -> Response:
        return as_json(desk.jobs.find(request.path_params["id"]).to_json())

    return answer


def _cancel_job(desk: Desk) -> Handler:
    async def answer(request: Request) -> Response:
        job = desk.jobs.cancel(request.path_params["id"])
        return as_json(job.to_json(), HTTPStatus.ACCEPTED)

    return answer


def _job_result(desk: Desk) -> Handler:
    async def answer(request: Request) -> Response:
        job = desk.jobs.find(request.path_params["id"])
        if job.problem is not None:
            raise job.problem
        if job.state is not State.DONE or job.result is None:
            raise Problem(HTTPStatus.CONFLICT, "the job is not done yet")
        return as_json(await run_in_threadpool(job.result.to_json))

    return answer


def _job_file(desk: Desk) -> Handler:
    async def answer(request: Request) -> Response:
        return job_file(desk, request)

    return answer


def job_file(desk: Desk, request: Request) -> FileResponse:
    """Return a file of a job for download; its name is one that the job listed."""
    job = desk.jobs.find(request.path_params["id"])
    name = request.path_params["name"]
    if job.folder is None or name not in job.files():
        raise Problem(HTTPStatus.NOT_FOUND, "the job has no such file")
    return FileResponse(job.folder / name, filename=name)
