"""Seconds per epoch of Poincaré training, ours and gensim's, in one run.

    python bench/hyperbolic.py [PAIRS.csv.gz] [--epochs 2] [--sample 20000]

Without pairs a tree of random parents is made up. gensim is timed when it can be
imported: on a sample of the pairs, with its own defaults of 10 negatives and batches of
10, and scaled to one epoch of all pairs.
"""

import argparse
import importlib.util
import time
from pathlib import Path

import numpy as np

from publius.embeddings.poincare_numpy import NumpyTrainer
from publius.embeddings.poincare_pairs import Hierarchy, read_pairs
from publius.embeddings.poincare_training import Epoch, State, TrainingPlan


def ours(hierarchy: Hierarchy, plan: TrainingPlan, count: int) -> tuple[float, float]:
    """Return seconds per frugal epoch and per epoch with all negatives."""
    seconds = []
    for first in (0, plan.epochs - count - 1):
        trainer = NumpyTrainer(hierarchy, plan, State.start(hierarchy.size, plan))
        start = 0.0
        for number in range(first, first + count + 1):
            if number == first + 1:  # the first epoch warms up
                start = time.perf_counter()
            epoch = Epoch.drawn(hierarchy.size, plan, number)
            slack = plan.slack_at(number, hierarchy.size)
            trainer.run(epoch, plan.rate_at(number), slack)
        seconds.append((time.perf_counter() - start) / count)
    return seconds[0], seconds[1]


def gensims(hierarchy: Hierarchy, dim: int, sample: int) -> float:
    """Return seconds per epoch of gensim, from an epoch of a sample of the pairs."""
    poincare = importlib.import_module("gensim.models.poincare")
    graph = hierarchy.ancestors.tocoo()
    picked = np.random.default_rng(0).permutation(graph.nnz)[:sample]
    pairs = [
        (hierarchy.names[i], hierarchy.names[j])
        for i, j in zip(graph.row[picked], graph.col[picked], strict=True)
    ]
    model = poincare.PoincareModel(pairs, size=dim, burn_in=0)
    start = time.perf_counter()
    model.train(epochs=1)
    return (time.perf_counter() - start) * hierarchy.pairs / len(pairs)


def tree(size: int = 20_000) -> Hierarchy:
    """Return the closure of a tree in which every parent is drawn among the earlier."""
    rng = np.random.default_rng(0)
    parents = [int(rng.integers(0, child)) for child in range(1, size)]
    lower = [str(child) for child in range(1, size)]
    return Hierarchy.of(lower, [str(parent) for parent in parents]).closed()


def main() -> None:
    """Print both times and their ratio."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("pairs", type=Path, nargs="?")
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--sample", type=int, default=20_000)
    asked = parser.parse_args()
    hierarchy = tree() if asked.pairs is None else read_pairs(asked.pairs)
    plan = TrainingPlan()
    few, all_ = ours(hierarchy, plan, asked.epochs)
    mean = plan.frugal * few + (1 - plan.frugal) * all_
    print(f"{hierarchy.pairs:,} pairs, {hierarchy.size:,} names, {plan.dim} dimensions")
    for seconds, what in (
        (few, f"{plan.negatives_at(0)} negatives a name"),
        (all_, f"{plan.negatives} negatives a name"),
        (mean, "mean of a training"),
    ):
        print(f"publius  {seconds:9.2f} s per epoch, {what}")
    if importlib.util.find_spec("gensim") is None:
        print("gensim   not installed")
        return
    theirs = gensims(hierarchy, plan.dim, asked.sample)
    print(f"gensim   {theirs:9.2f} s per epoch, 10 negatives a pair")
    print(f"ratio    {theirs / few:9.1f} frugal, {theirs / mean:.1f} on average")


if __name__ == "__main__":
    main()
