"""The application: pages and service behind the guard."""

from dataclasses import dataclass
from http import HTTPStatus
from pathlib import Path

from starlette.routing import Mount, Router
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Receive, Scope, Send

from publius.studio import write
from publius.studio.desk import Desk
from publius.studio.guard import Guard
from publius.studio.late import PARTS, Late
from publius.studio.problems import Problem

STATIC = Path(__file__).parent / "static"


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
        found = next((p for start, p in parts.items() if path.startswith(start)), None)
        await (found or _nothing)(scope, receive, send)

    static = Mount("/static", StaticFiles(directory=STATIC))
    router = Router([*write.routes(desk), static], default=later)
    guard = Guard(router, desk.access, desk.largest)
    return Studio(guard, tuple(parts.values()))


async def _nothing(scope: Scope, _receive: Receive, _send: Send) -> None:
    if scope["type"] == "http":
        raise Problem(HTTPStatus.NOT_FOUND, "there is nothing at this address")
