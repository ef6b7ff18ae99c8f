"""Plant canaries everywhere in tables, release them, and look for them everywhere.

python scripts/canary_run.py --rows 1000000

Canaries stand in protected cells, in columns that are not released, in the names of
people, in file names and in metadata. Nothing below the folder of a run but its inputs
may hold one: released data, reports, manifests, caches, temporary files. A ledger holds
names and is private: it is left out. Neither may what the commands print.
"""

import argparse
import base64
import gzip
import json
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
import time
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv as pa_csv
from pyarrow import parquet

ROOT = Path(__file__).parents[1]
FIGURES = ROOT / "docs" / "measurements" / "canary.json"
CANARY = re.compile(rb"(?i)zyxq|1977-03-31|31415926535")
"""What no released byte may match: parts of names, a date, digits of coordinates."""

FORMS = ("Zyxqinska", "D'Zyxqorblo", "zyxq.o@example.org", "+49-zyxq-17", "#zyxqtag",
         "https://example.org/u/zyxq", "Vrax-Zyxqist", "ZYXQ's", "AT&Zyxq")  # fmt: skip
KNOWN = ("people", "government", "years", "the", "and", "president", "city")
PROGRAM = (sys.executable, "-c", "from publius.cli import main; main()")
Said = tuple[int, bytes]
Run = Callable[[list[str], Path], Said]


@dataclass(frozen=True)
class Case:
    """One way through the program."""

    name: str
    material: str
    kind: str
    options: tuple[str, ...]
    share: float = 1.0
    """Of the rows that a case gets; little where a row is slow."""


WORDS = ("--vocabulary", "500")
CASES = (
    Case("text-parquet", "text", "parquet", (*WORDS, "--author", "user")),
    Case("text-csv", "text", "csv", (*WORDS, "--format", "same")),
    Case("text-csv-gz", "text", "csv.gz", (*WORDS, "--format", "csv")),
    Case("text-tsv", "text", "tsv", (*WORDS, "--format", "tsv", "--keep", "n")),
    Case("text-jsonl", "text", "jsonl", (*WORDS, "--format", "jsonl")),
    Case("text-lines", "text", "txt", (*WORDS, "--format", "txt")),
    Case("text-folder", "text", "folder", WORDS, 0.01),
    Case("text-workers", "text", "csv", (*WORDS, "--workers", "2")),
    Case("text-ledger", "text", "csv",
         (*WORDS, "--author", "user", "--ledger", "ledger.db")),
    Case("all-words", "text", "parquet", (*WORDS, "--protect", "all")),
    Case("no-function-words", "text", "csv", (*WORDS, "--function-words", "drop")),
    Case("masked", "text", "jsonl", (*WORDS, "--oov", "mask")),
    Case("bag", "text", "csv", (*WORDS, "--as", "bag", "--format", "csv")),
    Case("fixed-bag", "text", "csv", (*WORDS, "--as", "bag", "--length", "4")),
    Case("terms", "text", "csv", (*WORDS, "--as", "tf", "--length", "4"), 0.2),
    Case("laplace", "text", "csv", (*WORDS, "--mechanism", "laplace"), 0.2),
    Case("sentences", "text", "csv",
         ("--mechanism", "dp-vae", "--epsilon", "8", "--device", "cpu"), 0.002),
    Case("times-csv", "times", "csv", ("--user", "user")),
    Case("times-jsonl", "times", "jsonl", ("--format", "parquet")),
    Case("times-parquet", "times", "parquet", ("--format", "csv")),
    Case("places-csv", "places", "csv", ("--user", "user")),
    Case("places-jsonl", "places", "jsonl", ("--format", "geojson")),
    Case("places-parquet", "places", "parquet", ("--format", "same")),
    Case("places-geojson", "places", "geojson", ("--format", "same")),
)  # fmt: skip


def in_process_of_its_own(arguments: list[str], folder: Path) -> Said:
    """Run a command; its cache and temporary files lie in the folder."""
    own = {"PUBLIUS_CACHE": str(folder / "cache"), "TMPDIR": str(folder / "temporary")}
    (folder / "temporary").mkdir(exist_ok=True)
    done = subprocess.run(
        [*PROGRAM, *arguments], cwd=folder, env={**os.environ, **own},
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        check=False,
    )  # fmt: skip
    return done.returncode, done.stdout


def make_rows(material: str, count: int, seed: int = 0) -> pa.Table:
    """Return a table with canaries in every cell that must not leave."""
    rng = np.random.default_rng([seed, count])
    number = np.arange(count)
    if material == "times":
        minute = rng.integers(0, 1440, size=count)
        clock = [f"1977-03-31T{m // 60:02d}:{m % 60:02d}:00Z" for m in minute.tolist()]
        columns: dict[str, pa.Array] = {"wake": pa.array(clock)}
    elif material == "places":
        lat, lon = rng.integers(-60, 60, count), rng.integers(-170, 170, count)
        columns = {
            "lat": pa.array(lat + 0.31415926535),
            "lon": pa.array(lon + 0.31415926535),
        }
    else:
        words = np.array([*KNOWN, *FORMS], dtype=object)
        drawn = words[rng.integers(0, len(words), size=(count, 5))]
        texts = [
            " ".join([*row, f"Zyxq{i}name"])
            for i, row in zip(number.tolist(), drawn.tolist(), strict=True)
        ]
        columns = {"body": pa.array(texts)}
    people = [f"zyxquser{i % 997}" for i in number.tolist()]
    columns |= {"user": pa.array(people), "n": pa.array(number)}
    columns["ssn"] = pa.array([f"zyxq-{i}" for i in number.tolist()])
    return pa.table(columns).replace_schema_metadata({"note": "zyxq clinic"})


