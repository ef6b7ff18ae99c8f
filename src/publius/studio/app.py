"""The application: routes behind the guard."""

from http import HTTPStatus
from pathlib import Path

from starlette.routing import Mount, Router
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Receive, Scope, Send

from publius.studio import api
from publius.studio.desk import Desk
from publius.studio.guard import Guard
from publius.studio.problems import Problem

STATIC = Path(__file__).parent / "static"


async def _nothing(scope: Scope, _receive: Receive, _send: Send) -> None:
    if scope["type"] == "http":
        raise Problem(HTTPStatus.NOT_FOUND, "there is nothing at this address")


def create_app(desk: Desk) -> ASGIApp:
    """Return the studio as an ASGI application.

    Args:
        desk: What requests share; close it when the server ends.
    """
    static = Mount("/static", StaticFiles(directory=STATIC))
    router = Router([*api.routes(desk), static], default=_nothing)
    return Guard(router, desk.access, desk.largest)
