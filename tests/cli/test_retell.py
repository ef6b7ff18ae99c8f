"""publius try --mechanism retell, and who may write."""

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest
from click.testing import CliRunner

from publius.cli.frame import cli
from publius.retelling.retelling import INVENTED


class Answer(BaseHTTPRequestHandler):
    """Answers every request with the same sentence."""

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(200)
        self.end_headers()
        text = {"choices": [{"message": {"content": "It was a quiet day."}}]}
        self.wfile.write(json.dumps(text).encode())

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture
def server() -> Iterator[str]:
    listening = HTTPServer(("127.0.0.1", 0), Answer)
    thread = threading.Thread(target=listening.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{listening.server_port}"
    listening.shutdown()
    listening.server_close()
    thread.join()


def run(*words: str) -> tuple[int, str]:
    done = CliRunner().invoke(cli, [*words])
    return done.exit_code, done.output + str(done.exception or "")


def test_a_text_is_retold_by_a_server(server: str) -> None:
    asked = ["try", "The doctor came to London.", "--mechanism", "retell", "--json"]
    code, out = run(*asked, "--server", server)
    assert code == 0, out
    found = json.loads(out)
    assert found["released"] == "It was a quiet day."
    assert found["protected_words"] == 3
    assert found["mechanism"] == "retell.v1"
    assert INVENTED in found["statements"]
    assert "How many content words a text has." in found["guarantee"]["uncovered"]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ((), "needs a writer"),
        (("--server", "http://198.51.100.9"), "--allow-remote"),
        (("--order", "keep", "--words", "9"), "add --order shuffle"),
        (("--metric", "hop"), "--metric has no meaning for retell"),
        (("--adapter", "a", "--server", "http://localhost"), "--adapter or"),
    ],
)
def test_what_cannot_be_retold_is_refused(options: tuple[str, ...], said: str) -> None:
    code, out = run("try", "a film", "--mechanism", "retell", *options)
    assert code != 0
    assert said in " ".join(out.split())


def test_its_options_belong_to_it() -> None:
    code, out = run("try", "a film", "--order", "keep")
    assert code != 0
    assert "--order is for --mechanism retell" in out


def test_an_adapter_has_its_ending(tmp_path: Path) -> None:
    code, out = run("retelling", "train", "-o", str(tmp_path / "a.bin"))
    assert code != 0
    assert "must end in .safetensors" in out
