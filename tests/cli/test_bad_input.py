"""Every bad input ends in one line, the right exit code and nothing half-written."""

import errno
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

from publius.cli.frame import run

SMALL = ("--vocabulary", 60, "--seed", 1)
CANARY = "Zyxwinska"


def refused(done: Any, code: int = 1) -> str:
    """Check that a command failed politely and return its line."""
    assert done.code == code, done
    assert done.out == ""
    assert done.err.startswith("publius: ")
    assert done.err.count("\n") == 1
    assert CANARY not in done.err
    return str(done.err)


ONE = b"body\nx\n"
TERMS = ("--as", "tf")
BAG = ("--as", "bag", "--length", 5)
FILES: dict[str, tuple[bytes, tuple[object, ...], str]] = {
    "missing column": (b"a,b\nZyxwinska,2\n", ("--text", "body"), "no column 'body'"),
    "missing kept column": (b"body\nZyxwinska\n", ("--keep", "x"), "no column 'x'"),
    "missing author": (b"body\nZyxwinska\n", ("--author", "x"), "no column 'x'"),
    "kept text": (ONE, ("--text", "body", "--keep", "body"), "is protected"),
    "no such encoding": (ONE, ("--encoding", "klingon"), "unknown encoding"),
    "another encoding": (b"body\ncaf\xe9 Zyxwinska\n", (), "not UTF-8"),
    "two bytes each": ("body\nZyxwinska\n".encode("utf-16"), (), "utf-16"),
    "short row": (b"body,n\nZyxwinska,1\nZyxwinska\n", (), "row 3 has 1 field where"),
    "long row": (b"body,n\nZyxwinska,1\nZyxwinska,2,3\n", (), "row 3 has 3 fields"),
    "open quote": (b'body\n"Zyxwinska\nx\n', (), "never closed"),
    "empty file": (b"", (), "empty"),
    "empty lines of JSON": (b"", ("--input-format", "jsonl"), "the table is empty"),
    "two text columns": (b"a,b\nx,Zyxwinska\n", (), "--text"),
    "damaged gzip": (b"\x1f\x8b\x08\x00Zyx", (), "compressed|damaged|broken"),
    "unknown words": (b"body\nZyxwinska\n", ("--oov", "refuse"), "1 of 1"),
    "no such metric": (ONE, ("--metric", "hopp"), "no metric"),
    "no such mechanism": (ONE, ("--mechanism", "laplase"), "did you mean"),
    "no such embedding": (ONE, ("--embedding", "nope"), "no embedding"),
    "length of a text": (ONE, ("--length", 5), "bags and vectors"),
    "mask in a fixed bag": (ONE, (*BAG, "--oov", "mask"), "mask"),
    "mask in a vector": (ONE, (*TERMS, "--oov", "mask"), "mask"),
    "metric of a vector": (ONE, (*TERMS, "--metric", "hop"), "--metric"),
    "level of a vector": (ONE, (*TERMS, "--level", 2), "--level"),
    "vectors as csv": (ONE, (*TERMS, "--format", "csv"), "need --format parquet"),
    "taken name": (
        b"body,body_terms\nx,1\n",
        (*TERMS, "--text", "body", "--keep", "body_terms"),
        "body_terms",
    ),
    "kept columns as txt": (
        b"body,n\nx,1\n",
        ("--keep", "n", "--format", "txt"),
        "kept columns",
    ),
    "epsilon below zero": (ONE, ("--epsilon", -1), "epsilon"),
}


