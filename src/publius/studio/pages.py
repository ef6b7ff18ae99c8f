"""Templates, and what every page and fragment is made with."""

from collections.abc import Awaitable, Callable
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from publius.core.stating import state_bound, state_odds
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
            form = await request.form() if request.method == "POST" else None
            sent = [v for v in form.values() if isinstance(v, str)] if form else []
            return page("alert.html.j2", message=problem_of(error, sent).detail)

    return answer
