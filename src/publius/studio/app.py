"""The application: pages and service behind the guard."""

import secrets
from dataclasses import dataclass
from http import HTTPStatus
from pathlib import Path

from starlette.requests import Request
from starlette.responses import FileResponse, Response
from starlette.routing import Mount, Route, Router
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Receive, Scope, Send

from publius.studio.desk import Desk
from publius.studio.guard import Guard
from publius.studio.late import PARTS, Late
from publius.studio.pages import page
from publius.studio.problems import Problem
from publius.studio.slider import DEFAULT, STEPS

STATIC = Path(__file__).parent / "static"
DESIGN = Path(__file__).parents[1] / "reporting" / "templates" / "design.css"
"""Colours and type that reports have too."""


@dataclass(frozen=True, slots=True, eq=False)
class Studio:
    """The whole application.

    Args:
        app: What a server calls.
        parts: What is imported later.
    """

    app: ASGIApp
    parts: tuple[Late, ...]

    def load(self) -> None:
        """Import what was left for later."""
        for part in self.parts:
            part.load()


def create_app(desk: Desk) -> Studio:
    """Return the studio as an ASGI application.

    Args:
        desk: What requests share; close it when the server ends.
    """
    parts = {start: Late(name, desk, _nothing) for start, name in PARTS.items()}

    async def later(scope: Scope, receive: Receive, send: Send) -> None:
        path = str(scope.get("path", ""))
        part = next((p for start, p in parts.items() if path.startswith(start)), None)
        await (part or _nothing)(scope, receive, send)

    design = Route("/static/design.css", _design)
    static = Mount("/static", StaticFiles(directory=STATIC))
    router = Router([Route("/", _home), design, static], default=later)
    guard = Guard(router, desk.access, desk.largest)
    return Studio(guard, tuple(parts.values()))


async def _home(_: Request) -> Response:
    """Show the first page; what it asks for is loaded while it is being read."""
    tab = secrets.token_urlsafe(8)
    return page("write.html.j2", steps=STEPS, default=DEFAULT, active="write", tab=tab)


async def _design(_: Request) -> Response:
    return FileResponse(DESIGN, media_type="text/css")


async def _nothing(scope: Scope, _receive: Receive, _send: Send) -> None:
    if scope["type"] == "http":
        raise Problem(HTTPStatus.NOT_FOUND, "there is nothing at this address")
