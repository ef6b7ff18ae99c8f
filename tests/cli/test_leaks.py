"""An attacker's look at everything that a release leaves behind."""

import base64
import errno
import json
import os
import re
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

from publius.core.rng import RunKey
from publius.core.rng import secure as fresh_stream
from publius.materials.words.assemble import WORD_MECHANISMS

CANARIES = [
    "Zyxwinska",
    "McQuorble",
    "D'Quorblo",
    "Vrax-Ulmquist",
    "qx_handlebar",
    "Plib\u00adquist",
    "Zer\u200bowidth",
    "Кварцелли",
    "Sаmirquin",  # with a Cyrillic a
    "柳宗元石",
    "शर्मिलाक्ष",
    "יהונתןש",
    "9876543219",
    "4,918,273.64",
    "+49-171-5550199",
    "1977-03-31",
    "z.quorble@zyx.example.org",
    "https://zyx.example.org/u/quorble?id=77",
    "@zyxquorble",
    "#zyxtagged",
    "🦤🪿",
    "👩🏽‍🦽",
    "♜♞",
    "©®",
    "\u202ezyxrtl",
    "\x1b[31mzyxred",
    "nul\x00zyx",
    "QUORBLE'S",
    "quorble’s",
    "𝓆𝓊𝑜𝓇",
    "Ⅷ②½",
    "½",
    "zyxa\u0301quor",
]
"""None of these is a word of the vocabulary; their letters never meet by chance."""

PARTS = ["Zyxwinska", "Quorbl", "quorble", "handlebar", "quist", "owidth", "Кварц"]
PARTS += ["mirquin", "柳宗", "शर्मि", "יהונתן", "9876543", "4,918", "5550199", "1977-03"]
PARTS += ["zyx", "Zyx", "🦤", "🪿", "🦽", "♜", "©", "\u202e", "\x1b", "\x00", "\u00ad"]
PARTS += ["\u200b", "Ⅷ", "②", "½", "𝓆", "\u0301"]
COLUMNS = ["ssnzyx-001", "authorzyx-77", "Zyx Klinik", "filezyxname"]
SMALL = ("--vocabulary", 100)
FORMS = {
    "text": (),
    "protected": ("--protect", "all"),
    "dropped": ("--function-words", "drop"),
    "masked": ("--oov", "mask"),
    "bag": ("--as", "bag"),
    "fixed": ("--as", "bag", "--length", "4"),
    "vectors": ("--as", "tf", "--length", "4"),
    "laplace": ("--mechanism", "laplace", "--epsilon", "20"),
}


def texts() -> list[str]:
    around = [f"The people saw {c}, and {c}; again: {c}." for c in CANARIES]
    return [*CANARIES, *around, " ".join(CANARIES), "".join(CANARIES), ""]


def contents(folder: Path) -> Iterator[tuple[str, str]]:
    """Yield the names and the text of every file below a folder, unpacked."""
    for path in sorted(folder.rglob("*")):
        yield str(path), path.name
        if path.suffix == ".parquet":
            file = parquet.ParquetFile(path)
            notes = file.metadata.metadata or {}
            packed = base64.b64decode(notes.pop(b"ARROW:schema", b""))
            yield str(path), _printable(packed) + repr(notes)
            yield str(path), str(file.read().to_pydict())
            file.close()
        elif path.suffix == ".arrow":
            with pa.OSFile(str(path)) as stream:
                stored = pa.ipc.open_file(stream).read_all()
                yield str(path), str(stored.to_pydict()) + repr(stored.schema.metadata)
        elif path.suffix == ".seal":
            yield str(path), _printable(path.read_bytes())
        elif path.suffix in (".npz", ".npy"):
            yield str(path), _printable(_unzipped(path))
        elif path.is_file():
            yield str(path), path.read_text("utf-8")


def _unzipped(path: Path) -> bytes:
    if path.suffix == ".npy":
        return path.read_bytes()
    with zipfile.ZipFile(path) as archive:
        return b"".join(archive.read(name) for name in archive.namelist())


def _printable(stored: bytes) -> str:
    """Return the ASCII letters among binary values; the rest meets by chance."""
    return "".join(re.findall(r"[ -~]{4,}", stored.decode("latin-1")))


def assert_nothing_of(secrets: list[str], where: str, written: str) -> None:
    # Python and JSON write control and invisible characters as escapes.
    escaped = [json.dumps(s)[1:-1] for s in secrets] + [repr(s)[1:-1] for s in secrets]
    for secret in {*secrets, *escaped}:
        assert secret not in written, (where, secret.encode("unicode_escape"))


