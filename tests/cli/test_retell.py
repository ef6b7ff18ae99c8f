"""publius try --mechanism retell, and who may write."""

import json
import re
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest
from click.testing import CliRunner

from publius.cli.frame import cli
from publius.reporting.statements import say
from publius.retelling.assemble import writer_of
from publius.retelling.retelling import INVENTED
from publius.retelling.settings import RetellSettings
from publius.retelling.treatment import public_settings


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


def test_a_text_of_a_fixed_number_of_words_loses_its_guarantee_once(
    server: str,
) -> None:
    asked = ["try", "The doctor came.", "--mechanism", "retell", "--json"]
    _, out = run(*asked, "--server", server, "--words", "8")
    found = json.loads(out)
    assert found["loss_of_the_text"] == found["guarantee"]["terms"][0]["loss"]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ((), "publius retelling get"),
        (("--server", "http://198.51.100.9"), "--allow-remote"),
        (("--order", "keep", "--words", "9"), "add --order shuffle"),
        (("--block", "none-such.txt"), "a list of words does not exist"),
        (("--metric", "hop"), "--metric is not offered for retell"),
        (("--adapter", "a", "--server", "http://localhost"), "one model writes"),
        (("--local-model", "none-such"), "config.json"),
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


@pytest.mark.parametrize(
    ("model", "told"),
    [
        ("/srv/mrs-smith/models/small.gguf", "small.gguf"),
        ("~/mrs-smith/small", "small"),
        ("..\\mrs-smith\\small", "small"),
        ("owner/model", "owner/model"),
        ("model:7b", "model:7b"),
    ],
)
def test_a_model_that_is_a_path_is_told_without_its_folder(
    model: str, told: str
) -> None:
    settings = RetellSettings(server="http://localhost:1", model=model)
    writer = writer_of(settings).name
    assert writer == f"server:{told}"
    shown = public_settings(settings, writer)
    assert shown["model"] == told
    assert "smith" not in json.dumps(shown)


@pytest.mark.slow
def test_a_table_is_released_with_its_warning(server: str, tmp_path: Path) -> None:
    table = tmp_path / "posts.csv"
    table.write_text(
        "body,user\nThe doctor came to Quuxley by train.,a\n,b\nof the,a\n"
    )
    out = tmp_path / "out"
    asked = [
        "release",
        str(table),
        "--text",
        "body",
        "--author",
        "user",
        "-o",
        str(out),
    ]
    asked += ["--mechanism", "retell", "--server", server, "--format", "csv"]
    code, said = run(*asked)
    assert code == 0, said
    assert INVENTED in " ".join(said.split())
    written = (out / "data.csv").read_text()
    assert "It was a quiet day." in written
    assert "quuxley" not in written.lower()
    manifest = json.loads((out / "manifest.json").read_text())
    assert manifest["mechanism"] == "retell.v1"
    assert manifest["retelling"]["invented"] is True
    assert manifest["retelling"]["writer"] == "server:default"
    assert manifest["retelling"]["use_words"] == 0.0
    assert "127.0.0.1" not in json.dumps(manifest)
    assert manifest["counts"]["busiest"] == 4
    assert INVENTED in (out / "report.html").read_text()


def test_publius_toml_may_ask_for_it(
    server: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    file = Path("publius.toml")
    file.write_text(
        f'[words]\nmechanism = "retell"\n[retelling]\nserver = "{server}"\n'
    )
    code, out = run("try", "The doctor came.", "--json")
    assert code == 0, out
    assert json.loads(out)["mechanism"] == "retell.v1"
    file.write_text('[words]\nmechanism = "retell"\nepsilon = 2\n')
    code, out = run("try", "The doctor came.")
    assert code == 1
    assert "stand in [retelling]" in out


@pytest.mark.slow
def test_lines_in_are_lines_out(server: str, tmp_path: Path) -> None:
    text, out = tmp_path / "posts.txt", tmp_path / "out"
    text.write_text("The doctor came.\n\nTwo engines.\n")
    asked = ["release", str(text), "-o", str(out), "--mechanism", "retell"]
    code, said = run(*asked, "--server", server)
    assert code == 0, said
    lines = (out / "data.txt").read_text().splitlines()
    assert lines == ["It was a quiet day.", "", "It was a quiet day."]


@pytest.mark.slow
def test_a_fixed_number_of_words_is_a_guarantee_about_texts(
    server: str, tmp_path: Path
) -> None:
    table = tmp_path / "posts.csv"
    table.write_text("body\nThe doctor came.\nof the\n" + "film " * 50 + "\n")
    out = tmp_path / "out"
    asked = ["release", str(table), "--text", "body", "-o", str(out), "--words", "8"]
    asked += ["--mechanism", "retell", "--server", server, "--workers", "2"]
    code, said = run(*asked)
    assert code == 0, said
    manifest = json.loads((out / "manifest.json").read_text())
    assert manifest["guarantee"]["unit"] == "document"
    assert manifest["counts"]["words"] is None


@pytest.mark.slow
def test_a_retold_release_states_no_figure_of_words(
    server: str, tmp_path: Path
) -> None:
    table, out = tmp_path / "posts.csv", tmp_path / "out"
    table.write_text("body\nThe doctor came.\n")
    asked = ["release", str(table), "--text", "body", "-o", str(out)]
    code, said = run(*asked, "--mechanism", "retell", "--server", server)
    assert code == 0, said
    manifest = json.loads((out / "manifest.json").read_text())
    told = [*manifest["statements"], (out / "report.html").read_text()]
    assert say("writer.retold") in manifest["statements"]
    assert not any("25 writers" in line for line in told)


@pytest.mark.slow  # forms the certificate of what a list leaves
def test_a_blocked_word_is_written_by_nobody(server: str, tmp_path: Path) -> None:
    listed = tmp_path / "never.txt"
    listed.write_text("QUIET\nlondon\nwas\n")
    table = tmp_path / "posts.csv"
    table.write_text("body\n" + "A quiet doctor was in London.\n" * 3)
    asked = ["release", str(table), "--text", "body", "--mechanism", "retell"]
    asked += ["--server", server, "--format", "csv", "--block", str(listed)]
    code, said = run(*asked, "-o", str(tmp_path / "out"))
    assert code == 0, said
    written = (tmp_path / "out" / "data.csv").read_text()
    assert not {"quiet", "was"} & set(re.findall("[a-z]+", written.lower()))
    assert written.count(" day.") == 3
    manifest = json.loads((tmp_path / "out" / "manifest.json").read_text())
    assert manifest["retelling"]["block"] == "never.txt"
    told = " ".join(manifest["guarantee"]["assumptions"])
    assert "3 words of the vocabulary are on a public block list" in told
    assert "No word of the block list stands in a text" in told
    report = (tmp_path / "out" / "report.html").read_text()
    assert "--block never.txt" in report


def test_a_list_may_stand_in_publius_toml(
    server: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("publius.toml").write_text(
        f'[words]\nmechanism = "retell"\n[retelling]\nserver = "{server}"\n'
        'block = "none-such.txt"\n'
    )
    code, out = run("try", "The doctor came.")
    assert code == 1
    assert "a list of words does not exist" in out
    code, out = run("try", "The doctor came.", "--set", "block=a", "--block", "b")
    assert code == 1
    assert "block was given twice" in " ".join(out.split())
