"""Explore: a researcher asks a mechanism; tables, plots, and the command for each."""

import csv
import io
import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from http import HTTPStatus

from markupsafe import Markup
from starlette.datastructures import UploadFile
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from publius.core.errors import ParameterError
from publius.core.json import finite
from publius.studio.charts import bars, curves, standalone
from publius.studio.desk import Desk
from publius.studio.jobs import Job, State
from publius.studio.pages import Handler, page, told
from publius.studio.problems import Problem
from publius.studio.verbs import endpoint

Json = Mapping[str, object]
Row = Mapping[str, object]

GRID = (2.0, 3.0, 4.0, 5.0, 6.0)
SHOWN = (
    *("epsilon", "level_at_kth_neighbour", "worst_loss", "unchanged"),
    *("distinct_outputs", "explanations", "min_entropy_bits", "near_share", "cosine"),
)
"""Figures of a calibration that the page shows; JSON and CSV hold all."""


@dataclass(frozen=True, slots=True)
class Question:
    """One form of the page.

    Args:
        read: Fields of the form → fields of the request.
        rows: Result → rows of a table.
        chart: Result → plot; empty if there is nothing to draw.
    """

    read: Callable[[Mapping[str, str]], dict[str, object]]
    rows: Callable[[Json], Sequence[Row]]
    chart: Callable[[Json], Markup]


def _number(given: Mapping[str, str], name: str) -> float:
    try:
        return float(given.get(name, ""))
    except ValueError:
        raise ParameterError(f"{name} must be a number") from None


def _common(given: Mapping[str, str]) -> dict[str, object]:
    """Return the settings that every form may have."""
    settings: dict[str, object] = {}
    if given.get("mechanism"):
        settings["mechanism"] = given["mechanism"]
    if given.get("vocabulary"):
        settings["vocabulary"] = int(_number(given, "vocabulary"))
    if given.get("epsilon"):
        settings["epsilon"] = _number(given, "epsilon")
    return settings


def _numbers(text: str) -> list[float]:
    return [_number({"grid": part}, "grid") for part in text.split(",") if part.strip()]


def _facts(result: Json) -> list[Row]:
    return [{"": name, "value": value} for name, value in result.items()]


def _rows(key: str) -> Callable[[Json], Sequence[Row]]:
    return lambda result: list(result[key])  # type: ignore[call-overload]


def _points(rows: Sequence[Row], x: str, y: str) -> list[tuple[float, float]]:
    pairs = [(row.get(x), row.get(y)) for row in rows]
    return [(float(a), float(b)) for a, b in pairs
            if isinstance(a, int | float) and isinstance(b, int | float)]  # fmt: skip


def _calibrated(result: Json) -> Markup:
    rows = _rows("rows")(result)
    lines = [
        (label, _points(rows, "epsilon", key))
        for label, key in (
            ("stays", "unchanged"), ("becomes a near word", "near_share"),
        )
    ]  # fmt: skip
    return curves(lines, "ε", "share of draws")


def _replaced(result: Json) -> Markup:
    listed = _rows("replacements")(result)
    shares = [(str(r["word"]), float(str(r["probability"]))) for r in listed]
    return bars(shares, "probability")


def _certified(result: Json) -> Markup:
    epsilon, far = (float(str(result[key])) for key in ("epsilon", "diameter"))
    worst = float(str(result["worst_loss"]))
    line = [(d, min(epsilon * d, worst)) for d in (far * i / 4 for i in range(5))]
    return curves([("bound", line)], "distance between two words", "loss")


def _audited(result: Json) -> Markup:
    figures = [("claim", result["claim"]), ("shown", result["epsilon_low"])]
    values = [(n, float(v)) for n, v in figures if isinstance(v, int | float)]
    return curves([(n, [(0, v), (1, v)]) for n, v in values], "", "ε")


def _compared(result: Json) -> Markup:
    rows = _rows("rows")(result)
    names = list(dict.fromkeys(str(row["contender"]) for row in rows))
    kind = "attack" if any(row.get("attack") is not None for row in rows) else "utility"
    lines = [
        (n, _points([r for r in rows if r["contender"] == n], "level", kind))
        for n in names
    ]
    up = "authors found" if kind == "attack" else "classes found"
    return curves(lines, "certified level", up)


QUESTIONS: dict[str, Question] = {
    "explain": Question(
        lambda g: {"word": g.get("word", ""), **_common(g)},
        _rows("replacements"),
        _replaced,
    ),
    "calibrate": Question(
        lambda g: {"grid": _numbers(g.get("grid", "")) or list(GRID), **_common(g)},
        _rows("rows"),
        _calibrated,
    ),
    "certify": Question(_common, _facts, _certified),
    "audit": Question(
        lambda g: {"epsilon": _number(g, "epsilon"), "channel": {"file": g["file"]}},
        _facts,
        _audited,
    ),
    "compare": Question(
        lambda g: {
            "table": {"file": g["file"]},
            "levels": _numbers(g.get("levels", "")) or [2.0, 8.0],
            "mechanisms": [m.strip() for m in g.get("mechanisms", "").split(",") if m],
            "workers": 1,
            **{k: g[k] for k in ("text", "author", "label") if g.get(k)},
            "vocabulary": int(_number({"vocabulary": g.get("vocabulary") or "2000"},
                                      "vocabulary")),
        },
        _rows("rows"),
        _compared,
    ),
}  # fmt: skip


