"""Release of growing inputs: time per byte, peak memory, start-up.

python -m bench release            # 3.2 and 32 MB
MEGABYTES=1000 python -m bench release
"""

import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from publius.embeddings.catalogue import load_embedding
from publius.language.stop_words import STOP_WORDS
from publius.numerics.parallel import cores

PUBLIUS = [sys.executable, "-c", "from publius.cli import main; main()"]


WORDS = 120
"""Words per row."""


def write_corpus(path: Path, megabytes: float = 0.0, rows: int = 0) -> int:
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
        while out.tell() < megabytes * 1e6 or written < rows:
            drawn = words[rng.choice(len(words), size=(100, WORDS), p=share)]
            for row in drawn:
                out.write(f"{' '.join(row)},u{written % 997}\n")
                written += 1
    return written


def timed(arguments: list[str]) -> tuple[float, float]:
    """Run a command; return seconds and the peak memory of its largest process."""
    before = time.perf_counter()
    subprocess.run(  # noqa: S603 - our own command
        [*PUBLIUS, *arguments], check=True, stdout=subprocess.DEVNULL
    )
    elapsed = time.perf_counter() - before
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1e6
    return elapsed, peak


def main() -> None:
    """Measure and print."""
    largest = float(os.environ.get("MEGABYTES", "32"))
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        print(f"publius --help: {timed(['--help'])[0]:.2f} s")
        small = root / "small.csv"
        write_corpus(small, rows=100)
        timed(["release", str(small), "--text", "text", "-o", str(root / "warm")])
        again = ["release", str(small), "--text", "text", "-o", str(root / "again")]
        seconds, _ = timed(again)
        print(f"100 rows of {WORDS} words, warm: {seconds:.2f} s")
        rates, peaks, start = [], [], seconds
        for megabytes in (largest / 10, largest):
            table = root / f"{megabytes:g}.csv"
            rows = write_corpus(table, megabytes)
            out = str(root / f"out-{megabytes:g}")
            seconds, peak = timed(["release", str(table), "--text", "text", "-o", out])
            rates.append(rows * WORDS / (seconds - start))
            peaks.append(peak)
            print(
                f"{megabytes:g} MB, {rows:,} rows: {seconds:.1f} s "
                f"({rows * WORDS / seconds:,.0f} words/s), peak {peak:.2f} GB"
            )
        both = ["release", str(table), "--text", "text", "-o", str(root / "both")]
        seconds, _ = timed([*both, "--workers", str(cores())])
        print(f"the same with {cores()} workers: {seconds:.1f} s "
              f"({rows * WORDS / seconds:,.0f} words/s)")  # fmt: skip
        print(
            f"ten times the corpus: {rates[1] / rates[0]:.2f} of the words per second "
            f"after start-up, {peaks[1] / peaks[0]:.2f} of the peak memory"
        )


if __name__ == "__main__":
    main()
