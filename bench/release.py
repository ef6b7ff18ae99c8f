"""Speed of word releases: at growing sizes, on two processes, beside another commit.

python -m bench release                    # 10 and 100 MB of made-up sentences
MEGABYTES=10,100,1000 TEXT=corpus.csv JSON=figures.json python -m bench release
PEER=../older/src TURNS=3 python -m bench release   # a checkout of another commit

Seconds are of the processor (user and system, of workers too): another load of the
machine changes them less than the clock. Each comparison alternates its sides in one
run. Modules are compiled before anything is measured, as after an installation.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from itertools import cycle
from pathlib import Path

import numpy as np

from publius.embeddings.catalogue import load_embedding
from publius.language.stop_words import STOP_WORDS

PUBLIUS = [sys.executable, "-c", "from publius.cli import main; main()"]
WORDS = 120
"""Words per row of made-up text."""


@dataclass(frozen=True, slots=True)
class Measured:
    """What one command took.

    Args:
        cpu: Processor seconds of it and its workers.
        wall: Seconds by the clock.
        peak_mb: Most memory of its largest process, in units of 2^20 bytes.
        load: Processes that wanted to run, over the last minute.
    """

    cpu: float
    wall: float
    peak_mb: float
    load: float


def measured(arguments: Sequence[str], source: Path | None, compiled: Path) -> Measured:
    """Run a command of this Publius, or of the one in another folder."""
    changed = {"PYTHONPYCACHEPREFIX": str(compiled), "OMP_NUM_THREADS": "1"}
    if source is not None:
        changed["PYTHONPATH"] = str(source)
    kept = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    begun = time.perf_counter()
    process = subprocess.Popen(  # noqa: S603 - our own command
        [*PUBLIUS, *arguments],
        env={**kept, **changed},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        sys.exit(f"publius ended with {process.returncode}: {' '.join(arguments)}")
    return Measured(
        cpu=round(used.ru_utime + used.ru_stime, 2),
        wall=round(time.perf_counter() - begun, 2),
        peak_mb=round(used.ru_maxrss / 1024),
        load=round(os.getloadavg()[0], 1),
    )


def write_corpus(path: Path, megabytes: float) -> None:
    """Write a CSV of made-up sentences: public words by rank, and stop words."""
    rng = np.random.default_rng(1)
    known = load_embedding("glove-50k").vocabulary.words
    words = np.array([*known, *sorted(STOP_WORDS)])
    share = 1 / (np.arange(len(words)) + 10.0)
    share[-len(STOP_WORDS) :] = share.sum() / len(STOP_WORDS)
    share /= share.sum()
    written = 0
    with path.open("w", encoding="utf-8") as out:
        out.write("text,user\n")
        while out.tell() < megabytes * 1e6:
            drawn = words[rng.choice(len(words), size=(100, WORDS), p=share)]
            for row in drawn:
                out.write(f"{' '.join(row)},u{written % 997}\n")
                written += 1


def repeat_corpus(path: Path, given: Path, megabytes: float) -> None:
    """Write so much of a CSV file whose rows are lines, again and again if need be."""
    with given.open("rb") as source, path.open("wb") as out:
        names, *lines = source.readlines()
        out.write(names)
        for line in cycle(lines):
            if out.tell() >= megabytes * 1e6:
                return
            out.write(line)


@dataclass(frozen=True, slots=True)
class Bench:
    """Releases in a folder of their own.

    Args:
        root: Where to work.
        peer: The modules of another commit; None if there is none.
        turns: How often sides that are compared take turns.
    """

    root: Path
    peer: Path | None
    turns: int

    def release(
        self, path: Path, *options: str, source: Path | None = None
    ) -> Measured:
        """Release a file into a folder that is removed afterwards."""
        with tempfile.TemporaryDirectory(dir=self.root) as out:
            command = ["release", str(path), "--text", "text", *options]
            command += ["-o", f"{out}/out"]
            return measured(command, source, self.root / "compiled")

    def beside(self, small: Path, large: Path) -> dict[str, object]:
        """Return the seconds of both commits, turn by turn, and their ratios."""
        runs: dict[str, list[Measured]] = {}
        for name, path in (("small", small), ("large", large)):
            self.release(path, source=self.peer)  # forms what is formed once
            for _ in range(self.turns):
                for side, source in (("now", None), ("peer", self.peer)):
                    made = self.release(path, source=source)
                    runs.setdefault(f"{side}_{name}", []).append(made)
        least = {name: min(one.cpu for one in each) for name, each in runs.items()}
        after = least["peer_large"] - least["peer_small"]
        after /= least["now_large"] - least["now_small"]
        return {
            "rate_ratio_after_start": round(after, 2),
            "whole_run_ratio": round(least["peer_large"] / least["now_large"], 2),
            "runs": {
                name: [asdict(one) for one in each] for name, each in runs.items()
            },
        }

    def workers(self, path: Path) -> dict[str, object]:
        """Return one and two processes in turn, and how many times as quick two are."""
        one, two = [], []
        for _ in range(self.turns):
            one.append(self.release(path))
            two.append(self.release(path, "--workers", "2"))
        pairs = zip(one, two, strict=True)
        return {
            "wall_ratios": [round(a.wall / b.wall, 2) for a, b in pairs],
            "cpu_ratio": round(min(m.cpu for m in two) / min(m.cpu for m in one), 2),
            "one": [asdict(made) for made in one],
            "two": [asdict(made) for made in two],
        }


def main() -> None:
    """Measure, print, and write figures if a file is named."""
    asked = os.environ
    sizes = [float(size) for size in asked.get("MEGABYTES", "10,100").split(",")]
    text = Path(asked["TEXT"]) if "TEXT" in asked else None
    peer = Path(asked["PEER"]) if "PEER" in asked else None
    with tempfile.TemporaryDirectory(dir=asked.get("FOLDER")) as folder:
        bench = Bench(Path(folder), peer, int(asked.get("TURNS", "3")))
        figures = _measured(bench, sizes, text)
    if "JSON" in asked:
        Path(asked["JSON"]).write_text(json.dumps(figures, indent=1) + "\n")


def _measured(bench: Bench, sizes: list[float], text: Path | None) -> dict[str, object]:
    small, table = bench.root / "small.csv", bench.root / "table.csv"
    _fill(small, text, 0.07)
    bench.release(small)
    warm = min((bench.release(small) for _ in range(3)), key=lambda made: made.cpu)
    print(f"70 kB, warm: {warm.cpu:.2f} s, {warm.peak_mb:.0f} MB")
    figures: dict[str, object] = {"small": asdict(warm)}
    for megabytes in sizes:
        _fill(table, text, megabytes)
        made = bench.release(table)
        figures[f"{megabytes:g} MB"] = asdict(made)
        rate = (made.cpu - warm.cpu) / megabytes * 1000
        print(f"{megabytes:g} MB: {made.cpu:.2f} s, {made.peak_mb:.0f} MB; "
              f"{rate:.0f} ms per MB after the start", flush=True)  # fmt: skip
    crew = bench.workers(table)
    print(f"two processes, by the clock: {crew['wall_ratios']} times one")
    figures["workers"] = crew
    if bench.peer is not None:
        beside = bench.beside(small, table)
        print(f"beside the other commit: {beside['rate_ratio_after_start']} times the "
              f"rate after the start, {beside['whole_run_ratio']} in all")  # fmt: skip
        figures["peer"] = beside
    return figures


def _fill(path: Path, text: Path | None, megabytes: float) -> None:
    if text is None:
        write_corpus(path, megabytes)
    else:
        repeat_corpus(path, text, megabytes)


if __name__ == "__main__":
    main()
