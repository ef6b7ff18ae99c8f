"""Bind, print the address, serve; remove everything at the end."""

import contextlib
import signal
import socket
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

import uvicorn

from publius.core.config import LedgerSettings
from publius.core.errors import DataError, OutputError, ParameterError
from publius.studio.access import LOOPBACK, Access
from publius.studio.app import create_app
from publius.studio.desk import LARGEST, Desk

SHORTEST_TOKEN = 20


@dataclass(frozen=True, slots=True)
class Serving:
    """How the server listens.

    Args:
        port: 0 for any that is free.
        host: Address to bind; other than loopback needs TLS and a token file.
        names: Host names under which it is reached, if other than loopback.
        certificate: TLS certificate, PEM.
        key: Its private key, PEM.
        token_file: Holds the token of programs; None makes one.
        largest: Bytes of a request at most.
        ledger: Every release of a table is charged there first.
    """

    port: int = 0
    host: str = "127.0.0.1"
    names: tuple[str, ...] = ()
    certificate: Path | None = None
    key: Path | None = None
    token_file: Path | None = None
    largest: int = LARGEST
    ledger: LedgerSettings | None = None

    def __post_init__(self) -> None:
        if not 0 <= self.port < 1 << 16:
            raise ParameterError(f"port must lie in 0 … 65535, got {self.port}")
        if (self.certificate is None) != (self.key is None):
            raise ParameterError("TLS needs both a certificate and its key")
        is_safe = self.certificate is not None and self.token_file is not None
        if not self.is_local and not is_safe:
            raise ParameterError(
                "a host other than 127.0.0.1 needs --tls-certificate, --tls-key and "
                "--token-file: texts and the token would travel in the open"
            )

    @property
    def is_local(self) -> bool:
        """Say whether only this machine can reach it."""
        return self.host in ("127.0.0.1", "localhost", "::1")

    def access(self, port: int) -> Access:
        """Return who may come in."""
        names = LOOPBACK if self.is_local else (self.names or (self.host,))
        encrypted = self.certificate is not None
        if self.token_file is None:
            return Access(port, names, encrypted)
        return Access(port, names, encrypted, read_token(self.token_file))


def read_token(path: Path) -> str:
    """Return the token of a file that only its owner can read."""
    try:
        mode, token = path.stat().st_mode, path.read_text("ascii").strip()
    except (OSError, UnicodeDecodeError):
        raise DataError("the token file cannot be read as plain text") from None
    if mode & 0o077:
        raise DataError("others can read the token file; do: chmod 600 FILE")
    if len(token) < SHORTEST_TOKEN or not token.isprintable() or " " in token:
        raise DataError(
            f"the token file must hold one word of at least {SHORTEST_TOKEN} characters"
        )
    return token


def serve(serving: Serving, tell: Callable[[Access], None]) -> None:
    """Serve until the process is told to stop.

    Args:
        serving: How to listen.
        tell: Given the access once the address answers.
    """
    with _bound(serving) as listener, _ended_by_signals():
        access = serving.access(listener.getsockname()[1])
        desk = Desk(access, serving.largest, serving.ledger)
        studio = create_app(desk)
        config = uvicorn.Config(
            studio.app,
            access_log=False,
            log_level="critical",
            server_header=False,
            date_header=False,
            lifespan="off",
            ssl_certfile=serving.certificate,
            ssl_keyfile=serving.key,
            timeout_graceful_shutdown=2,
        )
        try:
            threading.Thread(target=_warm, args=(studio.load,), daemon=True).start()
            tell(desk.access)
            uvicorn.Server(config).run(sockets=[listener])
        finally:
            desk.close()


def _warm(load: Callable[[], None]) -> None:
    # Laws and word vectors take a second to import, and the first page needs neither.
    import_module("publius.studio.warming").warm(load)


@contextlib.contextmanager
def _ended_by_signals() -> Iterator[None]:
    """Let whatever asks the process to end raise, so that what was sent is removed.

    A process that was asked to terminate, or whose terminal was closed, would else end
    where it stands, and leave secret files behind.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {signal.SIGTERM: signal.signal(signal.SIGTERM, _stop)}
    # A process that nohup started is to outlive its terminal.
    hangup = getattr(signal, "SIGHUP", None)  # Windows has none
    if hangup is not None and signal.getsignal(hangup) is not signal.SIG_IGN:
        before[hangup] = signal.signal(hangup, _terminate)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _stop(_number: int, _frame: object) -> None:
    raise KeyboardInterrupt


def _terminate(_number: int, _frame: object) -> None:
    # While the server runs it takes this signal, and ends what it is doing first.
    signal.raise_signal(signal.SIGTERM)


@contextlib.contextmanager
def _bound(serving: Serving) -> Iterator[socket.socket]:
    family = socket.AF_INET6 if ":" in serving.host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((serving.host, serving.port))
        # Connections are taken from here on, so that the address answers when told.
        listener.listen(128)
    except OSError as error:
        listener.close()
        raise OutputError(
            f"cannot listen there: {error.strerror}; choose another --port"
        ) from None
    with listener:
        yield listener
