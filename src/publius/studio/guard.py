"""What every request passes before anything reads it, and every response after.

Host names the machine (a foreign page cannot rebind its own name to it), Origin and
Sec-Fetch-Site name the page (it cannot use the browser's cookie), the token names the
person, and bodies are counted as they arrive.
"""

from http import HTTPStatus
from time import perf_counter

from starlette.datastructures import Headers, MutableHeaders, QueryParams
from starlette.responses import RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from publius.studio.access import Access
from publius.studio.problems import Problem, problem_of

OWN = frozenset({"same-origin", "none"})
SAFE = frozenset({"GET", "HEAD"})
OPEN = "/static/"
"""Style and script, the same for everybody."""

POLICY = (
    "default-src 'self'; object-src 'none'; base-uri 'none'; form-action 'self'; "
    "frame-ancestors 'self'"
)
HEADERS = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": POLICY,
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "SAMEORIGIN",
}
CLOSED = (
    "open the address that publius printed when it started; it lets one browser in, "
    "once. Programs send the token as 'Authorization: Bearer TOKEN'"
)


class Guard:
    """Let in who may come in.

    Args:
        app: What it guards.
        access: Who that is.
        largest: Bytes of a body at most.
    """

    def __init__(self, app: ASGIApp, access: Access, largest: int) -> None:
        self._app, self._access, self._largest = app, access, largest

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        answered, headers = _Answer(send), Headers(scope=scope)
        try:
            entered = self._enter(scope, headers) or self._app
            await entered(scope, _Counted(receive, self._largest), answered)
        except Exception as error:  # noqa: BLE001 - a log would quote what was sent
            # Of a response that has begun the rest is missing, and the reader sees it.
            if not answered.has_begun:
                problem = problem_of(error)
                wants_page = "text/html" in headers.get("accept", "")
                told = problem.page() if wants_page else problem.response()
                await told(scope, receive, answered)

    def _enter(self, scope: Scope, headers: Headers) -> Response | None:
        """Return None for a request that may pass, or what it gets instead."""
        access = self._access
        if headers.get("host") not in access.hosts:
            raise Problem(
                HTTPStatus.MISDIRECTED_REQUEST, "the Host header names another server"
            )
        if headers.get("sec-fetch-site", "none") not in OWN:
            raise Problem(HTTPStatus.FORBIDDEN, "the request comes from another page")
        self._check_origin(scope["method"], headers)
        self._check_length(headers)
        if scope["path"].startswith(OPEN):
            return None
        if scope["path"] == "/" and b"token=" in scope["query_string"]:
            return self._let_in(scope, headers)
        if not self._is_known(headers):
            raise Problem(HTTPStatus.UNAUTHORIZED, CLOSED)
        return None

    def _is_known(self, headers: Headers) -> bool:
        cookie, bearer = headers.get("cookie", ""), headers.get("authorization", "")
        return self._access.has_cookie(cookie) or self._access.has_bearer(bearer)

    def _check_origin(self, method: str, headers: Headers) -> None:
        origin = headers.get("origin")
        if origin is not None and origin not in self._access.origins:
            raise Problem(HTTPStatus.FORBIDDEN, "the request comes from another page")
        # Browsers name the origin of whatever changes something; programs have no
        # cookie.
        if method not in SAFE and origin is None and "cookie" in headers:
            raise Problem(HTTPStatus.FORBIDDEN, "the request does not name its page")

    def _check_length(self, headers: Headers) -> None:
        length = headers.get("content-length", "0")
        if not (length.isascii() and length.isdigit()):
            raise Problem(HTTPStatus.BAD_REQUEST, "Content-Length must be a number")
        if int(length) > self._largest:
            raise _too_large(self._largest)

    def _let_in(self, scope: Scope, headers: Headers) -> Response:
        """Exchange the token of the address for a cookie; it leaves the address bar."""
        query = QueryParams(scope["query_string"])
        is_new = self._access.redeem(query.get("token", ""))
        if not is_new and not self._is_known(headers):
            raise Problem(HTTPStatus.UNAUTHORIZED, CLOSED)
        cookie = {"Set-Cookie": self._access.cookie} if is_new else {}
        return RedirectResponse("/", HTTPStatus.SEE_OTHER, cookie)


class _Counted:
    """A body that ends where it is too large, whatever its header said."""

    def __init__(self, receive: Receive, largest: int) -> None:
        self._receive, self._largest, self._count = receive, largest, 0

    async def __call__(self) -> Message:
        message = await self._receive()
        self._count += len(message.get("body", b""))
        if self._count > self._largest:
            raise _too_large(self._largest)
        return message


class _Answer:
    """A response with the headers of every response."""

    def __init__(self, send: Send) -> None:
        self._send, self._start = send, perf_counter()
        self.has_begun = False

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.has_begun = True
            headers = MutableHeaders(scope=message)
            for name, value in HEADERS.items():
                headers.setdefault(name, value)
            spent = 1e3 * (perf_counter() - self._start)
            headers["Server-Timing"] = f"app;dur={spent:.1f}"
        await self._send(message)


def _too_large(largest: int) -> Problem:
    return Problem(
        HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
        f"the body is larger than {largest / 1e6:.0f} MB; start the server with a "
        "larger --max-upload, or release the file on the command line",
    )
