"""Ill will: foreign pages, guessed numbers, planted files, crooked requests."""

import gzip
import io
import zipfile
from pathlib import Path

import pytest
from starlette.testclient import TestClient
from tests.unit.studio.conftest import HOME, PORT

from publius.studio.access import Access
from publius.studio.app import create_app
from publius.studio.desk import Desk
from publius.studio.jobs import Job, State

CANARY = "Zanzibarquux"


@pytest.mark.parametrize(
    "path", ["/write/new", "/write/release", "/release/start", "/v1/jobs", "/v1/files"]
)
@pytest.mark.parametrize("origin", [None, "null", "http://evil.example", "file://"])
def test_a_foreign_form_changes_nothing(
    desk: Desk, browser: TestClient, path: str, origin: str | None
) -> None:
    headers = {k: v for k, v in browser.headers.items() if k != "origin"}
    browser.headers = headers  # type: ignore[assignment]
    sent = {} if origin is None else {"Origin": origin}
    kind = {"Content-Type": "text/plain", "Sec-Fetch-Site": "none"}
    answer = browser.post(path, content=b'{"verb": "certify"}', headers=kind | sent)
    assert answer.status_code == 403
    assert desk.jobs.listed() == []


def test_the_token_is_told_to_nobody(desk: Desk, stranger: TestClient) -> None:
    ticket = desk.access.address().partition("token=")[2]
    answer = stranger.get("/", params={"token": ticket})
    assert answer.headers["referrer-policy"] == "no-referrer"
    assert ticket not in str(answer.headers) + answer.text
    assert desk.access.token not in str(answer.headers) + answer.text


def test_a_token_elsewhere_than_at_the_door_opens_nothing(
    desk: Desk, stranger: TestClient
) -> None:
    for name in ("token", "access_token"):
        for value in (desk.access.token, desk.access.address().partition("token=")[2]):
            answer = stranger.get("/v1/jobs", params={name: value})
            assert answer.status_code == 401
    assert stranger.get("/", params={"token": desk.access.token}).status_code == 401


def test_another_server_knows_neither_cookie_nor_token_nor_numbers(
    desk: Desk, browser: TestClient
) -> None:
    job = desk.jobs.start(Job("certify"), lambda _: None)  # type: ignore[arg-type,return-value]
    other = Desk(Access(PORT))
    try:
        cookie = desk.access.cookie.partition(";")[0]
        there = TestClient(create_app(other).app, HOME)
        for headers in (
            {"Cookie": cookie, "Origin": HOME},
            {"Authorization": f"Bearer {desk.access.token}"},
        ):
            path = f"/v1/jobs/{job.id}"
            assert there.get(path, headers=headers).status_code == 401
        own = {"Authorization": f"Bearer {other.access.token}"}
        assert there.get(f"/v1/jobs/{job.id}", headers=own).status_code == 404
    finally:
        other.close()
    assert browser.get(f"/v1/jobs/{job.id}").status_code == 200


def test_numbers_cannot_be_guessed(desk: Desk) -> None:
    numbers = [Job("x").id for _ in range(200)]
    numbers += [desk.drawn.add("x") for _ in range(200)]
    assert len(set(numbers)) == 400
    assert min(map(len, numbers)) >= 16  # 96 bits


@pytest.mark.parametrize(
    "name",
    [
        'x"\r\nSet-Cookie: a=b\r\n.csv',
        "x.csv\r\nX-Evil: 1",
        "../../x.csv",
        "..\\x.csv",
        "%2e%2e%2fx.csv",
        "\u202ex.csv",
        "x" * 5000 + ".csv",
    ],
)
def test_no_name_of_a_file_is_used(desk: Desk, program: TestClient, name: str) -> None:
    answer = program.post("/v1/files", files={"file": (name, b"a\n1\n")})
    assert answer.status_code in (201, 400, 415)
    assert "x-evil" not in answer.headers
    assert "set-cookie" not in answer.headers
    for path in desk.uploads.folder.iterdir():
        assert len(path.name) < 40
        assert path.parent == desk.uploads.folder


def test_a_planted_link_is_neither_read_nor_listed(
    desk: Desk, program: TestClient, tmp_path: Path
) -> None:
    secret = tmp_path / "secret.csv"
    secret.write_text(CANARY, "utf-8")
    folder = desk.uploads.new_folder()
    (folder / "link.csv").symlink_to(secret)
    (folder / "data.csv").write_text("a\n", "utf-8")
    job = Job("release", folder=folder, state=State.DONE)
    desk.jobs._jobs[job.id] = job
    assert job.files() == ["data.csv"]
    answer = program.get(f"/v1/jobs/{job.id}/files/link.csv")
    assert answer.status_code == 404


def test_nothing_that_was_sent_is_unpacked(program: TestClient) -> None:
    bomb = io.BytesIO()
    with zipfile.ZipFile(bomb, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("x.csv", b"0" * 10_000_000)
    for name in ("x.zip", "x.csv.gz", "x.tar", "x.docx", "x.xlsx"):
        content = bomb.getvalue() if name != "x.csv.gz" else gzip.compress(b"a\n" * 9)
        answer = program.post("/v1/files", files={"file": (name, content)})
        assert answer.status_code == 415


def test_a_compressed_body_is_not_unpacked(program: TestClient) -> None:
    body = gzip.compress(b'{"text": "' + b"a" * 1_000_000 + b'"}')
    answer = program.post("/v1/try", content=body, headers={"Content-Encoding": "gzip"})
    assert answer.status_code == 400


def test_a_table_with_very_many_columns_is_refused(browser: TestClient) -> None:
    head = ",".join(f"c{i}" for i in range(5000))
    sent = {"file": ("x.csv", f"{head}\n{head}\n".encode())}
    answer = browser.post("/release/file", files=sent)
    assert 'role="alert"' in answer.text
    assert len(answer.text) < 10_000


@pytest.mark.parametrize(
    "body",
    [
        b"[" * 100_000,
        b'{"text": ' + b"[" * 50_000,
        b'{"text": "x", "epsilon": 1e999}',
        b'{"text": "x", "epsilon": ' + b"9" * 5000 + b"}",
        b'{"text": "\\ud800"}',
        b'{"text": "x", "seed": -1}',
    ],
)
def test_crooked_bodies_are_refused(program: TestClient, body: bytes) -> None:
    answer = program.post("/v1/try", content=body)
    assert 400 <= answer.status_code < 500, answer.text


def test_a_form_with_very_many_fields_is_refused(browser: TestClient) -> None:
    answer = browser.post("/release/start", data={f"f{i}": "x" for i in range(2000)})
    assert answer.status_code in (200, 400, 422)
    assert 'role="alert"' in answer.text or answer.status_code != 200


@pytest.mark.parametrize(
    "path",
    [
        "/static/../app.py",
        "/static/%2e%2e/app.py",
        "/static/..%2fapp.py",
        "/v1/jobs/../../etc/passwd",
    ],
)
def test_no_address_leads_out(browser: TestClient, path: str) -> None:
    answer = browser.get(path)
    assert answer.status_code in (404, 307, 400)
    assert "evil.example" not in answer.headers.get("location", "")
    assert "import" not in answer.text


def test_a_word_of_the_text_is_in_no_header(browser: TestClient) -> None:
    given = {"text": f"{CANARY} came home", "step": "6", "word": CANARY, "tab": "a"}
    for path in ("/write/preview", "/write/word", "/write/release"):
        answer = browser.post(path, data=given)
        assert CANARY not in str(answer.headers)
        assert answer.headers["cache-control"] == "no-store"