@pytest.mark.parametrize(("stored", "options", "said"), FILES.values(), ids=FILES)
def test_bad_tables_and_settings(
    publius: Callable[..., Any],
    tmp_path: Path,
    stored: bytes,
    options: tuple[object, ...],
    said: str,
) -> None:
    (tmp_path / "in.csv").write_bytes(stored)
    line = refused(publius("release", "in.csv", "-o", "out", *options, *SMALL))
    assert any(part in line for part in said.split("|")), line
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("epsilon", ["nan", "0", "-1", "inf", "1e999"])
@pytest.mark.parametrize("command", [("try", "x"), ("certify",), ("explain", "people")])
def test_bad_epsilon(
    publius: Callable[..., Any], command: tuple[str, ...], epsilon: str
) -> None:
    assert "finite number > 0" in refused(
        publius(*command, "--epsilon", epsilon, "--vocabulary", 60)
    )


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("in.jsonl", '{"body": "Zyxwinska"', "line 1 is not a JSON object"),
        ("in.jsonl", '{"body": 5}', "must hold strings|cannot tell"),
        ("in.jsonl", '{"body": "\\ud800 Zyxwinska"}', "surrogate"),
        ("in.parquet", "Zyxwinska", "Parquet"),
        ("in.xlsx", "Zyxwinska", "cannot be read as an Excel workbook"),
        ("in.odt", "Zyxwinska", "--input-format"),
        ("other/in.csv", None, "does not exist"),
    ],
)
def test_other_formats(
    publius: Callable[..., Any], tmp_path: Path, name: str, content: str, said: str
) -> None:
    if content is not None:
        (tmp_path / name).write_text(content)
    line = refused(publius("release", name, "-o", "out", *SMALL))
    assert any(part in line for part in said.split("|")), line
    assert not (tmp_path / "out").exists()


def test_an_empty_folder(publius: Callable[..., Any], tmp_path: Path) -> None:
    (tmp_path / "texts").mkdir()
    assert "no table, .txt or .md file" in refused(
        publius("release", "texts", "-o", "out", *SMALL)
    )


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("release",), "INPUT"),
        (("release", "in.csv"), "--out"),
        (("try", CANARY, CANARY), "quotation marks"),
        (("try", f"--{CANARY} was here"), "put -- before"),
        (("try", "x", "--epsilom", "3"), "--epsilom"),
        (("try", "x", "--epsilon", "many"), "'many' is not a number"),
        (("try", "x", "--oov", "keep"), "'keep' is not one of"),
        (("release", "in.csv", "-o", "out", "--workers", "0"), "the least is 1"),
        (("tri", "x"), "no command 'tri'; did you mean try"),
        (("relase", "x"), "did you mean release"),
        (("Ann lives in Leeds",), "the first argument must be a command"),
    ],
)
def test_usage(
    publius: Callable[..., Any], arguments: tuple[str, ...], said: str
) -> None:
    line = refused(publius(*arguments), 2)
    assert said in line
    assert "--help" in line


def test_help_needs_no_command(publius: Callable[..., Any]) -> None:
    done = publius()
    assert "Release:" in done.out + done.err
    assert publius("--help").code == 0
    assert "publius release reviews.csv" in publius("--help").out


@pytest.mark.parametrize(
    "text", ["", " ", "👍🏽", "שלום עולם", "a\x00b", "\u202eabc", "é" * 9]
)
def test_odd_texts_are_released(
    publius: Callable[..., Any], tmp_path: Path, text: str
) -> None:
    (tmp_path / "in.jsonl").write_text(json.dumps({"body": text}) + "\n")
    assert publius("release", "in.jsonl", "-o", "out", *SMALL).code == 0
    released = parquet.read_table(tmp_path / "out/data.parquet").column(0).to_pylist()
    assert released == ([text] if not text.strip() else released)
    assert not text.strip() or text not in released[0]


def test_a_text_of_ten_megabytes(publius: Callable[..., Any], tmp_path: Path) -> None:
    (tmp_path / "in.txt").write_text("people qwertz " * 750_000)
    assert publius("release", "in.txt", "-o", "out", *SMALL).code == 0
    released = (tmp_path / "out/data.txt").read_text()
    assert len(released.split()) == 1_500_000
    assert "qwertz" not in released


def embedding(path: Path, rows: list[tuple[str, list[float]]]) -> Path:
    lines = [f"{word} " + " ".join(map(str, row)) for word, row in rows]
    path.write_text(f"{len(rows)} {len(rows[0][1])}\n" + "\n".join(lines) + "\n")
    return path


def test_an_embedding_with_a_nan_row(
    publius: Callable[..., Any], tmp_path: Path
) -> None:
    path = embedding(
        tmp_path / "e.vec", [("a", [1.0, 2.0]), ("b", [float("nan"), 1.0])]
    )
    line = refused(publius("try", "a b", "--embedding", path))
    assert "finite" in line