def routes(desk: Desk) -> list[Route]:
    """Return the addresses of the page."""
    return [
        Route("/explore", told(_home)),
        Route("/explore/jobs/{id}", told(_progress(desk))),
        Route("/explore/jobs/{id}/cancel", told(_cancel(desk)), methods=["POST"]),
        Route("/explore/jobs/{id}/table.csv", _table(desk)),
        Route("/explore/jobs/{id}/plot.svg", _plot(desk)),
        Route("/explore/{verb}", told(_start(desk)), methods=["POST"]),
    ]


async def _home(_: Request) -> Response:
    grid = ", ".join(f"{e:g}" for e in GRID)
    return page("explore.html.j2", active="explore", grid=grid)


def _start(desk: Desk) -> Handler:
    async def answer(request: Request) -> Response:
        name = request.path_params["verb"]
        if name not in QUESTIONS:
            raise Problem(HTTPStatus.NOT_FOUND, "there is nothing at this address")
        given: dict[str, str] = {}
        async with request.form(max_files=1, max_fields=32) as form:
            for key, value in form.items():
                if not isinstance(value, UploadFile):
                    given[key] = value
                elif value.filename:
                    given[key] = (await desk.uploads.store(value)).id
        if name in ("audit", "compare") and "file" not in given:
            raise ParameterError("choose a file first")
        asked, one = QUESTIONS[name].read(given), endpoint(name)
        folder = desk.uploads.new_folder() if one.writes else None
        call = one.call(asked, desk, folder)
        notes = {"command": command(name, asked)}
        sent = tuple(given.values())
        job = desk.jobs.start(Job(name, sent, folder, notes=notes), call)
        return _shown(job)

    return answer


def command(verb: str, asked: Mapping[str, object]) -> str:
    """Return the command line that asks the same."""
    parts = ["publius", verb]
    for name, value in asked.items():
        flag = f"--{name.replace('_', '-')}"
        match value:
            case {"file": _}:
                parts += ["FILE"] if name == "table" else [flag, "FILE"]
            case list():
                parts += [flag, ",".join(f"{v:g}" if isinstance(v, float) else str(v)
                                         for v in value)]  # fmt: skip
            case float():
                parts += [flag, f"{value:g}"]
            case _ if name == "word":
                parts.append(str(value))
            case _:
                parts += [flag, str(value)]
    if verb == "compare":
        parts += ["-o", "comparison"]
    return shlex.join(parts)


def _progress(desk: Desk) -> Handler:
    async def answer(request: Request) -> Response:
        return _shown(desk.jobs.find(request.path_params["id"]))

    return answer


def _cancel(desk: Desk) -> Handler:
    async def answer(request: Request) -> Response:
        return _shown(desk.jobs.cancel(request.path_params["id"]))

    return answer


def _shown(job: Job) -> Response:
    state = job.state  # read once: it may change while the page is written
    if state is not State.DONE or job.result is None:
        return page("progress.html.j2", job=job, state=state, path="/explore/jobs")
    result = job.result.to_json()
    question = QUESTIONS[job.verb]
    rows = [finite(row) for row in question.rows(result)]
    names = list(rows[0]) if rows else []  # type: ignore[call-overload]
    if job.verb == "calibrate":
        names = [name for name in SHOWN if name in names]
    chart = question.chart(result)
    return page("answer.html.j2", job=job, rows=rows, names=names, chart=chart)


def _done(desk: Desk, request: Request) -> tuple[Job, Json]:
    job = desk.jobs.find(request.path_params["id"])
    if job.result is None or job.verb not in QUESTIONS:
        raise Problem(HTTPStatus.CONFLICT, "the job is not done yet")
    return job, job.result.to_json()


def _table(desk: Desk) -> Handler:
    async def answer(request: Request) -> Response:
        job, result = _done(desk, request)
        rows, out = QUESTIONS[job.verb].rows(result), io.StringIO()
        table = csv.DictWriter(out, list(rows[0]) if rows else [])
        table.writeheader()
        table.writerows([dict(row) for row in rows])
        return _attached(out.getvalue(), "text/csv", f"{job.verb}.csv")

    return answer


def _plot(desk: Desk) -> Handler:
    async def answer(request: Request) -> Response:
        job, result = _done(desk, request)
        drawn = standalone(QUESTIONS[job.verb].chart(result))
        return _attached(drawn, "image/svg+xml", f"{job.verb}.svg")

    return answer


def _attached(content: str, kind: str, name: str) -> Response:
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return Response(content, media_type=kind, headers=headers)