def search(folder: Path, done: Any) -> None:
    secrets = [*CANARIES, *PARTS, *COLUMNS]
    for where, written in contents(folder / "out"):
        assert_nothing_of(secrets, where, written)
    for where, written in contents(Path(os.environ["PUBLIUS_CACHE"])):
        assert_nothing_of(secrets, where, written)
    assert_nothing_of(secrets, "output", done.out + done.err)


def table() -> pa.Table:
    rows = texts()
    notes = pa.field("in", pa.string(), metadata={"note": "Zyx Klinik"})
    nested = pa.array([{"in": "x"}] * len(rows), pa.struct([notes]))
    categories = pa.DictionaryArray.from_arrays(
        pa.array([0] * len(rows)), pa.array(["plain", "authorzyx-77"])
    )
    lists = pa.ListArray.from_arrays(np.arange(len(rows) + 1), categories)
    found = pa.table(
        {
            "body": rows,
            "ssn": ["ssnzyx-001"] * len(rows),
            "user": [f"authorzyx-77{i % 3}" for i in range(len(rows))],
            "kept": nested,
            "grade": categories,
            "grades": lists,
        }
    )
    noted = pa.field("body", pa.string(), metadata={"k": "ssnzyx-001"})
    found = found.set_column(0, noted, found.column(0))
    return found.replace_schema_metadata({"pandas": "Zyx Klinik", "a": "filezyxname"})


@pytest.mark.slow
@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_nothing_leaves_a_parquet_table(
    publius: Callable[..., Any], tmp_path: Path, form: tuple[str, ...]
) -> None:
    parquet.write_table(table(), tmp_path / "filezyxname.parquet")
    columns = ("--text", "body", "--author", "user", "--keep", "kept,grade,grades")
    done = publius(
        "release", "filezyxname.parquet", "-o", "out", *columns, *form, *SMALL
    )
    assert done.code == 0, done.err
    search(tmp_path, done)


@pytest.mark.parametrize("kind", ["csv", "jsonl", "txt", "folder"])
@pytest.mark.parametrize("file_format", ["same", "jsonl"])
def test_nothing_leaves_other_inputs(
    publius: Callable[..., Any], tmp_path: Path, kind: str, file_format: str
) -> None:
    path = tmp_path / f"filezyxname.{kind}"
    if kind == "folder":
        path.mkdir()
        for number, text in enumerate(texts()):
            (path / f"authorzyx-77{number}.txt").write_text(text)
    elif kind == "txt":
        path.write_text("\n".join(texts()))
    elif kind == "jsonl":
        rows = [{"body": t, "ssn": "ssnzyx-001"} for t in texts()]
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    else:
        lines = ['"{}",ssnzyx-001\n'.format(t.replace('"', '""')) for t in texts()]
        path.write_text("body,ssn\n" + "".join(lines))
    done = publius(
        "release", path, "-o", "out", "--format", file_format, "--json", *SMALL
    )
    assert done.code == 0, done.err
    search(tmp_path, done)


@pytest.mark.parametrize("mechanism", sorted(WORD_MECHANISMS))
def test_no_mechanism_lets_an_unknown_word_through(
    publius: Callable[..., Any], mechanism: str, tmp_path: Path
) -> None:
    options = ["--mechanism", mechanism, "--epsilon", 4, "--vocabulary", 60, "--json"]
    if WORD_MECHANISMS[mechanism].metric == "hyperbolic":
        # These need vectors inside the unit ball; the shipped ones lie on it.
        ball = tmp_path / "ball.txt"
        ball.write_text("dog 0.1 0.2\ncat 0.3 -0.1\nthing 0.0 0.01\n")
        options += ["--embedding", ball]
    done = publius("try", " and ".join(CANARIES), *options)
    assert done.code == 0, done.err
    released = json.loads(done.out)["released"]
    assert_nothing_of([*CANARIES, *PARTS], mechanism, released)