def test_a_vocabulary_of_one_word(publius: Callable[..., Any], tmp_path: Path) -> None:
    (tmp_path / "in.txt").write_text("Zyxwinska and people\n")
    for form in ("text", "bag", "tf"):
        done = publius("release", "in.txt", "-o", form, "--vocabulary", 1, "--as", form)
        assert done.code == 0, done.err
    assert "the" in (tmp_path / "text/data.txt").read_text()
    assert refused(publius("try", "x", "--vocabulary", 1, "--level", 2))


@pytest.mark.parametrize("metric", ["hop", "euclidean", "angular"])
def test_duplicate_vectors(
    publius: Callable[..., Any], tmp_path: Path, metric: str
) -> None:
    rng = np.random.default_rng(0)
    rows = [(f"w{i}", rng.normal(size=3).tolist()) for i in range(12)]
    rows += [(f"copy{i}", row) for i, (_, row) in enumerate(rows[:4])]
    path = embedding(tmp_path / "e.vec", rows)
    done = publius(
        "certify", "--embedding", path, "--metric", metric, "--epsilon", 2, "--json"
    )
    assert done.code == 0, done.err


def test_a_folder_in_use_is_left_alone(
    publius: Callable[..., Any], tmp_path: Path
) -> None:
    (tmp_path / "in.csv").write_text("body\nx\n")
    (tmp_path / "full").mkdir()
    (tmp_path / "full/mine.txt").write_text("mine")
    assert "is not empty" in refused(publius("release", "in.csv", "-o", "full", *SMALL))
    assert [p.name for p in (tmp_path / "full").iterdir()] == ["mine.txt"]
    assert publius("release", "in.csv", "-o", "out", *SMALL).code == 0
    before = {p.name: p.read_bytes() for p in (tmp_path / "out").iterdir()}
    for again in ((), ("--resume",)):
        line = refused(publius("release", "in.csv", "-o", "out", *SMALL, *again))
        assert "complete release" in line
    assert before == {p.name: p.read_bytes() for p in (tmp_path / "out").iterdir()}
    assert "is a file" in refused(publius("release", "in.csv", "-o", "in.csv", *SMALL))


@pytest.mark.parametrize(
    "file",
    ["shard-000000.arrow", "data.parquet", "report.html", "manifest.json", "job.json"],
)
def test_a_full_disk(
    publius: Callable[..., Any],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    file: str,
) -> None:
    (tmp_path / "in.csv").write_text("body\nZyxwinska people\n")
    real = os.fsync

    def full(descriptor: int) -> None:
        name = Path(f"/proc/self/fd/{descriptor}").readlink().name
        if name.startswith(f".{file}."):
            raise OSError(errno.ENOSPC, "No space left on device")
        real(descriptor)

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", full)
        line = refused(publius("release", "in.csv", "-o", "out", *SMALL))
    assert "the disk is full" in line
    left = (
        [p.name for p in (tmp_path / "out").rglob("*")]
        if (tmp_path / "out").exists()
        else []
    )
    assert not {
        n for n in left if n.startswith(("data", "report", "manifest")) or ".tmp" in n
    }
    assert publius("release", "in.csv", "-o", "out", "--resume", *SMALL).code == 0


@pytest.mark.skipif(sys.platform == "win32", reason="needs limits of POSIX")
def test_a_size_limit_of_the_system(tmp_path: Path) -> None:
    (tmp_path / "in.txt").write_text("people said the world\n" * 40_000)
    program = (
        "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096));"
        "import signal; signal.signal(signal.SIGXFSZ, signal.SIG_IGN);"
        "from publius.cli import main; main()"
    )
    options = ["release", "in.txt", "-o", "out", "--vocabulary", "60"]
    done = subprocess.run(  # noqa: S603 - our own program
        [sys.executable, "-c", program, *options],
        capture_output=True, text=True, cwd=tmp_path, check=False,
    )  # fmt: skip
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1
    assert "size limit" in done.stderr
    assert not (tmp_path / "out").exists()


