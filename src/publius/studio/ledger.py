"""The ledger of the server, as ``publius ledger`` shows it; names stay out of URLs."""

from collections.abc import Callable, Mapping
from http import HTTPStatus

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from publius.accounting.ledger import Ledger
from publius.core.errors import ParameterError, UnknownNameError
from publius.services import ledger as services
from publius.services.verb import Result
from publius.studio.answers import as_json, json_object
from publius.studio.desk import Desk
from publius.studio.pages import Handler
from publius.studio.problems import Problem, problem_of, strings_of

FIELDS = ("subject", "unnamed", "refused", "limit", "delta")
LIMIT = 20
Ask = Callable[[Ledger, Mapping[str, object]], Result]


def routes(desk: Desk) -> list[Route]:
    """Return the addresses of the ledger."""
    return [
        Route("/v1/ledger/show", _asked(desk, _shown), methods=["POST"]),
        Route("/v1/ledger/releases", _asked(desk, _releases), methods=["POST"]),
    ]


def _asked(desk: Desk, ask: Ask) -> Handler:
    async def answer(request: Request) -> Response:
        given = await json_object(request)
        try:
            return as_json(await run_in_threadpool(_opened, desk, ask, given))
        except Exception as error:  # noqa: BLE001 - only what is safe is told
            raise problem_of(error, strings_of(given)) from None

    return answer


def _opened(desk: Desk, ask: Ask, given: Mapping[str, object]) -> Mapping[str, object]:
    if desk.ledger is None:
        raise Problem(
            HTTPStatus.NOT_FOUND, "this server keeps no ledger; start it with --ledger"
        )
    for name in given.keys() - set(FIELDS):
        raise UnknownNameError("field", str(name), FIELDS)
    with Ledger.open(desk.ledger.file, create=False) as ledger:
        return ask(ledger, given).to_json()


def _shown(ledger: Ledger, given: Mapping[str, object]) -> Result:
    subject, delta = given.get("subject"), _delta(given)
    if (subject is not None) + bool(given.get("unnamed")) + bool(
        given.get("refused")
    ) > 1:
        raise ParameterError("give one of subject, unnamed and refused")
    if subject is not None and not isinstance(subject, str):
        raise ParameterError("subject must be a string")
    if given.get("refused"):
        return services.refused(ledger)
    if subject is not None or given.get("unnamed"):
        return services.statement(ledger, subject, delta=delta)
    limit = given.get("limit", LIMIT)
    if not isinstance(limit, int) or isinstance(limit, bool) or limit < 1:
        raise ParameterError("limit must be a whole number > 0")
    return services.balance(ledger, limit=limit, delta=delta)


def _releases(ledger: Ledger, given: Mapping[str, object]) -> Result:
    return services.releases(ledger, delta=_delta(given))


def _delta(given: Mapping[str, object]) -> float | None:
    delta = given.get("delta")
    if delta is None:
        return None
    is_number = isinstance(delta, int | float) and not isinstance(delta, bool)
    if not (is_number and 0 < float(str(delta)) < 1):
        raise ParameterError("delta must lie in (0, 1)")
    return float(str(delta))
