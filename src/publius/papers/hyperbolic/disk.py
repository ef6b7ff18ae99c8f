"""Figure 4: words on the Poincaré disk."""

from dataclasses import replace

import numpy as np
from scipy.stats import spearmanr

from publius.embeddings.poincare_numpy import NumpyTrainer
from publius.embeddings.poincare_pairs import Hierarchy, read_pairs
from publius.embeddings.poincare_training import TrainingPlan, train
from publius.papers.directional.result import Cell, Reproduction, Setting, curve

MAMMALS = "wordnet/mammal_closure.csv.gz"
PLAN = TrainingPlan(dim=2, epochs=200, batch=128, negatives=1024)
QUICK_EPOCHS = 20
NAMED = (
    "mammal.n.01", "placental.n.01", "carnivore.n.01", "canine.n.02", "dog.n.01",
    "poodle.n.01", "feline.n.01", "cat.n.01", "rodent.n.01", "whale.n.02",
)  # fmt: skip


def disk(setting: Setting) -> Reproduction:
    """Place the mammals of WordNet on the disk, as in figure 4."""
    hierarchy = read_pairs(setting.file(MAMMALS))
    epochs = PLAN.epochs if setting.effort >= 1 else QUICK_EPOCHS
    state = train(
        hierarchy, replace(PLAN, epochs=epochs, seed=setting.seed), NumpyTrainer
    )
    # Lorentz coordinates: time first, then space.
    points = state.points[:, 1:] / (1 + state.points[:, :1])
    norm = np.linalg.norm(points, axis=1)
    depth = np.diff(hierarchy.ancestors.indptr)
    agreement = float(spearmanr(depth, norm).statistic)
    rows: list[tuple[Cell, ...]] = [
        (name, int(depth[i]), *points[i].tolist(), float(norm[i]))
        for name, i in _places(hierarchy)
    ]
    by_depth = [
        (int(d), int((depth == d).sum()), float(np.median(norm[depth == d])))
        for d in np.unique(depth)
    ]
    rows += [(f"median of {n} names", d, None, None, r) for d, n, r in by_depth]
    angle = np.linspace(0, 2 * np.pi, 181)
    curves = [curve("disk", "rim", np.cos(angle), np.sin(angle))]
    for low, high in ((0, 2), (3, 5), (6, 99)):
        kept = (depth >= low) & (depth <= high)
        label = f"{low} to {high} names above" if high < 99 else f"{low} or more"
        # Points of their own: a line through them would mean nothing.
        curves += [
            curve("disk", label if i == 0 else "_", [x], [y])
            for i, (x, y) in enumerate(points[kept].tolist())
        ]
    return Reproduction(
        "feyisetan-fig4",
        "Mammals of WordNet on the Poincaré disk",
        ("name", "names above it", "x", "y", "distance from the centre"),
        tuple(rows),
        tuple(curves),
        ("x", "y"),
        (f"{hierarchy.size} mammals of WordNet 3.0 stand in for WebIsADb, which is not "
         f"published; trained in 2 dimensions, {epochs} epochs.",
         "The paper observes general words near the centre and instances near the rim. "
         f"Here the rank correlation of depth and distance is {agreement:.2f}: the "
         "root lies in the middle, but depth does not tell how far out a name lies. "
         "Only the picture of the vectors is made again, not the published mechanism, "
         "whose loss is infinite."),
    )  # fmt: skip


def _places(hierarchy: Hierarchy) -> list[tuple[str, int]]:
    index = {name: place for place, name in enumerate(hierarchy.names)}
    return [(name, index[name]) for name in NAMED if name in index]
