"""Release: a steward with a table chooses columns, releases, reads the report."""

import io
import zipfile
from collections.abc import Mapping
from functools import lru_cache
from http import HTTPStatus

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from publius.core.errors import DataError, ParameterError
from publius.reporting.rendering import PRIVATE_REPORT
from publius.services.calibrate import calibrate
from publius.studio.answers import take_form
from publius.studio.asked import FIELDS, Asked
from publius.studio.desk import Desk
from publius.studio.drafts import RETELLING
from publius.studio.jobs import Job, State
from publius.studio.losers import losers
from publius.studio.pages import Handler, page, told
from publius.studio.pictures import pictured
from publius.studio.problems import Problem
from publius.studio.slider import DEFAULT, STEPS
from publius.tables.peek import mask, peek

REPORT_POLICY = "default-src 'none'; style-src 'unsafe-inline'; sandbox"
"""A report is one page with its own style; nothing in it runs or is loaded."""

SAMPLE = 2000
"""Words of the vocabulary on which slow mechanisms are measured."""

MOST_COLUMNS = 300
MECHANISMS = ("exponential", "santext", "custext")
QUICK = "exponential"
"""Its certificates ship, so that it is measured on the whole vocabulary."""


def routes(desk: Desk) -> list[Route]:
    """Return the addresses of the page."""
    job = "/release/jobs/{id}"
    return [
        Route("/release", told(_home(desk))),
        Route("/release/file", told(_choose(desk)), methods=["POST"]),
        Route("/release/meaning", told(_meaning), methods=["POST"]),
        Route("/release/losers", told(_losers(desk)), methods=["POST"]),
        Route("/release/picture", told(_picture(desk)), methods=["POST"]),
        Route("/release/start", told(_start(desk)), methods=["POST"]),
        Route(job, told(_whole(desk))),
        Route(f"{job}/state", told(_state(desk))),
        Route(f"{job}/cancel", told(_cancel(desk)), methods=["POST"]),
        Route(f"{job}/resume", told(_resume(desk)), methods=["POST"]),
        Route(f"{job}/pictures", told(_drawn(desk))),
        Route(f"{job}/report", _report(desk)),
        Route(f"{job}/all.zip", _everything(desk)),
        Route(f"{job}/publius.toml", _toml(desk)),
    ]


def _home(desk: Desk) -> Handler:
    async def answer(_: Request) -> Response:
        jobs = [job for job in desk.jobs.listed() if job.verb in FIELDS]
        return page("release.html.j2", active="release", jobs=jobs)

    return answer


def _choose(desk: Desk) -> Handler:
    async def answer(request: Request) -> Response:
        upload, _ = await take_form(desk, request)
        head = await run_in_threadpool(peek, upload.path)
        if len(head.names) > MOST_COLUMNS:
            raise DataError(
                f"a page shows tables of up to {MOST_COLUMNS} columns; release this "
                "one on the command line"
            )
        rows = [[mask(cell) for cell in row] for row in head.rows]
        return page(
            "columns.html.j2",
            upload=upload,
            names=head.names,
            rows=rows,
            steps=STEPS,
            default=STEPS[DEFAULT],
            mechanisms=MECHANISMS,
            is_charged=desk.ledger is not None,
            retelling=RETELLING,
        )

    return answer


async def _meaning(request: Request) -> Response:
    """Show what an ε means, measured on public words."""
    form = await request.form()
    try:
        number = float(str(form.get("epsilon", "")))
    except ValueError:
        raise ParameterError("epsilon must be a number") from None
    name = str(form.get("mechanism", QUICK))
    if name not in MECHANISMS:
        raise ParameterError("the page offers no such mechanism")
    await run_in_threadpool(_measured, name, number)
    seen = sorted(e for n, e in _SEEN if n == name)
    rows = [await run_in_threadpool(_measured, name, e) for e in seen]
    words = None if name == QUICK else SAMPLE
    return page("meaning.html.j2", rows=rows, chosen=number, words=words)


_SEEN: dict[tuple[str, float], None] = {}
"""Settings that were looked at, for comparison side by side."""


@lru_cache(maxsize=64)
def _measured(name: str, epsilon: float) -> Mapping[str, object]:
    """Return what an ε of a mechanism means; a function of public words."""
    vocabulary = None if name == QUICK else SAMPLE
    made = calibrate(grid=(epsilon,), mechanism=name, vocabulary=vocabulary)
    _SEEN[name, epsilon] = None
    return made.rows[0]


def _losers(desk: Desk) -> Handler:
    async def answer(request: Request) -> Response:
        asked = Asked.of(await request.form(), desk)
        shown = await run_in_threadpool(losers, asked)
        return page("losers.html.j2", losers=shown)

    return answer


