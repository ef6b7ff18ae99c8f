"""Write: a person with a text sees what it becomes, and what still gives them away."""

from http import HTTPStatus
from importlib import import_module

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from publius.assessment.deniability.explanation import Explanation
from publius.core.config import WordSettings
from publius.core.errors import DataError
from publius.services.explain import explain
from publius.studio.charts import bars
from publius.studio.desk import Desk
from publius.studio.dial import PAIR, Dial
from publius.studio.drafts import RETELLING, SIGMA, Draft, Manner, draw
from publius.studio.habits import Habit, habits
from publius.studio.pages import Handler, page, told
from publius.studio.problems import Problem

BARS = 12


def routes(desk: Desk) -> list[Route]:
    """Return the addresses of the page."""
    return [
        Route("/write/preview", told(_preview), methods=["POST"]),
        Route("/write/word", told(_word), methods=["POST"]),
        Route("/write/recognised", told(_recognised), methods=["POST"]),
        Route("/write/release", told(_release(desk)), methods=["POST"]),
        Route("/write/new", told(_new(desk)), methods=["POST"]),
        Route("/write/released/{id}", _download(desk)),
    ]


async def _preview(request: Request) -> Response:
    form = await request.form()
    draft, is_asked = Draft.of(form), form.get("now") == "yes"
    return await run_in_threadpool(_previewed, draft, is_asked=is_asked)


def _previewed(draft: Draft, *, is_asked: bool = False) -> Response:
    # A language model takes too long to write at every keystroke.
    is_waiting = draft.manner is Manner.RETELL and not is_asked
    is_drawn = bool(draft.text.strip()) and not is_waiting
    return page(
        "preview.html.j2",
        draw=draw(draft) if is_drawn else None,
        draft=draft,
        habits=_told_habits(draft) if is_drawn else (),
        dial=Dial.of(draft.settings),
        pair=PAIR,
        retelling=RETELLING,
        sigma=SIGMA,
    )


def _told_habits(draft: Draft) -> tuple[Habit, ...]:
    is_replaced = draft.manner is Manner.WORDS
    return habits(draft.text, draft.chosen) if is_replaced else ()


async def _word(request: Request) -> Response:
    form = await request.form()
    draft, word = Draft.of(form), str(form.get("word", ""))
    explanation = await run_in_threadpool(explain, word, draft.settings, BARS)
    output = str(form.get("out", ""))
    seen = None
    if output and output.lower() != explanation.word.lower():
        seen = await run_in_threadpool(explain, output, draft.settings, 1)
    chart = bars(_law(explanation), "probability")
    return page(
        "word.html.j2", explanation=explanation, seen=seen or explanation, chart=chart
    )


def _law(explanation: Explanation) -> list[tuple[str, float]]:
    shares = explanation.replacements.figures.tolist()
    listed = list(zip(explanation.replacements.words, shares, strict=True))
    return [*listed, ("any other word", explanation.others)]


async def _recognised(request: Request) -> Response:
    form = await request.form()
    draft = Draft.of(form)
    others = [str(text) for text in form.getlist("other") if str(text).strip()]
    texts = [draft.text, *others]
    recognition = await run_in_threadpool(_recognise, texts, draft.settings)
    return page("recognised.html.j2", recognition=recognition)


def _recognise(texts: list[str], settings: WordSettings) -> object:
    # Attacks are heavy to import, and the first page needs none.
    return import_module("publius.studio.recognise").recognise(texts, settings)


def _release(desk: Desk) -> Handler:
    async def answer(request: Request) -> Response:
        form = await request.form()
        draft = Draft.of(form)
        if not draft.text.strip():
            raise DataError("there is no text yet")
        made = await run_in_threadpool(draw, draft)
        count = desk.drawn.count(str(form.get("tab", "")), draft.text)
        number = desk.drawn.add(made.released)
        return page("released.html.j2", draw=made, number=number, count=count)

    return answer


def _new(desk: Desk) -> Handler:
    async def answer(request: Request) -> Response:
        desk.drawn.begin(str((await request.form()).get("tab", "")))
        return page("new.html.j2")

    return answer


def _download(desk: Desk) -> Handler:
    async def answer(request: Request) -> Response:
        text = desk.drawn.find(request.path_params["id"])
        if text is None:
            raise Problem(HTTPStatus.NOT_FOUND, "this release is not kept any more")
        name = {"Content-Disposition": 'attachment; filename="released.txt"'}
        return PlainTextResponse(text, headers=name)

    return answer
