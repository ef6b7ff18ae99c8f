"""The service says what the verbs say, and never what was sent."""

import json
import time
from pathlib import Path

import pytest
from starlette.testclient import TestClient

import publius as pb
from publius.core.json import finite
from publius.studio.desk import Desk
from publius.studio.verbs import ENDPOINTS

SMALL = {"vocabulary": 300, "epsilon": 3.0}
CANARY = "Zanzibarquux"
CHANNEL = [[0.75, 0.25], [0.25, 0.75]]


@pytest.mark.parametrize(
    ("verb", "given"),
    [
        ("try_text", {"text": "the old house", "seed": 1, **SMALL}),
        ("explain", {"word": "house", **SMALL}),
        ("calibrate", {"grid": [2.0, 4.0], **SMALL}),
        ("certify", SMALL),
        ("leakage", {"channel": CHANNEL}),
        ("audit", {"channel": CHANNEL, "epsilon": 1.0}),
    ],
)
def test_http_answers_what_the_library_returns(
    program: TestClient, verb: str, given: dict[str, object]
) -> None:
    answer = program.post(f"/v1/{verb.removesuffix('_text')}", json=given)
    called = {k: tuple(v) if k == "grid" else v for k, v in given.items()}
    expected = finite(getattr(pb, verb)(**called).to_json())
    assert answer.status_code == 200
    assert answer.json() == json.loads(json.dumps(expected))


@pytest.mark.parametrize("path", ["mechanisms", "embeddings", "openapi.json", "jobs"])
def test_listings_are_json(program: TestClient, path: str) -> None:
    answer = program.get(f"/v1/{path}")
    assert answer.headers["content-type"] == "application/json"
    assert answer.json()


@pytest.mark.parametrize("verb", sorted(ENDPOINTS))
@pytest.mark.parametrize(
    "body",
    [
        {CANARY: 1},
        {"text": CANARY, "epsilon": CANARY},
        {"word": CANARY, "best": CANARY},
        {"text": [CANARY]},
        {"settings": CANARY},
        {"settings": {CANARY: CANARY}},
        {"mechanism": CANARY, "text": CANARY, "word": CANARY},
        {"embedding": f"/{CANARY}"},
        {"table": {"file": CANARY}, "channel": {"file": CANARY}},
        {"table": CANARY, "channel": CANARY, "target": CANARY, "grid": CANARY},
        {"channel": [[CANARY]], "grid": [CANARY], "levels": [CANARY]},
    ],
)
def test_problems_never_quote_what_was_sent(
    program: TestClient, verb: str, body: dict[str, object]
) -> None:
    answer = program.post(f"/v1/{verb}", json=body)
    assert answer.status_code == 422
    assert answer.headers["content-type"] == "application/problem+json"
    assert CANARY not in answer.text
    assert answer.json()["detail"]


@pytest.mark.parametrize("body", [b"", b"[1]", b"{", b'{"epsilon": NaN}', b"\xff"])
def test_a_body_must_be_one_json_object(program: TestClient, body: bytes) -> None:
    assert program.post("/v1/try", content=body).status_code == 400


@pytest.mark.parametrize(
    "given",
    [
        {"text": "x", "embedding": "../secret.txt"},
        {"text": "x", "sensitive_words": "list.txt"},
        {"text": "x", "wordnet": "/usr"},
        {"text": "x", "options": []},
        {"text": "x", "metric": "a/b"},
    ],
)
def test_no_request_names_a_file_of_the_server(
    program: TestClient, given: dict[str, object]
) -> None:
    assert program.post("/v1/try", json=given).status_code == 422


def test_no_distances_are_read_where_the_server_runs(
    program: TestClient, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "own.csv").write_text("0,1\n1,0\n")
    given = {"channel": CHANNEL, "epsilon": 1.0}
    assert program.post("/v1/audit", json=given | {"metric": "discrete"}).is_success
    answer = program.post("/v1/audit", json=given | {"metric": "own.csv"})
    assert answer.status_code == 422


def test_no_released_texts_are_read_where_the_server_runs(
    program: TestClient, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "own.csv").write_text("a,b\nx,y\nx,y\nz,y\nz,y\n")
    sent = {"file": ("x.csv", b"a,b\nx,y\nx,y\nz,y\nz,y\n")}
    table = {"file": program.post("/v1/files", files=sent).json()["id"]}
    given = {"table": table, "released": "own.csv", "text": "a", "author": "b"}
    answer = program.post("/v1/attack", json=given)
    assert answer.status_code == 422
    assert "rename the column" in answer.json()["detail"]


