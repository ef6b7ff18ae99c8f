"""Release: a steward with a table chooses columns, releases, reads the report."""

import io
import shlex
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from http import HTTPStatus

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route

from publius.core.errors import ParameterError
from publius.services.calibrate import calibrate
from publius.studio import reading
from publius.studio.answers import take_form
from publius.studio.desk import Desk
from publius.studio.jobs import Job, State
from publius.studio.pages import Handler, page, told
from publius.studio.problems import Problem
from publius.studio.slider import DEFAULT, STEPS
from publius.studio.uploads import Upload
from publius.studio.verbs import Endpoint, endpoint
from publius.tables.peek import mask, peek

REPORT_POLICY = "default-src 'none'; style-src 'unsafe-inline'; sandbox"
"""A report is one page with its own style; nothing in it runs or is loaded."""

SAMPLE = 2000
"""Words of the vocabulary on which the page shows what an ε means."""

FIELDS = {
    "release": ("text", "author", "epsilon", "protect", "form"),
    "times": ("column", "user", "level", "radius", "period"),
    "places": ("lat", "lon", "user", "level", "radius"),
}
"""What each form of the page may hold beside file and kept columns."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What a form asks for.

    Args:
        one: The verb.
        upload: The table.
        fields: Of the request, as JSON has them.
    """

    one: Endpoint
    upload: Upload
    fields: dict[str, object]

    @property
    def request(self) -> dict[str, object]:
        """Return the whole request."""
        return {"table": {"file": self.upload.id}, "format": "same", **self.fields}

    @property
    def command(self) -> str:
        """Return the command line that does the same."""
        parts = ["publius", self.one.name, f"TABLE{self.upload.path.suffix}"]
        for name, value in self.fields.items():
            flag = "--as" if name == "form" else f"--{name}"
            shown = ",".join(value) if isinstance(value, list) else value
            number = f"{shown:g}" if isinstance(shown, float) else str(shown)
            parts += [flag, number]
        return shlex.join([*parts, "--format", "same", "-o", "released"])

    @property
    def toml(self) -> str:
        """Return the settings of words as ``publius.toml`` holds them."""
        kept = {k: v for k, v in self.fields.items() if k in reading.SHARED}
        lines = [
            f"{name} = {value!r}".replace("'", '"') for name, value in kept.items()
        ]
        return "\n".join(["[words]", *lines, ""])


def routes(desk: Desk) -> list[Route]:
    """Return the addresses of the page."""
    job = "/release/jobs/{id}"
    return [
        Route("/release", told(_home(desk))),
        Route("/release/file", told(_choose(desk)), methods=["POST"]),
        Route("/release/meaning", told(_meaning), methods=["POST"]),
        Route("/release/start", told(_start(desk)), methods=["POST"]),
        Route(job, told(_whole(desk))),
        Route(f"{job}/state", told(_state(desk))),
        Route(f"{job}/cancel", told(_cancel(desk)), methods=["POST"]),
        Route(f"{job}/resume", told(_resume(desk)), methods=["POST"]),
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
        rows = [[mask(cell) for cell in row] for row in head.rows]
        return page(
            "columns.html.j2",
            upload=upload,
            names=head.names,
            rows=rows,
            steps=STEPS,
            default=STEPS[DEFAULT],
        )

    return answer


async def _meaning(request: Request) -> Response:
    """Show what an ε means, measured on public words."""
    form = await request.form()
    epsilon = reading.typed(object, "epsilon", str(form.get("epsilon", "")))
    try:
        number = float(str(epsilon))
    except ValueError:
        raise ParameterError("epsilon must be a number") from None
    made = await run_in_threadpool(calibrate, grid=(number,), vocabulary=SAMPLE)
    return page("meaning.html.j2", row=made.rows[0], words=SAMPLE)


async def _asked(desk: Desk, request: Request) -> Asked:
    form = await request.form()
    name = str(form.get("material", ""))
    if name not in FIELDS:
        raise ParameterError("choose texts, times or places")
    one = endpoint(name)
    fields: dict[str, object] = {
        key: reading.typed(one.kind, key, str(form[key]))
        for key in FIELDS[name]
        if str(form.get(key, "")).strip()
    }
    protected = {fields.get(key) for key in ("text", "column", "lat", "lon")}
    kept = [str(value) for value in form.getlist("keep")]
    if any(value in protected for value in kept):
        raise ParameterError("a column is either protected or kept")
    if kept:
        fields["keep"] = kept
    return Asked(one, desk.uploads.find(form.get("file")), fields)


def _start(desk: Desk) -> Handler:
    async def answer(request: Request) -> Response:
        asked = await _asked(desk, request)
        folder = desk.uploads.new_folder()
        call = asked.one.call(asked.request, desk.uploads, folder)
        notes = {"command": asked.command, "toml": asked.toml, "asked": asked}
        sent = tuple(str(value) for value in asked.fields.values())
        made = Job(asked.one.name, sent, folder, asked.upload.size, notes)
        job = desk.jobs.start(made, call)
        response = HTMLResponse("")
        # The address of the job holds its number only; it survives a reload.
        response.headers["HX-Redirect"] = f"/release/jobs/{job.id}"
        return response

    return answer


def _resume(desk: Desk) -> Handler:
    async def answer(request: Request) -> Response:
        old = _job(desk, request)
        asked = old.notes["asked"]
        if not isinstance(asked, Asked) or old.state is not State.CANCELLED:
            raise Problem(HTTPStatus.CONFLICT, "only a stopped release can be resumed")
        call = asked.one.call(asked.request, desk.uploads, old.folder, resume=True)
        made = Job(old.verb, old.sent, old.folder, old.size, old.notes)
        job = desk.jobs.start(made, call)
        return RedirectResponse(f"/release/jobs/{job.id}", HTTPStatus.SEE_OTHER)

    return answer


def _job(desk: Desk, request: Request) -> Job:
    job = desk.jobs.find(request.path_params["id"])
    if job.verb not in FIELDS or "asked" not in job.notes:
        raise Problem(HTTPStatus.NOT_FOUND, "there is no such release")
    return job


def _facts(job: Job) -> Mapping[str, object]:
    return {} if job.result is None else job.result.to_json()


def _whole(desk: Desk) -> Handler:
    async def answer(request: Request) -> Response:
        job = _job(desk, request)
        return page("job.html.j2", active="release", job=job, facts=_facts(job))

    return answer


def _state(desk: Desk) -> Handler:
    async def answer(request: Request) -> Response:
        job = _job(desk, request)
        return page("state.html.j2", job=job, facts=_facts(job))

    return answer


def _cancel(desk: Desk) -> Handler:
    async def answer(request: Request) -> Response:
        job = _job(desk, request)
        desk.jobs.cancel(job.id)
        return page("state.html.j2", job=job, facts=_facts(job))

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
        content = await run_in_threadpool(_zipped, job)
        name = {"Content-Disposition": 'attachment; filename="released.zip"'}
        return Response(content, media_type="application/zip", headers=name)

    return answer


def _zipped(job: Job) -> bytes:
    """Return what may be published, in one file."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in job.files():
            if job.folder is not None and not name.startswith("private"):
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