def test_workers_and_resumed_runs_leave_nothing(
    publius: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Stop after the first shard, look at what is there, go on, look again."""
    path = tmp_path / "in.txt"
    path.write_text("\n".join(texts() * 60))
    keys: list[bytes] = []
    fresh = RunKey.fresh

    def watched() -> RunKey:
        keys.append(fresh().key)
        return RunKey(keys[-1], is_secure=True)

    with monkeypatch.context() as patch:
        patch.setattr(RunKey, "fresh", watched)
        patch.setattr("publius.pipeline.run.Run._charge", _failing)
        done = publius("release", path, "-o", "out", *SMALL)
    assert done.code == 1
    assert (tmp_path / "out/.partial").is_dir()
    search(tmp_path, done)
    assert keys
    for file in (tmp_path / "out").rglob("*"):
        stored = file.read_bytes() if file.is_file() else b""
        assert keys[0] not in stored
        assert keys[0].hex().encode() not in stored
    done = publius("release", path, "-o", "out", "--resume", "--workers", 2, *SMALL)
    assert done.code == 0, done.err
    search(tmp_path, done)
    assert not (tmp_path / "out/.partial").exists()


def _failing(*_: object) -> None:
    raise OSError(errno.ENOSPC, "No space left on device")


def test_an_unforeseen_error_shows_no_text(
    publius: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "in.txt").write_text("Zyxwinska\n")

    def broken(*_: object) -> None:
        raise ValueError("Zyxwinska")

    for place in (
        "publius.materials.words.treatment.render_page",
        "publius.pipeline.step.Step.__call__",
    ):
        with monkeypatch.context() as patch:
            patch.setattr(place, broken)
            done = publius("release", "in.txt", "-o", place, *SMALL)
        assert done.code == 1
        assert done.err.count("\n") == 1
        assert "fault of the program" in done.err
        assert "Zyxwinska" not in done.out + done.err
        assert not list((tmp_path / place).glob("data.*"))


def test_the_embedding_is_named_without_its_folder(
    publius: Callable[..., Any], tmp_path: Path
) -> None:
    folder = tmp_path / "homezyx"
    folder.mkdir()
    rng = np.random.default_rng(0)
    lines = [
        f"w{i} " + " ".join(f"{v:.3f}" for v in rng.normal(size=4)) for i in range(30)
    ]
    (folder / "mine.vec").write_text("30 4\n" + "\n".join(lines))
    (tmp_path / "in.txt").write_text("w1 w2\n")
    done = publius(
        "release", "in.txt", "-o", "out", "--embedding", folder / "mine.vec", "--json"
    )
    assert done.code == 0, done.err
    for _, written in [*contents(tmp_path / "out"), ("", done.out)]:
        assert "homezyx" not in written


def test_row_zero_of_a_table_without_a_header_does_not_become_a_column(
    publius: Callable[..., Any], tmp_path: Path
) -> None:
    (tmp_path / "in.csv").write_text("We met Zyxwinska in May\nthe people\n")
    done = publius("release", "in.csv", "-o", "out", *SMALL)
    assert done.code == 1
    assert "Zyxwinska" not in done.out + done.err


def test_unknown_words_cannot_be_told_apart(
    publius: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever unknown words of one casing stand there: the same bytes leave.

    Other rows draw other noise from the same key, so the noise is held here.
    """
    monkeypatch.setattr(
        "publius.pipeline.step.stream_of",
        lambda key, context, start, _: key.stream_of("rows", [context, bytes(start)]),
    )
    seen = set()
    for name, word in (("a", "zyxwinska"), ("b", "77"), ("c", "кварц"), ("d", "🦤")):
        (tmp_path / f"{name}.txt").write_text(f"the people saw {word} again\n" * 20)
        publius("release", f"{name}.txt", "-o", name, "--seed", 1, *SMALL)
        files = ("data.txt", "manifest.json", "report.html")
        seen.add(b"".join((tmp_path / name / file).read_bytes() for file in files))
    assert len(seen) == 1
    # A word of the vocabulary has a law of its own: the comparison can fail.
    (tmp_path / "e.txt").write_text("the people saw government again\n" * 20)
    publius("release", "e.txt", "-o", "e", "--seed", 1, *SMALL)
    other = (tmp_path / "e" / "data.txt").read_bytes()
    assert other != (tmp_path / "a" / "data.txt").read_bytes()


def test_known_words_change_nothing_but_the_table(
    publius: Callable[..., Any], tmp_path: Path
) -> None:
    """Report and manifest hold no figure that depends on which words were there."""
    seen = set()
    for name, word in (("a", "people"), ("b", "government"), ("c", "zyxwinska")):
        (tmp_path / f"{name}.txt").write_text(f"the {word} saw {word}\n" * 20)
        publius("release", f"{name}.txt", "-o", name, "--seed", 1, *SMALL)
        manifest = json.loads((tmp_path / name / "manifest.json").read_text())
        digest = manifest.pop("files")["data.txt"]
        page = (tmp_path / name / "report.html").read_text().replace(digest, "")
        seen.add((json.dumps(manifest, sort_keys=True), page))
    assert len(seen) == 1


def test_secure_streams_are_not_shared() -> None:
    assert fresh_stream().bytes(32) != fresh_stream().bytes(32)
