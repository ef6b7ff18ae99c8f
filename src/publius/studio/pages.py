"""Templates, and what every page and fragment is made with."""

from collections.abc import Awaitable, Callable
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from publius.core.stating import state_bound, state_number, state_odds
from publius.core.visible import visible
from publius.studio.problems import problem_of

Handler = Callable[[Request], Awaitable[Response]]

_TEMPLATES = Environment(
    loader=FileSystemLoader(Path(__file__).parent / "templates"),
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)
_TEMPLATES.filters["bound"] = state_bound
_TEMPLATES.filters["odds"] = state_odds
_TEMPLATES.filters["number"] = state_number
_TEMPLATES.filters["visible"] = visible
_TEMPLATES.filters["percent"] = lambda share: f"{100 * share:.0f} %"


def page(name: str, **values: object) -> HTMLResponse:
    """Return a page or fragment; every value is escaped."""
    return HTMLResponse(_TEMPLATES.get_template(name).render(**values))


def told(handler: Handler) -> Handler:
    """Answer an error as an alert in the page; nothing that was sent is in it."""

    async def answer(request: Request) -> Response:
        try:
            return await handler(request)
        except Exception as error:  # noqa: BLE001 - only what is safe is told
            message = problem_of(error, await _sent(request)).detail
            return page("alert.html.j2", message=message)

    return answer


async def _sent(request: Request) -> list[str]:
    """Return the strings of a form, which no message repeats."""
    if request.method != "POST":
        return []
    try:
        form = await request.form()
    except Exception:  # noqa: BLE001 - what cannot be read is quoted by nobody
        return []
    return [value for value in form.values() if isinstance(value, str)]
