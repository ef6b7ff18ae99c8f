"""A studio without a network."""

from collections.abc import Iterator

import pytest

pytest.importorskip("starlette", reason="the extra 'studio' is not installed")

from starlette.testclient import TestClient

from publius.studio.access import Access
from publius.studio.app import create_app
from publius.studio.desk import Desk

PORT = 8787
HOME = f"http://127.0.0.1:{PORT}"


@pytest.fixture
def desk() -> Iterator[Desk]:
    """Return what a server keeps; small bodies only."""
    made = Desk(Access(PORT), largest=200_000)
    yield made
    made.close()


@pytest.fixture
def stranger(desk: Desk) -> TestClient:
    """Return a client without any token."""
    return TestClient(create_app(desk).app, HOME, follow_redirects=False)


@pytest.fixture
def program(desk: Desk) -> TestClient:
    """Return a client with the token of programs."""
    token = {"Authorization": f"Bearer {desk.access.token}"}
    return TestClient(create_app(desk).app, HOME, headers=token)


@pytest.fixture
def browser(desk: Desk) -> TestClient:
    """Return a client that came by the printed address, and says so as browsers do."""
    headers = {"Origin": HOME, "Sec-Fetch-Site": "same-origin"}
    client = TestClient(
        create_app(desk).app, HOME, headers=headers, follow_redirects=False
    )
    ticket = desk.access.address().partition("token=")[2]
    assert client.get("/", params={"token": ticket}).status_code == 303
    return client
