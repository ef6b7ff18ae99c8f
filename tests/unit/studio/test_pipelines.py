"""Lines in, lines out; a table in, a table out; a folder by a job."""

import csv
import io
import json

import pytest
from starlette.testclient import TestClient

from publius.studio.desk import Desk

CANARY = "Zanzibarquux"
TABLE = "body,user,extra\n" + "".join(
    f"the old house by the river {i},ann,x{i}\n" for i in range(6)
)
SMALL = {"vocabulary": "300", "epsilon": "3"}


def sent(name: str = "reviews.csv", content: str = TABLE) -> dict[str, object]:
    return {"file": (name, content.encode())}


def test_a_table_comes_back_released(desk: Desk, program: TestClient) -> None:
    answer = program.post(
        "/v1/release/file", files=sent(), data={"text": "body", "keep": "user", **SMALL}
    )
    assert answer.status_code == 200, answer.text
    rows = list(csv.DictReader(io.StringIO(answer.text)))
    assert [list(row) for row in rows] == [["body", "user"]] * 6
    assert "x1" not in answer.text
    assert list(desk.uploads.folder.iterdir()) == []


def test_times_and_places_come_back_too(program: TestClient) -> None:
    times = program.post(
        "/v1/times/file",
        files=sent(content="wake\n06:30\n07:15\n"),
        data={"column": "wake", "level": "1", "radius": "30min"},
    )
    assert list(csv.DictReader(io.StringIO(times.text)).fieldnames or []) == ["wake"]
    places = program.post(
        "/v1/places/file",
        files=sent(content="lat,lon\n48.1,11.5\n"),
        data={"level": "1", "radius": "2km"},
    )
    assert "lat" in places.text.splitlines()[0]


@pytest.mark.parametrize(
    ("name", "content", "data"),
    [
        ("a.csv", TABLE, {"text": CANARY}),
        ("a.csv", f"{CANARY},{CANARY}\n1,2\n", {"text": "body"}),
        ("a.csv", TABLE, {"text": "body", "epsilon": CANARY}),
        ("a.csv", TABLE, {"text": "body", "metric": CANARY}),
        ("a.csv", TABLE, {"text": "body", CANARY: "1"}),
        ("a.csv", TABLE, {"text": "body", "ledger": "x"}),
        ("a.csv", TABLE, {"text": "body", "out": "x"}),
        ("a.parquet", CANARY, {"text": "body"}),
        ("a.jsonl", f'{{"{CANARY}": ', {"text": "body"}),
        ("a.csv", "", {"text": "body"}),
    ],
)
def test_a_bad_table_is_refused_without_a_word_of_it(
    program: TestClient, name: str, content: str, data: dict[str, str]
) -> None:
    answer = program.post("/v1/release/file", files=sent(name, content), data=data)
    assert answer.status_code == 422
    assert CANARY not in answer.text


def test_lines_come_back_released_in_order(program: TestClient) -> None:
    texts = [f"the old house by the river {i}" for i in range(300)]
    body = "\n".join(json.dumps({"text": text}) for text in texts)
    answer = program.post("/v1/stream", params=SMALL, content=body)
    first, *lines = map(json.loads, answer.text.splitlines())
    assert first["mechanism"] == "exponential.v1"
    assert first["statements"]
    assert len(lines) == 300
    assert all(line["released"].startswith("the ") for line in lines)


def test_a_bad_line_ends_the_stream_with_a_problem(program: TestClient) -> None:
    body = f'{{"text": "house"}}\n{{"text": 5, "x": "{CANARY}"}}\n'
    answer = program.post("/v1/stream", params=SMALL, content=body)
    assert "problem" in json.loads(answer.text.splitlines()[-1])
    assert CANARY not in answer.text


@pytest.mark.parametrize("query", [{"epsilon": "-1"}, {"form": "bag"}, {CANARY: "1"}])
def test_bad_settings_of_a_stream_are_refused(
    program: TestClient, query: dict[str, str]
) -> None:
    answer = program.post("/v1/stream", params=query, content=b"")
    assert answer.status_code == 422
    assert CANARY not in answer.text