def test_ctrl_c(tmp_path: Path) -> None:
    """A real interrupt of a real process that waits for its input."""
    program = [sys.executable, "-c", "from publius.cli import main; main()"]
    process = subprocess.Popen(  # noqa: S603 - our own program
        [*program, "release", "-", "-o", "out", "--vocabulary", "60"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=tmp_path,
    )
    with process:
        for _ in range(3000):
            if (tmp_path / "out/.partial/job.json").exists():
                break
            time.sleep(0.1)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=300)
    assert process.returncode == 130
    assert out == b""
    assert err.decode().strip().count("\n") == 0
    assert "stopped" in err.decode()
    assert not (tmp_path / "out").exists()


def test_ctrl_c_after_a_commit_can_be_continued(
    publius: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "in.csv").write_text("body\npeople\n")

    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("publius.materials.words.treatment.render_page", interrupted)
        done = publius("release", "in.csv", "-o", "out", *SMALL)
    assert (done.code, done.out) == (130, "")
    assert "--resume" in done.err
    assert [p.name for p in (tmp_path / "out").iterdir()] == [".partial"]
    assert publius("release", "in.csv", "-o", "out", "--resume", *SMALL).code == 0


def test_bytes_that_are_no_text(shell: Callable[..., Any]) -> None:
    done = shell("try", "-", stdin=b"caf\xe9 Zyxwinska")
    assert done.returncode == 1
    assert done.stderr == b"publius: the text is not valid UTF-8\n"
    done = shell("try", os.fsdecode(b"caf\xe9"))
    assert done.stderr == b"publius: the text is not valid UTF-8\n"


def test_a_terminal_that_knows_only_ascii(shell: Callable[..., Any]) -> None:
    done = shell("try", "people", *SMALL, PYTHONIOENCODING="ascii")
    assert done.returncode == 0, done.stderr
    done = shell("try", "café", "--json", *SMALL, PYTHONIOENCODING="ascii")
    assert b"caf\\u00e9" in done.stdout


def test_run_never_raises(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for error, code, said in (
        (MemoryError(), 1, "not enough memory"),
        (OSError(errno.EACCES, "Permission denied", CANARY), 1, "Permission denied"),
        (RuntimeError(CANARY), 1, "RuntimeError at"),
        (KeyboardInterrupt(), 130, "stopped"),
    ):

        def broken(*_: object, error: BaseException = error, **__: object) -> None:
            raise error

        monkeypatch.setattr("publius.cli.frame.cli.main", broken)
        assert run(["try", "x"]) == code
        err = capsys.readouterr().err
        assert said in err
        assert CANARY not in err


def test_kept_nested_values_in_csv(publius: Callable[..., Any], tmp_path: Path) -> None:
    parquet.write_table(
        pa.table({"body": ["people"], "kept": [[CANARY]]}), tmp_path / "in.parquet"
    )
    options = ("--keep", "kept", "--format", "csv", *SMALL)
    assert "--format parquet" in refused(
        publius("release", "in.parquet", "-o", "out", *options)
    )
    assert not list((tmp_path / "out").glob("data*"))


COLUMN = "us\x1b[31mer\x07\u202e\x85"


def test_a_name_of_a_column_commands_no_screen(publius: Callable[..., Any]) -> None:
    rows = "".join(f"the old house,u{i},x\n" for i in range(4))
    Path("in.csv").write_text(f"body,{COLUMN},kept\u202e\n{rows}", "utf-8")
    asked = ("release", "in.csv", "--text", "body", "--author", COLUMN)
    rest = ("--keep", "kept\u202e", "--vocabulary", 60, "--workers", 1, "-o", "out")
    dry = publius(*asked, *rest, "--dry-run")
    done = publius(*asked, *rest, "--show-examples", "--json")
    wrong = publius("release", "in.csv", "--text", f"{COLUMN}x", "-o", "other")
    pages = [
        Path("out", name).read_text("utf-8")
        for name in ("report.html", "report-private.html", "manifest.json")
    ]
    for told in (dry.out, dry.err, done.out, done.err, wrong.err, *pages):
        assert not set(told) & set("\x1b\x07\u202e\x85")
    assert "added up per: us�[31mer���" in dry.out
    assert "kept�" in pages[0]
    assert parquet.read_schema("out/data.parquet").names == ["body", "kept\u202e"]
