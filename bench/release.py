"""Release of growing inputs: time per byte, peak memory, start-up.

python -m bench release            # 8 and 32 MB
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
from publius.text.stop_words import STOP_WORDS

PUBLIUS = [sys.executable, "-c", "from publius.cli import main; main()"]


def write_corpus(path: Path, megabytes: float) -> int:
    """Write a CSV of made-up sentences: public words by rank, and stop words."""
    rng = np.random.default_rng(1)
    known = load_embedding("glove-50k").vocabulary.words
    words = np.array([*known, *sorted(STOP_WORDS)])
    share = 1 / (np.arange(len(words)) + 10.0)
    share[-len(STOP_WORDS) :] = share.sum() / len(STOP_WORDS)
    share /= share.sum()
    rows = 0
    with path.open("w", encoding="utf-8") as out:
        out.write("text,user\n")
        while out.tell() < megabytes * 1e6:
            drawn = words[rng.choice(len(words), size=(400, 120), p=share)]
            for row in drawn:
                out.write(f"{' '.join(row)},u{rows % 997}\n")
                rows += 1
    return rows


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
        write_corpus(small, 0.09)
        timed(["release", str(small), "--text", "text", "-o", str(root / "warm")])
        again = ["release", str(small), "--text", "text", "-o", str(root / "again")]
        seconds, _ = timed(again)
        print(f"400 short rows, warm: {seconds:.2f} s")
        rates = []
        for megabytes in (largest / 4, largest):
            table = root / f"{megabytes:g}.csv"
            rows = write_corpus(table, megabytes)
            out = str(root / f"out-{megabytes:g}")
            seconds, peak = timed(["release", str(table), "--text", "text", "-o", out])
            rates.append(seconds / megabytes)
            print(
                f"{megabytes:g} MB, {rows:,} rows: {seconds:.1f} s "
                f"({megabytes / seconds:.2f} MB/s), peak {peak:.2f} GB"
            )
        print(f"time per byte, large / small: {rates[1] / rates[0]:.2f}")


if __name__ == "__main__":
    main()
