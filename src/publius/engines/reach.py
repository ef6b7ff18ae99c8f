"""Whether a cluster answers at all, asked before its client waits for minutes."""

import re
import socket

from publius.core.errors import WorkerError

_PLACE = re.compile(r"(?:[a-z]+://)?(?P<host>\[[^]]+\]|[^:/,;]+):(?P<port>\d+)")
_TOKEN = re.compile(r"(?<=token=)[^;]+")
_PATIENCE = 5.0


def told(address: str) -> str:
    """Return an address as it may be shown: without its token."""
    return _TOKEN.sub("…", address)


def refuse_unreachable(kind: str, address: str, hint: str) -> None:
    """Raise unless one of the hosts that an address names takes a connection.

    Args:
        kind: Of the cluster, for the message.
        address: Such as ``spark://one:7077,two:7077``; without a port nothing is asked.
        hint: What to do about it.

    Raises:
        WorkerError: None of them does.
    """
    places = [match.groupdict() for match in _PLACE.finditer(address)]
    if places and not any(_answers(p["host"], int(p["port"])) for p in places):
        raise WorkerError(f"{kind} cannot be reached at {told(address)!r}; {hint}")


def _answers(host: str, port: int) -> bool:
    try:
        socket.create_connection((host.strip("[]"), port), _PATIENCE).close()
    except (OSError, OverflowError, UnicodeError):
        return False
    return True
