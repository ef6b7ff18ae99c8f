"""Commands with tables and settings: most valid, some with one thing broken."""

import gzip
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pyarrow as pa
from pyarrow import parquet

SECRET = "Zyxwinska"  # noqa: S105 - a word, not a password
OTHER = "ssnzyx-001"
CANARIES = (SECRET, OTHER)
KNOWN = ("people", "years", "government", "president", "city", "world", "state")
WORDS = (*KNOWN, "the", "and", SECRET, f"{SECRET}'s", f"@{SECRET}", "77,5")
BROKEN = 0.25
"""Share of the commands in which one thing is broken."""

JUNK = ("", "nan", "inf", "-1", "0", "1e999", "💥", "[red]", "../x", "a" * 3000, "x=y")
MECHANISMS = ("exponential", "laplace", "santext", "custext", "graded", "projection",
              "mahalanobis", "santext-plus")  # fmt: skip
METRICS = ("hop", "hop:k=5:cap=3", "euclidean", "angular", "manhattan", "discrete")
Rng = np.random.Generator


@dataclass
class Command:
    """What is asked for, and the file that it reads."""

    arguments: list[str]
    file: Path | None = None
    out: Path | None = None
    is_valid: bool = True


@dataclass
class Desk:
    """Where one command is written down."""

    rng: Rng
    folder: Path
    arguments: list[str] = field(default_factory=list)

    def pick(self, *options: str) -> str:
        return options[int(self.rng.integers(len(options)))]

    def often(self, share: float = 0.5) -> bool:
        return bool(self.rng.random() < share)

    def add(self, *tokens: object, share: float = 1.0) -> None:
        if self.often(share):
            self.arguments += [str(token) for token in tokens]

    def number(self, low: float, high: float) -> str:
        return f"{self.rng.uniform(low, high):.3g}"

    def text(self) -> str:
        count = int(self.rng.integers(0, 9))
        return " ".join(self.pick(*WORDS) for _ in range(count))


def make_command(rng: Rng, folder: Path) -> Command:
    """Write files and return a command that uses them."""
    desk = Desk(rng, folder)
    settings = {"vocabulary": int(rng.integers(40, 90))}
    if desk.often(0.2):
        settings["neighbours"] = 5
    lines = [f"{name} = {value}" for name, value in settings.items()]
    (folder / "publius.toml").write_text("\n".join(["[words]", *lines, ""]))
    command = _COMMANDS[int(rng.choice(len(_COMMANDS), p=_SHARES))](desk)
    if desk.often(BROKEN):
        _break(command, desk)
    return command


def _break(command: Command, desk: Desk) -> None:
    """Break one thing: an option, its value, the order, or the file."""
    command.is_valid = False
    tokens, rng = command.arguments, desk.rng
    place = int(rng.integers(1, max(2, len(tokens))))
    kind = desk.pick("value", "drop", "option", "twice", "swap", "bytes", "cut")
    if kind == "value" and place < len(tokens):
        tokens[place] = desk.pick(*JUNK)
    elif kind == "drop" and place < len(tokens):
        del tokens[place]
    elif kind == "option":
        tokens.insert(place, desk.pick("--nothing", "--epsilonn", "-z", "--json=1"))
    elif kind == "twice" and place < len(tokens):
        tokens.insert(place, tokens[place])
    elif kind == "swap" and len(tokens) > 2:
        other = int(rng.integers(1, len(tokens)))
        place = min(place, len(tokens) - 1)
        tokens[place], tokens[other] = tokens[other], tokens[place]
    elif command.file is not None and command.file.is_file():
        _damage(command.file, rng, is_cut=kind == "cut")


