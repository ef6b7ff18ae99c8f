"""Seconds per epoch of Poincaré training, ours and gensim's, in one run.

    python bench/hyperbolic.py PAIRS.csv.gz [--epochs 2] [--sample 20000]

gensim is timed when it can be imported: on a sample of the pairs, with its own defaults
of 10 negatives and batches of 10, and scaled to one epoch of all pairs.
"""

import argparse
import importlib.util
import time
from pathlib import Path

import numpy as np

from publius.embeddings.poincare_numpy import NumpyTrainer
from publius.embeddings.poincare_pairs import Hierarchy, read_pairs
from publius.embeddings.poincare_training import Epoch, State, TrainingPlan


def ours(hierarchy: Hierarchy, plan: TrainingPlan, epochs: int) -> float:
    """Return seconds per epoch."""
    trainer = NumpyTrainer(hierarchy, plan, State.start(hierarchy.size, plan))
    start = 0.0
    for number in range(epochs + 1):
        if number == 1:  # the first epoch warms up
            start = time.perf_counter()
        epoch = Epoch.drawn(hierarchy.size, plan, number)
        slack = plan.slack_at(number, hierarchy.size)
        trainer.run(epoch, plan.rate_at(number), slack)
    return (time.perf_counter() - start) / epochs


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


def main() -> None:
    """Print both times and their ratio."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("pairs", type=Path)
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--sample", type=int, default=20_000)
    asked = parser.parse_args()
    hierarchy = read_pairs(asked.pairs)
    plans = [TrainingPlan(), TrainingPlan(negatives=1024)]
    mine = [ours(hierarchy, plan, asked.epochs) for plan in plans]
    dim = plans[0].dim
    print(f"{hierarchy.pairs:,} pairs, {hierarchy.size:,} names, {dim} dimensions")
    for plan, seconds in zip(plans, mine, strict=True):
        print(f"publius  {seconds:9.2f} s per epoch, {plan.negatives} negatives a name")
    if importlib.util.find_spec("gensim") is None:
        print("gensim   not installed")
        return
    theirs = gensims(hierarchy, dim, asked.sample)
    print(f"gensim   {theirs:9.2f} s per epoch, 10 negatives a pair")
    for plan, seconds in zip(plans, mine, strict=True):
        print(f"ratio    {theirs / seconds:9.1f} with {plan.negatives} negatives")


if __name__ == "__main__":
    main()
