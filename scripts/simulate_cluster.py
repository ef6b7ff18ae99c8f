"""Simulate a cluster that loses workers, straggles and speculates: who draws twice?

    python scripts/simulate_cluster.py --out docs/measurements/scale.json

Tasks are simulated, streams are real: every attempt derives its noise as a release does
(``pipeline/stream.py``), or by the former rule, from key and number of the shard. After
a lost task the engine numbers what is left anew, as a recomputed stage may.
"""

import argparse
import heapq
import json
import subprocess
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from datetime import date
from pathlib import Path

import numpy as np
import pyarrow as pa

from publius.core.rng import RunKey
from publius.pipeline.stream import context_of, stream_of

ROWS = 4
CONTEXT = context_of({"epsilon": 1.0}, ["body"])
Rule = Callable[[RunKey, int, int], bytes]


def by_rows(key: RunKey, part: int, number: int) -> bytes:  # noqa: ARG001
    """Return the noise of a part by the rule of releases: key, place and rows."""
    cells = pa.array([f"text {part * ROWS + i}" for i in range(ROWS)])
    return stream_of(key, CONTEXT, part * ROWS, [cells]).bytes(16)


def by_number(key: RunKey, part: int, number: int) -> bytes:  # noqa: ARG001
    """Return it by the former rule: key and the number that the engine gave."""
    return key.stream(number).bytes(16)


@dataclass(frozen=True)
class Faults:
    """What goes wrong, as shares of attempts."""

    lost: float = 0.05
    slow: float = 0.02
    slowness: float = 8.0
    speculates: bool = True


@dataclass
class Told:
    """What a run came to."""

    attempts: int = 0
    lost: int = 0
    speculative: int = 0
    seconds: float = 0.0
    parts_drawn_twice: int = 0
    noises_of_two_parts: int = 0


@dataclass
class Cluster:
    """Workers that take one part after another; a draw precedes every loss."""

    parts: int
    rule: Rule
    faults: Faults
    rng: np.random.Generator
    key: RunKey = field(default_factory=lambda: RunKey.from_seed(1))

    def run(self, workers: int) -> Told:
        """Run until every part is committed."""
        told, now, serial = Told(), 0.0, 0
        self.noises: dict[int, set[bytes]] = defaultdict(set)
        numbers = {part: part for part in range(self.parts)}
        waiting, done = list(range(self.parts))[::-1], set[int]()
        running: list[tuple[float, int, int, bool]] = []
        copies: dict[int, int] = defaultdict(int)
        while len(done) < self.parts:
            while len(running) < workers:
                part = self._next(waiting, running, copies, done, now)
                if part is None:
                    break
                told.speculative += copies[part] > 0
                copies[part] += 1
                told.attempts += 1
                serial += 1
                self.noises[part].add(self.rule(self.key, part, numbers[part]))
                ends = now + self._seconds()
                is_lost = bool(self.rng.random() < self.faults.lost)
                heapq.heappush(running, (ends, serial, part, is_lost))
            now, _, part, is_lost = heapq.heappop(running)
            copies[part] -= 1
            if not is_lost:
                done.add(part)
            elif part not in done:
                told.lost += 1
                if not copies[part]:
                    waiting.append(part)
                left = sorted(set(range(self.parts)) - done)
                numbers |= {one: place for place, one in enumerate(left)}
        told.seconds = round(now, 2)
        return self._judged(told)

    def _seconds(self) -> float:
        one = float(self.rng.lognormal(0.0, 0.2))
        is_slow = self.rng.random() < self.faults.slow
        return one * (self.faults.slowness if is_slow else 1.0)

    def _next(
        self,
        waiting: list[int],
        running: Sequence[tuple[float, int, int, bool]],
        copies: dict[int, int],
        done: set[int],
        now: float,
    ) -> int | None:
        if waiting:
            return waiting.pop()
        if not self.faults.speculates:
            return None
        late = [part for ends, _, part, _ in running if ends - now > 1.5]
        return next((p for p in late if copies[p] == 1 and p not in done), None)

    def _judged(self, told: Told) -> Told:
        owners: dict[bytes, set[int]] = defaultdict(set)
        for part, noises in self.noises.items():
            for noise in noises:
                owners[noise].add(part)
        told.parts_drawn_twice = sum(len(n) > 1 for n in self.noises.values())
        told.noises_of_two_parts = sum(len(p) > 1 for p in owners.values())
        return told


def simulated(rule: Rule, faults: Faults, parts: int, workers: int, seed: int) -> Told:
    """Return what one simulated run came to."""
    return Cluster(parts, rule, faults, np.random.default_rng(seed)).run(workers)


def main() -> None:
    """Simulate both rules, with and without faults, and write the figures."""
    reader = argparse.ArgumentParser(description=__doc__)
    reader.add_argument("--out", type=Path, required=True)
    reader.add_argument("--parts", type=int, default=4000)
    reader.add_argument("--workers", type=int, default=200)
    asked = reader.parse_args()
    calm = Faults(lost=0, slow=0, speculates=False)
    kinds = {
        "calm": calm,
        "stragglers": Faults(lost=0, speculates=False),
        "stragglers, speculation": Faults(lost=0),
        "stragglers, speculation, losses": Faults(),
    }
    figures = []
    for name, faults in kinds.items():
        for rule in (by_rows, by_number):
            told = simulated(rule, faults, asked.parts, asked.workers, seed=1)
            figures.append({"faults": name, "rule": rule.__name__, **asdict(told)})
    commit = ["git", "rev-parse", "--short", "HEAD"]
    done = subprocess.run(commit, capture_output=True, text=True, check=True)
    about = {
        "commit": done.stdout.strip(),
        "date": date.today().isoformat(),  # noqa: DTZ011
        "command": "python scripts/simulate_cluster.py --out FILE",
        "machine": "simulated; seconds are in units of a usual task",
        "parts": asked.parts,
        "workers": asked.workers,
        "faults": asdict(Faults()),
        "seed": 1,
        "figures": figures,
    }
    asked.out.write_text(json.dumps(about, indent=1) + "\n")


if __name__ == "__main__":
    main()
