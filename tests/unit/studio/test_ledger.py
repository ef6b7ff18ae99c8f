"""A server with a ledger charges every table first, and tells it without a URL."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from publius.core.config import LedgerSettings
from publius.studio.access import Access
from publius.studio.app import create_app
from publius.studio.desk import Desk

PORT = 8787
TABLE = b"body,user\nthe old house,Annabel\nthe river,Annabel\na doctor,Bo\n"
ASKED = {"text": "body", "author": "user", "vocabulary": "300", "epsilon": "3"}


@pytest.fixture
def charged(tmp_path: Path) -> Iterator[TestClient]:
    """Return a program's client of a server with a ledger and a budget."""
    ledger = LedgerSettings(str(tmp_path / "ledger.db"), budget=60.0)
    desk = Desk(Access(PORT), ledger=ledger)
    token = {"Authorization": f"Bearer {desk.access.token}"}
    yield TestClient(create_app(desk).app, f"http://127.0.0.1:{PORT}", headers=token)
    desk.close()


def sent(client: TestClient) -> int:
    """Release a table; return the status."""
    files = {"file": ("x.csv", TABLE)}
    return client.post("/v1/release/file", files=files, data=ASKED).status_code


def test_a_table_is_charged_and_the_budget_ends_it(charged: TestClient) -> None:
    assert sent(charged) == 200
    balance = charged.post("/v1/ledger/show", json={}).json()
    assert [row["subject"] for row in balance["accounts"]] == ["Annabel", "Bo"]
    own = charged.post("/v1/ledger/show", json={"subject": "Annabel"}).json()
    assert own["guarantees"] == 3
    found = [sent(charged) for _ in range(10)]
    assert 409 in found
    refused = charged.post("/v1/ledger/show", json={"refused": True}).json()["refused"]
    assert refused[0]["subject"] == "Annabel"
    charges = charged.post("/v1/ledger/releases", json={}).json()["releases"]
    assert len(charges) == 1 + found.count(200)


def test_a_request_cannot_pass_the_ledger_by(charged: TestClient) -> None:
    for given in ({"ledger": "x"}, {"ledger": None}):
        files = {"file": ("x.csv", TABLE)}
        data = ASKED | {k: str(v) for k, v in given.items()}
        answer = charged.post("/v1/release/file", files=files, data=data)
        assert answer.status_code == 422
    assert charged.post("/v1/stream", content=b'{"text": "x"}').status_code == 409


@pytest.mark.parametrize(
    "given",
    [
        {"subject": 5},
        {"subject": "Annabel", "refused": True},
        {"limit": 0},
        {"limit": True},
        {"delta": 2},
        {"Zanzibarquux": 1},
    ],
)
def test_a_bad_question_is_refused(
    charged: TestClient, given: dict[str, object]
) -> None:
    sent(charged)
    answer = charged.post("/v1/ledger/show", json=given)
    assert answer.status_code == 422
    assert "Zanzibarquux" not in answer.text
    assert "Annabel" not in answer.text


def test_a_server_without_a_ledger_says_so(program: TestClient) -> None:
    assert program.post("/v1/ledger/show", json={}).status_code == 404
