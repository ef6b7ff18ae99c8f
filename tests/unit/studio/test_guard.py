"""Who may come in, and what every response says."""

import stat
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from publius.core.errors import DataError, ParameterError
from publius.studio.access import Access
from publius.studio.desk import Desk
from publius.studio.server import Serving, read_token

JOBS = "/v1/jobs"
EVERYWHERE = "0.0.0.0"  # noqa: S104 - what is to be refused


def test_the_printed_address_lets_one_browser_in_once(
    desk: Desk, stranger: TestClient
) -> None:
    ticket = desk.access.address().partition("token=")[2]
    first = stranger.get("/", params={"token": ticket})
    assert (first.status_code, first.headers["location"]) == (303, "/")
    cookie = first.headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=Strict" in cookie
    assert stranger.get(JOBS).status_code == 200
    stranger.cookies.clear()
    assert stranger.get("/", params={"token": ticket}).status_code == 401


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"Authorization": "Bearer x"},
        {"Authorization": "Bearer"},
        {"Authorization": "Bearer é".encode("latin-1")},
        {"Cookie": "publius-8787=x"},
        {"Cookie": '"'},
    ],
)
def test_without_a_token_nothing_is_told(
    stranger: TestClient, headers: dict[str, str]
) -> None:
    assert stranger.get(JOBS, headers=headers).status_code == 401


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:8787", "127.0.0.1", "127.0.0.1:80", ""]
)
def test_a_foreign_host_is_refused(program: TestClient, host: str) -> None:
    assert program.get(JOBS, headers={"Host": host}).status_code == 421


@pytest.mark.parametrize("host", ["localhost:8787", "127.0.0.1:8787", "[::1]:8787"])
def test_the_own_hosts_are_answered(program: TestClient, host: str) -> None:
    assert program.get(JOBS, headers={"Host": host}).status_code == 200


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
        {"Origin": "http://127.0.0.1:1"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
    ],
)
def test_a_foreign_page_is_refused(
    browser: TestClient, headers: dict[str, str]
) -> None:
    answer = browser.post("/v1/leakage", json={"channel": [[1.0]]}, headers=headers)
    assert answer.status_code == 403


def test_a_cookie_without_an_origin_changes_nothing(
    desk: Desk, stranger: TestClient
) -> None:
    name, _, value = desk.access.cookie.partition(";")[0].partition("=")
    cookie = {"Cookie": f"{name}={value}"}
    assert stranger.get(JOBS, headers=cookie).status_code == 200
    assert stranger.post("/v1/leakage", headers=cookie).status_code == 403


def test_a_body_is_refused_by_its_header(program: TestClient) -> None:
    answer = program.post("/v1/try", content=b"x" * 200_001)
    assert answer.status_code == 413


def test_a_body_is_refused_by_counting(program: TestClient) -> None:
    pieces = iter([b"x" * 100_000] * 3)  # sent without a length
    assert program.post("/v1/try", content=pieces).status_code == 413


def test_every_response_has_the_policy(program: TestClient) -> None:
    for path in ("/v1/jobs", "/v1/nothing", "/static/htmx.min.js"):
        headers = program.get(path).headers
        assert headers["content-security-policy"].startswith("default-src 'self';")
        assert headers["cache-control"] == "no-store"
        assert headers["referrer-policy"] == "no-referrer"


def test_a_browser_without_a_token_gets_a_page(stranger: TestClient) -> None:
    answer = stranger.get("/", headers={"Accept": "text/html"})
    assert answer.status_code == 401
    assert 'role="alert"' in answer.text


def test_tokens_are_not_printed() -> None:
    access = Access(1)
    assert access.token not in repr(access)
    assert access.address().partition("token=")[2] not in repr(access)


@pytest.mark.parametrize(
    "given",
    [
        {"host": EVERYWHERE},
        {"host": EVERYWHERE, "certificate": Path("a"), "key": Path("b")},
        {"host": EVERYWHERE, "token_file": Path("a")},
        {"certificate": Path("a")},
        {"port": -1},
        {"port": 70_000},
    ],
)
def test_other_machines_need_tls_and_a_token_file(given: dict[str, object]) -> None:
    with pytest.raises(ParameterError):
        Serving(**given)  # type: ignore[arg-type]


def test_a_token_file_must_be_private_and_long(tmp_path: Path) -> None:
    path = tmp_path / "token"
    path.write_text("x" * 30)
    path.chmod(stat.S_IRUSR | stat.S_IROTH)
    with pytest.raises(DataError, match="others can read"):
        read_token(path)
    path.chmod(stat.S_IRUSR | stat.S_IWUSR)
    assert read_token(path) == "x" * 30
    path.write_text("short")
    with pytest.raises(DataError, match="at least"):
        read_token(path)
