"""Who may talk to the studio: tokens, cookie, and the names it answers to."""

import hmac
import secrets
from dataclasses import dataclass, field
from http.cookies import CookieError, SimpleCookie

LOOPBACK = ("127.0.0.1", "localhost", "[::1]")


@dataclass(frozen=True, slots=True)
class Access:
    """Secrets and names of one running server.

    Args:
        port: Where it listens.
        names: Host names under which it is reached.
        is_encrypted: It speaks TLS.
        token: For programs, as a bearer; lasts as long as the server.
    """

    port: int
    names: tuple[str, ...] = LOOPBACK
    is_encrypted: bool = False
    token: str = field(default_factory=lambda: secrets.token_urlsafe(32), repr=False)
    _session: str = field(
        default_factory=lambda: secrets.token_urlsafe(32), init=False, repr=False
    )
    _tickets: set[str] = field(default_factory=set, init=False, repr=False)

    @property
    def scheme(self) -> str:
        """Say how it is spoken to."""
        return "https" if self.is_encrypted else "http"

    @property
    def hosts(self) -> frozenset[str]:
        """Return every Host header that is answered; the port is part of it."""
        usual = 443 if self.is_encrypted else 80
        named = {f"{name}:{self.port}" for name in self.names}
        return frozenset(named | (set(self.names) if self.port == usual else set()))

    @property
    def origins(self) -> frozenset[str]:
        """Return every Origin header of the studio's own pages."""
        return frozenset(f"{self.scheme}://{host}" for host in self.hosts)

    @property
    def cookie_name(self) -> str:
        """Return a name that differs between two studios on one machine."""
        return f"publius-{self.port}"

    @property
    def cookie(self) -> str:
        """Return the Set-Cookie header of a browser that was let in."""
        secure = "; Secure" if self.is_encrypted else ""
        rules = f"HttpOnly; SameSite=Strict; Path=/{secure}"
        return f"{self.cookie_name}={self._session}; {rules}"

    def address(self) -> str:
        """Return an address that lets one browser in, once."""
        ticket = secrets.token_urlsafe(32)
        self._tickets.add(ticket)
        return f"{self.scheme}://{self.names[0]}:{self.port}/?token={ticket}"

    def redeem(self, ticket: str) -> bool:
        """Take the token of an address; it is worth nothing afterwards."""
        for known in self._tickets:
            if hmac.compare_digest(known.encode(), ticket.encode()):
                self._tickets.discard(known)
                return True
        return False

    def has_bearer(self, authorization: str) -> bool:
        """Say whether an Authorization header holds the token."""
        kind, _, token = authorization.partition(" ")
        is_bearer = kind.lower() == "bearer"
        return is_bearer and hmac.compare_digest(token.encode(), self.token.encode())

    def has_cookie(self, header: str) -> bool:
        """Say whether a Cookie header holds the session."""
        try:
            cookie = SimpleCookie(header).get(self.cookie_name)
        except CookieError:
            return False
        value = "" if cookie is None else cookie.value
        return hmac.compare_digest(value.encode(), self._session.encode())
