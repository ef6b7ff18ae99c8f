"""Directional mechanisms against their floor and against other samplers, in one run.

python -m bench directional
"""

import math
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow as pa
from pyarrow import parquet
from scipy.stats import vonmises_fisher

from publius.core.rng import seeded
from publius.materials.places.sanitizer import PlaceSanitizer
from publius.mechanisms.purkayastha import Purkayastha
from publius.mechanisms.von_mises_fisher import VonMisesFisher
from publius.papers.directional.published import bisection_angles

KAPPA = 10.0
SIZES = {2: 400_000, 3: 400_000, 100: 20_000, 1000: 2000, 10_000: 200}
LIMITS = {2: 15.0, 3: 15.0, 100: 2.5, 1000: 1.5, 10_000: 1.5}
PLACES = 1_000_000


def best(work: Callable[[], object], repeats: int = 5) -> float:
    """Return the least seconds of several runs."""
    least = math.inf
    for _ in range(repeats):
        before = time.perf_counter()
        work()
        least = min(least, time.perf_counter() - before)
    return least


def gaussian_seconds(rng: np.random.Generator, size: int) -> float:
    """Return seconds per Gaussian, drawn compiled into a buffer that stays in cache."""
    block = np.empty(size)
    times = max(1, 2_000_000 // size)

    def draw() -> None:
        for _ in range(times):
            rng.standard_normal(out=block)

    return best(draw) / (times * size)


def against_gaussians() -> None:
    """One mean per row, against drawing the same number of Gaussians."""
    print("one mean per row / drawing rows × n Gaussians with the same generator")
    for dim, rows in SIZES.items():
        rng = seeded(1)
        x = rng.standard_normal((rows, dim))
        x /= np.linalg.norm(x, axis=1, keepdims=True)
        floor = x.size * gaussian_seconds(rng, min(x.size, 1 << 15))
        for law in (Purkayastha(KAPPA, dim), VonMisesFisher(KAPPA, dim)):
            taken = best(lambda law=law, x=x, rng=rng: law.perturb(x, rng))
            print(
                f"  n = {dim:>6}  {law.name:<15} {taken / floor:5.2f} x "
                f"(limit {LIMITS[dim]}), {taken / rows * 1e9:,.0f} ns per row"
            )


def against_scipy() -> None:
    """One mean per row, against one frozen SciPy law per row."""
    print("scipy.stats.vonmises_fisher, one law per row / ours")
    for dim, few, least in ((100, 20, 500), (1000, 3, 10_000)):
        rng = np.random.default_rng(1)
        x = rng.standard_normal((SIZES[dim], dim))
        x /= np.linalg.norm(x, axis=1, keepdims=True)
        law = VonMisesFisher(KAPPA, dim)
        ours = best(lambda law=law, x=x, rng=rng: law.perturb(x, rng), 3) / len(x)
        theirs = best(lambda x=x[:few], rng=rng: row_by_row(x, rng), 1) / few
        print(f"  n = {dim:>6}  {theirs / ours:,.0f} x (at least {least:,})")


def row_by_row(x: np.ndarray, rng: np.random.Generator) -> None:
    """Draw around each row with a law of its own, which is all that SciPy offers."""
    for row in x:
        vonmises_fisher(row, KAPPA).rvs(1, random_state=rng)


def against_bisection() -> None:
    """Angles alone, against algorithm 3 of the thesis."""
    print("bisection of the thesis / ours, angles only")
    for dim, few, least in ((100, 2000, 100), (1000, 200, None)):
        rng = seeded(1)
        law = Purkayastha(KAPPA, dim)
        ours = best(lambda law=law, rng=rng: law.angles(200_000, rng), 3) / 200_000
        slow = (
            best(lambda d=dim, n=few, r=rng: bisection_angles(d, KAPPA, n, r), 1) / few
        )
        told = f" (at least {least})" if least else ""
        print(f"  n = {dim:>6}  {slow / ours:,.0f} x{told}")


def a_million_dimensions() -> None:
    """The largest dimension asked for."""
    x = np.full((1, 1_000_000), 1e-3)
    taken = best(lambda: Purkayastha(KAPPA, 1_000_000).perturb(x, seeded(1)), 3)
    print(f"n = 1,000,000: {taken * 1e3:.0f} ms per row")


def a_million_places() -> None:
    """Places in memory, and from Parquet to Parquet with report and manifest."""
    rng = np.random.default_rng(1)
    lat, lon = rng.uniform(-80, 80, PLACES), rng.uniform(-180, 180, PLACES)
    sanitizer = PlaceSanitizer(Purkayastha(3e4, 3))
    taken = best(lambda: sanitizer.release(lat, lon, seeded(1)), 3)
    print(f"1,000,000 places in memory: {taken:.2f} s (limit 3)")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "places.parquet"
        parquet.write_table(pa.table({"lat": lat, "lon": lon}), path)
        program = "from publius.cli import main; main()"
        command = [sys.executable, "-c", program, "places", str(path), "-o"]
        before = time.perf_counter()
        subprocess.run(  # noqa: S603 - our own program
            [*command, str(Path(folder) / "out")], check=True, stdout=subprocess.DEVNULL
        )
        print(f"  Parquet to Parquet: {time.perf_counter() - before:.1f} s (limit 10)")


def main() -> None:
    """Measure and print; ratios depend little on what else the machine does."""
    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}")
    against_gaussians()
    against_scipy()
    against_bisection()
    a_million_dimensions()
    a_million_places()


if __name__ == "__main__":
    main()