@pytest.mark.parametrize(
    ("verb", "field"),
    [("audit", "program"), ("certify", "dump"), ("compare", "out")],
)
def test_no_request_runs_a_program_or_writes_a_file(
    program: TestClient, verb: str, field: str
) -> None:
    answer = program.post(f"/v1/{verb}", json={field: "x", "epsilon": 1.0})
    assert answer.status_code == 422
    assert "no such field" in answer.json()["detail"]


def test_a_file_keeps_nothing_of_its_name(desk: Desk, program: TestClient) -> None:
    sent = {"file": (f"../../{CANARY}/x.csv", b"a,b\n1,2\n")}
    answer = program.post("/v1/files", files=sent)
    assert answer.status_code == 201
    path = desk.uploads.find(answer.json()["id"]).path
    assert path.parent == desk.uploads.folder
    assert CANARY not in str(path)
    assert path.read_bytes() == b"a,b\n1,2\n"
    assert (path.stat().st_mode & 0o077, path.parent.stat().st_mode & 0o077) == (0, 0)


@pytest.mark.parametrize("name", ["x.exe", "x", "x.csv/..", "x.csv\0"])
def test_other_kinds_of_files_are_refused(program: TestClient, name: str) -> None:
    answer = program.post("/v1/files", files={"file": (name, b"x")})
    assert answer.status_code in (400, 415)


def test_files_are_removed_at_the_end(desk: Desk, program: TestClient) -> None:
    program.post("/v1/files", files={"file": ("x.csv", b"a\n1\n")})
    assert list(desk.uploads.folder.iterdir())
    desk.close()
    assert not desk.uploads.folder.exists()


def wait(program: TestClient, number: str) -> dict[str, object]:
    """Return a job once it is over."""
    for _ in range(600):
        job: dict[str, object] = program.get(f"/v1/jobs/{number}").json()
        if job["state"] not in ("waiting", "running"):
            return job
        time.sleep(0.05)
    pytest.fail("the job does not end")


def test_a_job_runs_and_gives_its_result(program: TestClient) -> None:
    begun = program.post("/v1/jobs", json={"verb": "certify", "request": SMALL})
    assert begun.status_code == 202
    assert begun.headers["location"] == f"/v1/jobs/{begun.json()['id']}"
    assert wait(program, begun.json()["id"])["state"] == "done"
    result = program.get(begun.headers["location"] + "/result").json()
    assert result == finite(pb.certify(**SMALL).to_json())


def test_a_job_that_fails_tells_why_and_quotes_nothing(program: TestClient) -> None:
    asked = {"word": CANARY, **SMALL}
    begun = program.post("/v1/jobs", json={"verb": "explain", "request": asked})
    job = wait(program, begun.json()["id"])
    assert job["state"] == "failed"
    assert CANARY not in str(job)
    result = program.get(begun.headers["location"] + "/result")
    assert result.status_code == 422


def test_a_job_can_be_cancelled(program: TestClient) -> None:
    asked = {"grid": [float(e) for e in range(1, 200)], **SMALL}
    begun = program.post("/v1/jobs", json={"verb": "calibrate", "request": asked})
    assert program.delete(begun.headers["location"]).status_code == 202
    assert wait(program, begun.json()["id"])["state"] == "cancelled"


def test_an_unknown_job_is_not_found(program: TestClient) -> None:
    for path in ("x", "x/result", "x/files/y", "x/files/..%2F..%2Fy"):
        assert program.get(f"/v1/jobs/{path}").status_code == 404


def test_the_description_names_every_field(program: TestClient) -> None:
    told = program.get("/v1/openapi.json").json()
    for name, one in ENDPOINTS.items():
        body = told["paths"][f"/v1/{name}"]["post"]["requestBody"]["content"]
        schema = body["application/json"]["schema"]
        own = schema["allOf"][0] if "allOf" in schema else schema
        assert set(own["properties"]) == set(one.readers)
    assert "epsilon" in told["components"]["schemas"]["Settings"]["properties"]