def _damage(path: Path, rng: Rng, *, is_cut: bool) -> None:
    content = bytearray(path.read_bytes())
    if is_cut or not content:
        path.write_bytes(bytes(content[: len(content) // 2]))
        return
    for place in rng.integers(0, len(content), size=3).tolist():
        content[place] = int(rng.integers(256))
    path.write_bytes(bytes(content))


def write_table(desk: Desk, rows: list[dict[str, object]], *kinds: str) -> Path:
    """Write rows in one of the formats."""
    kind = desk.pick(*kinds)
    path = desk.folder / f"in.{kind}"
    if kind == "parquet":
        noted = pa.Table.from_pylist(rows)
        parquet.write_table(noted.replace_schema_metadata({"note": OTHER}), path)
        return path
    if kind.startswith("jsonl"):
        content = "".join(json.dumps(row) + "\n" for row in rows)
    else:
        mark = "\t" if kind.startswith("tsv") else ","
        lines = [list(rows[0]), *(list(row.values()) for row in rows)]
        content = "".join(mark.join(f'"{v}"' for v in line) + "\n" for line in lines)
    data = content.encode()
    path.write_bytes(gzip.compress(data) if kind.endswith("gz") else data)
    return path


def _words(desk: Desk, *, levels: bool = True) -> None:
    """Add the options of a word mechanism."""
    mechanism = desk.pick(*MECHANISMS)
    desk.add("--mechanism", mechanism)
    has_level = mechanism not in ("custext", "santext-plus")
    name = "--level" if levels and has_level and desk.often(0.2) else "--epsilon"
    desk.add(name, desk.number(0.3, 8))
    if mechanism == "exponential":
        desk.add("--metric", desk.pick(*METRICS), share=0.6)
        desk.add(desk.pick("--balanced", "--plain"), share=0.4)
        desk.add("--remap", desk.pick("none", "bayes", "rank"), share=0.3)
    if mechanism == "custext":
        desk.add("--set", "group=5", share=0.5)


def _policy(desk: Desk) -> None:
    desk.add("--protect", desk.pick("content", "all"), share=0.3)
    desk.add("--function-words", desk.pick("keep", "drop"), share=0.3)
    desk.add("--oov", desk.pick("uniform", "mask"), share=0.3)
    desk.add("--seed", int(desk.rng.integers(99)), share=0.5)


def _ledger(desk: Desk) -> None:
    if "--seed" not in desk.arguments and desk.often(0.3):
        desk.add("--ledger", "ledger.db")
        desk.add("--budget", desk.number(1, 500), share=0.4)


def _release(desk: Desk) -> Command:
    count = int(desk.rng.integers(1, 12))
    rows: list[dict[str, object]] = [
        {"body": desk.text(), "user": f"u{i % 3}", "ssn": OTHER, "n": i}
        for i in range(count)
    ]
    path = write_table(desk, rows, "csv", "tsv", "jsonl", "parquet", "csv.gz")
    out = desk.folder / "out"
    desk.arguments = ["release", path.name, "-o", "out", "--text", "body"]
    desk.add("--author", "user", share=0.5)
    desk.add("--keep", desk.pick("n", "n,user"), share=0.4)
    if desk.often(0.15):
        desk.add("--as", "tf", "--length", 4, "--epsilon", 8)
        desk.add("--format", desk.pick("parquet", "jsonl"))
    else:
        _words(desk)
        _policy(desk)
        desk.add("--as", desk.pick("text", "bag"), share=0.3)
        desk.add("--format", desk.pick("parquet", "csv", "tsv", "jsonl", "same"))
    _ledger(desk)
    desk.add("--json", share=0.3)
    return Command(desk.arguments, path, out)


def _time(desk: Desk, kind: str) -> str:
    hour, minute = desk.rng.integers([24, 60]).tolist()
    if kind == "stamp":
        return f"2024-02-{minute % 28 + 1:02d}T{hour:02d}:{minute:02d}:00Z"
    seconds = ":07" if kind == "seconds" else ""
    return f"{hour:02d}:{minute:02d}{seconds}"


def _times(desk: Desk) -> Command:
    kind = desk.pick("minutes", "seconds", "stamp")
    rows: list[dict[str, object]] = [
        {"wake": _time(desk, kind), "user": f"u{i % 3}", "ssn": OTHER}
        for i in range(int(desk.rng.integers(1, 9)))
    ]
    if desk.often(0.05):
        rows[-1]["wake"] = f"{SECRET} o'clock"
    path = write_table(desk, rows, "csv", "tsv", "jsonl", "parquet")
    desk.arguments = ["times", path.name, "-o", "out", "--column", "wake"]
    desk.add("--level", desk.number(0.2, 4), share=0.6)
    desk.add("--radius", desk.pick("30min", "2h", "600s"), share=0.6)
    _moved(desk)
    return Command(desk.arguments, path, desk.folder / "out")


def _places(desk: Desk) -> Command:
    rows: list[dict[str, object]] = [
        {
            "lat": float(np.round(desk.rng.uniform(-90, 90), 5)),
            "lon": float(np.round(desk.rng.uniform(-180, 180), 5)),
            "user": f"u{i % 3}",
            "ssn": OTHER,
        }
        for i in range(int(desk.rng.integers(1, 9)))
    ]
    path = write_table(desk, rows, "csv", "tsv", "jsonl", "parquet")
    desk.arguments = ["places", path.name, "-o", "out"]
    desk.add("--level", desk.number(0.2, 4), share=0.6)
    desk.add("--radius", desk.pick("200m", "5km", "1000km"), share=0.6)
    desk.add("--mechanism", desk.pick("purkayastha", "vmf"), share=0.5)
    _moved(desk)
    return Command(desk.arguments, path, desk.folder / "out")


def _moved(desk: Desk) -> None:
    """Add what times and places share."""
    desk.add("--user", "user", share=0.5)
    desk.add("--missing", desk.pick("refuse", "drop"), share=0.3)
    desk.add("--format", desk.pick("same", "parquet", "csv", "jsonl"), share=0.5)
    desk.add("--seed", int(desk.rng.integers(99)), share=0.4)
    _ledger(desk)
    desk.add("--json", share=0.3)


def _try(desk: Desk) -> Command:
    text = " ".join(desk.pick(*KNOWN, "the", "qwertz") for _ in range(5))
    desk.arguments = ["try", text]
    _words(desk)
    _policy(desk)
    desk.add("--json", share=0.5)
    return Command(desk.arguments)


def _explain(desk: Desk) -> Command:
    desk.arguments = ["explain", desk.pick("that", "with", "from", "this")]
    _words(desk)
    desk.add("--best", 3, share=0.4)
    desk.add("--json", share=0.5)
    return Command(desk.arguments)


def _certify(desk: Desk) -> Command:
    desk.arguments = ["certify", "--epsilon", desk.number(0.5, 6)]
    desk.add("--mechanism", desk.pick("exponential", "santext"), share=0.5)
    desk.add("--dump-channel", "law.npz", share=0.3)
    desk.add("--json", share=0.5)
    return Command(desk.arguments)


def _calibrate(desk: Desk) -> Command:
    desk.arguments = ["calibrate"]
    desk.add(*desk.pick("--epsilon 2", "--grid 1,3").split())
    desk.add("--plot", "curve.svg", share=0.2)
    desk.add("--json", share=0.5)
    return Command(desk.arguments)


def _law(desk: Desk) -> Path:
    size = int(desk.rng.integers(2, 6))
    law = desk.rng.dirichlet(np.ones(size), size=size)
    if desk.often():
        path = desk.folder / "law.npz"
        np.savez(path, channel=law, distance=1 - np.eye(size))
        return path
    path = desk.folder / "law.csv"
    np.savetxt(path, law, delimiter=",", fmt="%.18f")
    return path


def _channel(desk: Desk) -> Command:
    path = _law(desk)
    if desk.often():
        desk.arguments = ["leakage", path.name]
        desk.add("--tolerance", "1e-6")
    else:
        desk.arguments = ["audit", "--channel", path.name]
        desk.add("--epsilon", desk.number(0.1, 12))
    desk.add("--json", share=0.5)
    return Command(desk.arguments, path)


def _texts(desk: Desk) -> Command:
    for name in ("a", "b"):
        (desk.folder / f"{name}.txt").write_text(desk.text())
    desk.arguments = ["audit", "--texts", "a.txt", "b.txt", "--draws", "64"]
    desk.add("--json", share=0.5)
    return Command(desk.arguments, desk.folder / "a.txt")


def _lists(desk: Desk) -> Command:
    vectors = desk.folder / "e.vec"
    vectors.write_text("3 2\na 1 2\nb 3 4\nc 0 1\n")
    listed = (
        "embeddings list", "embeddings info e.vec",
        "embeddings convert e.vec e.publius",
        "reproduce --list", "ledger show ledger.db", "ledger releases ledger.db",
        "release --help", "compare --help", "autoencoder train --help",
    )  # fmt: skip
    desk.arguments = desk.pick(*listed).split()
    return Command(desk.arguments, vectors)


def _assess(desk: Desk) -> Command:
    rows: list[dict[str, object]] = []
    for i in range(16):
        words = [desk.pick(*KNOWN[i % 2 :: 2], SECRET) for _ in range(6)]
        place = np.round(desk.rng.uniform(-80, 80, size=2), 3).tolist()
        rows.append(
            {
                "body": " ".join(words),
                "user": f"u{i % 2}",
                "out": " ".join(sorted(words)),
                **dict(zip(("lat", "lon"), place, strict=True)),
                "x": place[0] + 0.1,
                "y": place[1] + 0.1,
            }
        )
    path = write_table(desk, rows, "csv", "jsonl", "parquet")
    if desk.often():
        desk.arguments = ["attack", path.name, "--text", "body", "--author", "user"]
        desk.add("--released", "out", "--attack", desk.pick("delta", "koppel"))
    else:
        desk.arguments = ["linkage", path.name, "--user", "user", "--released", "x,y"]
    desk.add("--json", share=0.5)
    return Command(desk.arguments, path)


_TABLE: dict[Callable[[Desk], Command], float] = {
    _release: 6, _times: 4, _places: 4, _try: 3, _explain: 1.5, _certify: 1,
    _calibrate: 0.5, _channel: 3, _texts: 1, _lists: 1.5, _assess: 1,
}  # fmt: skip
_COMMANDS = list(_TABLE)
_SHARES = np.array(list(_TABLE.values())) / sum(_TABLE.values())
