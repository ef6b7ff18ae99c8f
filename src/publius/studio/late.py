"""Parts of the application that are imported when they are first asked for.

Attacks, figures and sentence models take seconds to import; the first page needs none.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from importlib import import_module
from threading import Lock

from starlette.concurrency import run_in_threadpool
from starlette.routing import BaseRoute, Router
from starlette.types import ASGIApp, Receive, Scope, Send

from publius.studio.desk import Desk

PARTS = {
    "/v1/": "publius.studio.api",
    "/explore": "publius.studio.explore",
    "/release": "publius.studio.release",
    "/write/": "publius.studio.write",
}
"""Beginnings of addresses, and the modules that answer them."""


@dataclass(frozen=True, slots=True, eq=False)
class Late:
    """Routes of one module.

    Args:
        module: Has a function ``routes(desk)``.
        desk: What requests share.
        nothing: Answers what has no route.
    """

    module: str
    desk: Desk
    nothing: ASGIApp
    _router: list[Router] = field(default_factory=list, init=False)
    _lock: Lock = field(default_factory=Lock, init=False)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        router = self._router[0] if self._router else await run_in_threadpool(self.load)
        await router(scope, receive, send)

    def load(self) -> Router:
        """Import the module once."""
        with self._lock:
            if not self._router:
                routes: Sequence[BaseRoute] = import_module(self.module).routes(
                    self.desk
                )
                self._router.append(Router(routes, default=self.nothing))
        return self._router[0]