def _picture(desk: Desk) -> Handler:
    async def answer(request: Request) -> Response:
        asked = Asked.of(await request.form(), desk)
        shown = await run_in_threadpool(pictured, asked)
        return page("pictures.html.j2", pictures=shown)

    return answer


def _drawn(desk: Desk) -> Handler:
    async def answer(request: Request) -> Response:
        job = _finished(desk, request)
        asked, folder = job.notes["asked"], job.folder
        if not isinstance(asked, Asked) or folder is None:
            raise Problem(HTTPStatus.NOT_FOUND, "there is no such release")
        data = next(path for path in folder.iterdir() if path.stem == "data")
        shown = await run_in_threadpool(pictured, asked, data)
        return page("pictures.html.j2", pictures=shown)

    return answer


def _start(desk: Desk) -> Handler:
    async def answer(request: Request) -> Response:
        asked = Asked.of(await request.form(), desk)
        folder = desk.uploads.new_folder()
        call = asked.one.call(asked.request, desk, folder)
        notes = {"command": asked.command, "toml": asked.toml, "asked": asked}
        sent = tuple(str(value) for value in asked.fields.values())
        made = Job(asked.one.name, sent, folder, asked.upload.size, notes)
        return _shown_at(desk.jobs.start(made, call))

    return answer


def _shown_at(job: Job) -> Response:
    # The address of the job holds its number only; it survives a reload. A form that
    # the browser sends by itself would not name its origin and be refused.
    return HTMLResponse("", headers={"HX-Redirect": f"/release/jobs/{job.id}"})


def _resume(desk: Desk) -> Handler:
    async def answer(request: Request) -> Response:
        old = _job(desk, request)
        asked = old.notes["asked"]
        if not isinstance(asked, Asked) or old.state is not State.CANCELLED:
            raise Problem(HTTPStatus.CONFLICT, "only a stopped release can be resumed")
        call = asked.one.call(asked.request, desk, old.folder, resume=True)
        made = Job(old.verb, old.sent, old.folder, old.size, old.notes)
        return _shown_at(desk.jobs.start(made, call))

    return answer


def _job(desk: Desk, request: Request) -> Job:
    job = desk.jobs.find(request.path_params["id"])
    if job.verb not in FIELDS or "asked" not in job.notes:
        raise Problem(HTTPStatus.NOT_FOUND, "there is no such release")
    return job


def _told_of(job: Job) -> dict[str, object]:
    """Return what the pages of a job show."""
    state = job.state  # read once: it may change while the page is written
    facts = {} if job.result is None else job.result.to_json()
    return {"job": job, "state": state, "facts": facts}


def _whole(desk: Desk) -> Handler:
    async def answer(request: Request) -> Response:
        job = _job(desk, request)
        return page("job.html.j2", active="release", **_told_of(job))

    return answer


def _state(desk: Desk) -> Handler:
    async def answer(request: Request) -> Response:
        job = _job(desk, request)
        return page("state.html.j2", **_told_of(job))

    return answer


def _cancel(desk: Desk) -> Handler:
    async def answer(request: Request) -> Response:
        job = _job(desk, request)
        desk.jobs.cancel(job.id)
        return page("state.html.j2", **_told_of(job))

    return answer


def _finished(desk: Desk, request: Request) -> Job:
    job = _job(desk, request)
    if job.state is not State.DONE or job.folder is None:
        raise Problem(HTTPStatus.CONFLICT, "the release is not done yet")
    return job


def _report(desk: Desk) -> Handler:
    async def answer(request: Request) -> Response:
        folder = _finished(desk, request).folder
        text = (folder / "report.html").read_text("utf-8") if folder else ""
        return HTMLResponse(text, headers={"Content-Security-Policy": REPORT_POLICY})

    return answer


def _everything(desk: Desk) -> Handler:
    async def answer(request: Request) -> Response:
        job = _finished(desk, request)
        content = await run_in_threadpool(zipped, job)
        name = {"Content-Disposition": 'attachment; filename="released.zip"'}
        return Response(content, media_type="application/zip", headers=name)

    return answer


def zipped(job: Job) -> bytes:
    """Return what may be published, in one file."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in job.files():
            if job.folder is not None and name != PRIVATE_REPORT:
                archive.write(job.folder / name, name)
    return out.getvalue()


def _toml(desk: Desk) -> Handler:
    async def answer(request: Request) -> Response:
        job = _job(desk, request)
        name = {"Content-Disposition": 'attachment; filename="publius.toml"'}
        return Response(
            str(job.notes["toml"]), media_type="application/toml", headers=name
        )

    return answer
