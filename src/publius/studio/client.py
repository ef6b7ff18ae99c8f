"""A small client of the service, with one connection per question."""

import json
import time
from http.client import HTTPConnection, HTTPSConnection

from starlette.datastructures import URL

from publius.core.errors import DataError, ParameterError

SECONDS = 600.0


class Client:
    """Ask a running ``publius serve``.

    Args:
        address: Such as ``http://127.0.0.1:8787``.
        token: What the server printed for programs.
        seconds: How long to wait for an answer.
    """

    def __init__(self, address: str, token: str, seconds: float = SECONDS) -> None:
        parts = URL(address)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ParameterError("an address begins with http:// or https://")
        self._kind = HTTPSConnection if parts.scheme == "https" else HTTPConnection
        self._place, self._seconds = parts.netloc, seconds
        self._headers = {
            "Authorization": f"Bearer {token}",
            "Content-Type": "application/json",
        }

    def call(self, verb: str, **fields: object) -> dict[str, object]:
        """Return what a verb answers.

        Raises:
            DataError: The server refused; its sentence is the message.
        """
        return self._ask("POST", f"/v1/{verb}", fields)

    def start(self, verb: str, **fields: object) -> str:
        """Begin long work; return the id of the job."""
        job = self._ask("POST", "/v1/jobs", {"verb": verb, "request": fields})
        return str(job["id"])

    def job(self, number: str) -> dict[str, object]:
        """Return how far a job is."""
        return self._ask("GET", f"/v1/jobs/{number}")

    def cancel(self, number: str) -> None:
        """Ask a job to stop."""
        self._ask("DELETE", f"/v1/jobs/{number}")

    def wait(self, number: str, pause: float = 0.2) -> dict[str, object]:
        """Return the result of a job once it is done."""
        while self.job(number)["state"] in ("waiting", "running"):
            time.sleep(pause)
        return self._ask("GET", f"/v1/jobs/{number}/result")

    def _ask(
        self, method: str, path: str, body: dict[str, object] | None = None
    ) -> dict[str, object]:
        connection = self._kind(self._place, timeout=self._seconds)
        try:
            content = None if body is None else json.dumps(body)
            connection.request(method, path, content, self._headers)
            answer = connection.getresponse()
            value: dict[str, object] = json.loads(answer.read())
        finally:
            connection.close()
        if answer.status >= 400:
            raise DataError(str(value.get("detail", "the server refused")))
        return value
