"""The client and a real server on a real port."""

import threading
from collections.abc import Iterator

import pytest
import uvicorn

from publius.core.errors import DataError, ParameterError
from publius.studio.access import Access
from publius.studio.app import create_app
from publius.studio.client import Client
from publius.studio.desk import Desk
from publius.studio.server import Serving, _bound

SMALL = {"vocabulary": 300, "epsilon": 3.0}


@pytest.fixture
def client() -> Iterator[Client]:
    """Return a client of a server in a thread."""
    with _bound(Serving()) as listener:
        desk = Desk(Access(listener.getsockname()[1]))
        config = uvicorn.Config(
            create_app(desk).app, log_level="critical", lifespan="off"
        )
        server = uvicorn.Server(config)
        thread = threading.Thread(target=server.run, args=([listener],))
        thread.start()
        yield Client(f"http://127.0.0.1:{desk.access.port}", desk.access.token)
        server.should_exit = True
        thread.join()
        desk.close()


def test_the_client_asks_and_waits(client: Client) -> None:
    tried = client.call("try", text="the old house", **SMALL)
    assert str(tried["released"]).startswith("the ")
    assert client.wait(client.start("certify", **SMALL))["words"] == 300
    with pytest.raises(DataError, match="text must be a string"):
        client.call("try", text=5)


def test_an_address_must_be_one() -> None:
    with pytest.raises(ParameterError):
        Client("127.0.0.1:1", "x")
