"""Measure what engines add: CPU seconds of workers and of everything, by size.

    python scripts/measure_cluster.py TEXTS.parquet --column text --megabytes 10 100 \
        --out docs/measurements/cluster.json

Texts are repeated up to each size and lie in four Parquet files. A worker's seconds are
those of its tasks, the building of the mechanism included; everything is what all
processes of the run used until it was done: driver, Java, Ray's services, imports.
"""

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyarrow import parquet

from publius import engines
from publius.core.config import WordSettings
from publius.engines.engine import Task
from publius.engines.split import Split
from publius.pipeline import ReleaseRequest, release
from publius.tables.columns import Columns

MARK = "PUBLIUS_MEASURED"
WORKERS = 2
FILES = 4
_ONE = "import sys, measure_cluster; measure_cluster.measure(*sys.argv[1:])"
ENGINES = ("local", "spark", "ray")


@dataclass(frozen=True)
class Timed:
    """A task that tells how long it used the processor."""

    task: Any

    def __call__(self, split: Split) -> tuple[Any, float]:
        before = time.process_time()
        result = self.task(split)
        return result, time.process_time() - before


@dataclass
class Clocked:
    """An engine that adds up the seconds of its tasks."""

    engine: Any
    seconds: float = 0.0

    def run(self, task: Task[Any], splits: Sequence[Split]) -> Iterator[Any]:
        for result, seconds in self.engine.run(Timed(task), splits):
            self.seconds += seconds
            yield result

    def close(self) -> None:
        self.engine.close()


def everything(mark: str) -> float:
    """Return the CPU seconds of all processes that were started for a run."""
    total, tick = 0, os.sysconf("SC_CLK_TCK")
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            is_ours = f"{MARK}={mark}".encode() in (folder / "environ").read_bytes()
            stat = (folder / "stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if is_ours:
            total += sum(map(int, stat[11:15]))
    return total / tick


def measure(name: str, folder: str) -> None:
    """Release a folder on one engine; print what it took, in a process of its own."""
    made = {
        "local": lambda: engines.Local(WORKERS),
        "spark": lambda: engines.Spark(master=f"local[{WORKERS}]"),
        "ray": lambda: engines.Ray(workers=WORKERS),
    }
    engine = Clocked(made[name]())
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as place:
        request = ReleaseRequest(
            path=folder,
            out=Path(place) / "out",
            columns=Columns(("text",)),
            settings=WordSettings(),
        )
        done = release(request, engine=engine)
        wall = time.monotonic() - began
        used = everything(os.environ[MARK])
    facts = {
        "engine": name,
        "rows": done.exposure.rows,
        "workers_cpu_s": round(engine.seconds, 2),
        "all_cpu_s": round(used, 2),
        "wall_s": round(wall, 1),
    }
    print(json.dumps(facts), flush=True)
    engine.close()


def written(texts: pa.Array, megabytes: int, folder: Path) -> int:
    """Write texts of so many megabytes in a few files; return their bytes."""
    folder.mkdir()
    size = sum(len(text.encode()) for text in texts.to_pylist())
    times = max(1, -(-megabytes * 1_000_000 // size))
    every = pa.concat_arrays([texts] * times)
    rows = int(len(every) * megabytes * 1_000_000 / (size * times))
    every = every.slice(0, max(rows, FILES))
    step = -(-len(every) // FILES)
    for number in range(FILES):
        part = pa.table({"text": every.slice(number * step, step)})
        parquet.write_table(part, folder / f"{number}.parquet")
    return sum(len(text.as_py().encode()) for text in every)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("texts")
    parser.add_argument("--column", default="text")
    parser.add_argument("--megabytes", type=int, nargs="+", default=[10, 100])
    parser.add_argument("--out", type=Path)
    given = parser.parse_args()
    table = parquet.read_table(given.texts, columns=[given.column])
    texts = table.column(0).combine_chunks().drop_null().cast(pa.large_string())
    figures = []
    with tempfile.TemporaryDirectory() as place:
        for megabytes in given.megabytes:
            folder = Path(place) / str(megabytes)
            size = written(texts, megabytes, folder)
            for name in ENGINES:
                figures.append({"bytes": size, **_apart(name, folder)})
                print(json.dumps(figures[-1]), flush=True)
    if given.out is not None:
        given.out.write_text(json.dumps(_facts(figures), indent=1) + "\n")


def _apart(name: str, folder: Path) -> dict[str, Any]:
    paths = os.pathsep.join(
        [str(Path(__file__).parent.resolve()), os.environ.get("PYTHONPATH", "")]
    )
    mark = f"{os.getpid()}-{name}-{folder.name}"
    done = subprocess.run(
        # Workers must be able to import the tasks, which they cannot from a program.
        [sys.executable, "-c", _ONE, name, str(folder)],
        env=os.environ | {MARK: mark, "PYTHONPATH": paths},
        stdout=subprocess.PIPE,
        check=True,
        text=True,
    )
    return dict(json.loads(done.stdout.splitlines()[-1]))


def _facts(figures: list[dict[str, Any]]) -> dict[str, Any]:
    commit = subprocess.run(
        ["git", "rev-parse", "--short", "HEAD"],
        stdout=subprocess.PIPE, text=True, check=True,
    ).stdout.strip()  # fmt: skip
    local = {
        row["bytes"]: row["workers_cpu_s"]
        for row in figures
        if row["engine"] == "local"
    }
    return {
        "commit": commit,
        "date": date.today().isoformat(),  # noqa: DTZ011 - a day, not a moment
        "machine": f"{os.cpu_count()} cores, {platform.machine()}, {platform.system()}",
        "load_average": [round(one, 1) for one in os.getloadavg()],
        "workers": WORKERS,
        "command": " ".join(["python", "scripts/measure_cluster.py", *sys.argv[2:]]),
        "figures": [
            {
                **row,
                "workers_against_local": round(
                    row["workers_cpu_s"] / local[row["bytes"]], 3
                ),
                "overhead_cpu_s": round(row["all_cpu_s"] - row["workers_cpu_s"], 2),
            }
            for row in figures
        ],
    }


if __name__ == "__main__":
    main()