def write_input(folder: Path, kind: str, rows: pa.Table) -> Path:
    """Write a table under a name that is a canary too."""
    path = folder / f"inzyxq.{kind}"
    if kind == "parquet":
        parquet.write_table(rows, path)
    elif kind == "folder":
        path.mkdir()
        for number, text in enumerate(rows.column("body").to_pylist()):
            (path / f"zyxq{number}.txt").write_text(text, "utf-8")
    elif kind == "txt":
        path.write_text("\n".join(rows.column("body").to_pylist()) + "\n", "utf-8")
    elif kind == "jsonl":
        with path.open("w", encoding="utf-8") as file:
            file.writelines(json.dumps(row) + "\n" for row in rows.to_pylist())
    elif kind == "geojson":
        path.write_text(json.dumps(_features(rows)), "utf-8")
    else:
        mark = "\t" if kind == "tsv" else ","
        options = pa_csv.WriteOptions(delimiter=mark)
        with gzip.open(path, "wb") if kind.endswith("gz") else path.open("wb") as file:
            pa_csv.write_csv(rows, file, options)
    return path


def _features(rows: pa.Table) -> dict[str, object]:
    return {
        "type": "FeatureCollection",
        "features": [
            {
                "type": "Feature",
                "geometry": {
                    "type": "Point",
                    "coordinates": [row.pop("lon"), row.pop("lat")],
                },
                "properties": row,
            }
            for row in rows.to_pylist()
        ],
    }


def command_of(case: Case, path: Path) -> list[str]:
    """Return the arguments of a case."""
    start = {
        "text": ["release", path.name],
        "times": ["times", path.name, "--column", "wake"],
        "places": ["places", path.name],
    }[case.material]
    if case.material == "text" and case.kind not in ("txt", "folder"):
        start += ["--text", "body"]
    return [*start, "-o", "out", *case.options]


def contents(folder: Path, skip: tuple[Path, ...]) -> Iterator[tuple[str, bytes]]:
    """Yield names and contents of all files below a folder, unpacked, in pieces."""
    for path in sorted(folder.rglob("*")):
        if any(path == s or s in path.parents for s in skip):
            continue
        yield path.name, path.name.encode()
        if path.is_file():
            for piece in _pieces(path):
                yield path.name, piece


def _pieces(path: Path) -> Iterator[bytes]:
    if path.suffix == ".parquet":
        with parquet.ParquetFile(path) as file:
            notes = dict(file.metadata.metadata or {})
            yield base64.b64decode(notes.pop(b"ARROW:schema", b""))
            yield repr(notes).encode() + str(file.schema_arrow).encode()
            for batch in file.iter_batches(65536):
                yield "\n".join(str(column.to_pylist()) for column in batch).encode()
    elif path.suffix == ".npz":
        with zipfile.ZipFile(path) as archive:
            yield from (archive.read(name) for name in archive.namelist())
    elif path.suffix == ".gz":
        yield gzip.decompress(path.read_bytes())
    else:
        yield path.read_bytes()


def leaks(folder: Path, printed: bytes, skip: tuple[Path, ...]) -> list[str]:
    """Return where a canary was found."""
    places = ["printed"] if CANARY.search(printed) else []
    return places + [
        name for name, piece in contents(folder, skip) if CANARY.search(piece)
    ]


def run_case(case: Case, rows: int, folder: Path, run: Run) -> dict[str, object]:
    """Release one case and look for canaries; the folder must be empty."""
    count = max(2, round(rows * case.share))
    path = write_input(folder, case.kind, make_rows(case.material, count))
    started = time.monotonic()
    code, printed = run(command_of(case, path), folder)
    # A ledger holds names: it is private, and says so.
    private = tuple(folder.glob("ledger.db*"))
    return {
        "case": case.name,
        "rows": count,
        "code": code,
        "leaks": leaks(folder, printed, (path, *private)),
        "seconds": round(time.monotonic() - started, 1),
        "said": printed.decode("utf-8", "replace")[-300:] if code else "",
    }


def main() -> None:
    """Run every case and write the figures."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--write", action="store_true", help="Write docs/measurements.")
    given = parser.parse_args()
    each = given.rows / sum(case.share for case in CASES)
    cells = []
    for case in CASES:
        folder = Path(tempfile.mkdtemp())
        try:
            cells.append(run_case(case, round(each), folder, in_process_of_its_own))
        finally:
            shutil.rmtree(folder)
        print(json.dumps(cells[-1]), flush=True)
    commit = subprocess.run(
        ["git", "rev-parse", "--short", "HEAD"], cwd=ROOT, capture_output=True,
        text=True, check=False,
    ).stdout.strip()  # fmt: skip
    figures = {
        "commit": commit,
        "date": datetime.now(UTC).date().isoformat(),
        "machine": f"{platform.machine()}, {os.cpu_count()} cores",
        "command": f"python scripts/canary_run.py --rows {given.rows} --write",
        "rows": sum(int(str(cell["rows"])) for cell in cells),
        "leaks": sum(len(list(cell["leaks"])) for cell in cells),  # type: ignore[call-overload]
        "cases": cells,
    }
    if given.write:
        FIGURES.parent.mkdir(exist_ok=True)
        FIGURES.write_text(json.dumps(figures, indent=1) + "\n", "utf-8")
    print(f"{figures['leaks']} leaks in {figures['rows']:,} rows")
    failed = [cell["case"] for cell in cells if cell["code"] != 0]
    sys.exit(1 if figures["leaks"] or failed else 0)


if __name__ == "__main__":
    main()
