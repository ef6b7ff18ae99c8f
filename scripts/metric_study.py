"""Compare metrics on words: privacy near and far against similarity.

    python scripts/metric_study.py RESULTS.json [EMBEDDING …] [--words N] [--figure F]
        [--only METRIC …]

For each metric the balanced exponential mechanism is formed at several decays. Its
exact losses come from the normaliser, as in the certificate, here in single precision
and without the integers (they change the fifth digit). Two privacy figures are kept:
the *near level*, the median over words of the exact loss between a word and its tenth
nearest word by vector, the same pairs for every metric; and the *worst loss* over all
pairs.
"""

import argparse
import json
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure
from scipy.sparse.csgraph import dijkstra

from publius.core.arrays import FloatArray, IdArray
from publius.core.rng import seeded
from publius.core.space import PathSpace
from publius.embeddings.catalogue import load_embedding
from publius.embeddings.embedding import Embedding
from publius.embeddings.graph import symmetric
from publius.mechanisms.laplace import Laplace
from publius.mechanisms.nearest_word import NearestWord
from publius.reporting.figures import as_svg

LEVELS = (1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0)
CAPS = (3, 4, 5, 6)
HOPS = (5, 10, 20)
NEAR = 10
ROUNDS = 40
BLOCK = 500
SHOWN = {
    "euclidean": ("#7a7a7a", "-"), "angular": ("#b0892f", "-"),
    "hop k=10": ("#1f77b4", ":"), "hop k=5 cap 4": ("#17a398", "--"),
    "hop k=10 cap 3": ("#9ecae1", "-"), "hop k=10 cap 4": ("#08306b", "-"),
    "hop k=10 cap 6": ("#4292c6", "-"), "hop k=20 cap 4": ("#6a51a3", "--"),
    "geodesic k=10": ("#2ca02c", "-"), "rank list": ("#d62728", "-"),
    "laplace": ("#000000", ":"),
}  # fmt: skip

Row = dict[str, float | str]


def hops(embedding: Embedding, k: int) -> FloatArray:
    graph = symmetric(embedding.neighbours(k))
    space = PathSpace(graph, k, embedding.fingerprint)
    return space.rows(np.arange(embedding.size))


def geodesic(embedding: Embedding, k: int) -> FloatArray:
    """Shortest paths whose edges are as long as the vectors are apart."""
    graph = symmetric(embedding.neighbours(k)).tocoo()
    vectors = embedding.vectors.astype(np.float64)
    graph.data = np.linalg.norm(vectors[graph.row] - vectors[graph.col], axis=1)
    path = dijkstra(graph.tocsr(), directed=False)
    apart = np.isinf(path)
    # As for hops: unconnected parts are further apart than any connected pair.
    path[apart] = path[~apart].max() + graph.data.max()
    return path


def rank_list(embedding: Embedding) -> FloatArray:
    """Distance of places in one list, each word followed by its nearest free word."""
    unit = embedding.vectors / np.linalg.norm(embedding.vectors, axis=1, keepdims=True)
    place = np.full(len(unit), -1)
    here = 0
    for step in range(len(unit)):
        place[here] = step
        close = unit @ unit[here]
        close[place >= 0] = -np.inf
        here = int(close.argmax())
    return np.abs(place[:, None] - place[None, :]).astype(np.float64)


def metrics(embedding: Embedding) -> Iterator[tuple[str, FloatArray]]:
    everything = np.arange(embedding.size)
    yield "euclidean", embedding.space("euclidean").rows(everything)
    yield "angular", embedding.space("angular").rows(everything)
    for k in HOPS:
        plain = hops(embedding, k)
        yield f"hop k={k}", plain
        for cap in CAPS:
            yield f"hop k={k} cap {cap}", np.minimum(plain, cap)
    yield "geodesic k=10", geodesic(embedding, 10)
    yield "rank list", rank_list(embedding)


class Judge:
    """Utility of a channel on an embedding."""

    def __init__(self, embedding: Embedding) -> None:
        rows = embedding.vectors.astype(np.float64)
        self.unit = rows / np.linalg.norm(rows, axis=1, keepdims=True)
        self.cosine = (self.unit @ self.unit.T).astype(np.float32)
        self.neighbours = embedding.neighbours(100)
        self.tenth = self.neighbours[:, NEAR - 1]

    def measure(self, rows: Callable[[IdArray], FloatArray]) -> Row:
        """Average over all words, from the rows of the channel."""
        size = len(self.unit)
        kept = cosine = near = close = 0.0
        for start in range(0, size, BLOCK):
            ids = np.arange(start, min(start + BLOCK, size))
            prob = rows(ids)
            cosine += float(np.einsum("ij,ij->", prob, self.cosine[ids]))
            kept += float(prob[np.arange(len(ids)), ids].sum())
            ranked = np.take_along_axis(prob, self.neighbours[ids], axis=1)
            near += float(ranked[:, :NEAR].sum())
            close += float(ranked.sum())
        moved = max(size - kept, 1e-12)
        return {
            "kept": kept / size,
            "cosine": cosine / size,
            "near_share": near / moved,
            "close_share": close / moved,
        }


def balanced(kernel: FloatArray, beta: float) -> FloatArray:
    weights = np.ones(len(kernel), dtype=np.float32)
    for _ in range(ROUNDS):
        total = kernel @ weights
        if np.ptp(np.log(total)) < 1e-4 * beta:
            break
        weights = weights / total**0.9
        weights = np.maximum(weights / weights.max(), np.float32(2.0**-20))
    return weights


def losses(distance: FloatArray, log_total: FloatArray, beta: float) -> Row:
    epsilon, worst = beta, 0.0
    for start in range(0, len(distance), BLOCK):
        d = distance[start : start + BLOCK]
        gap = np.abs(log_total[start : start + BLOCK, None] - log_total[None, :])
        apart = d > 1e-9
        epsilon = max(epsilon, beta + float((gap[apart] / d[apart]).max()))
        worst = max(worst, float((beta * d + gap).max()))
    return {"epsilon": epsilon, "worst_loss": worst}


def study(name: str, embedding: Embedding, only: list[str]) -> Iterator[Row]:
    judge = Judge(embedding)
    pairs = np.arange(embedding.size), judge.tenth
    for metric, distance in metrics(embedding):
        if only and metric not in only:
            continue
        near = float(np.median(distance[pairs]))
        for level in LEVELS:
            started = time.perf_counter()
            beta = level / near
            kernel = np.exp(-beta * distance, dtype=np.float32)
            weights = balanced(kernel, beta)
            total = (kernel @ weights).astype(np.float64)

            def rows(
                ids: IdArray,
                k: FloatArray = kernel,
                w: FloatArray = weights,
                t: FloatArray = total,
            ) -> FloatArray:
                share = k[ids] * w[None, :]
                share /= t[ids, None].astype(np.float32)
                return share

            log_total = np.log(total)
            far_pairs = pairs[0], judge.neighbours[:, -1]
            hundredth = beta * distance[far_pairs] + np.abs(
                log_total - log_total[far_pairs[1]]
            )
            exact = beta * distance[pairs] + np.abs(log_total - log_total[judge.tenth])
            yield {
                "embedding": name, "metric": metric, "beta": beta,
                "near_level": float(np.median(exact)),
                "near_level_worst": float(exact.max()),
                "level_at_100th": float(np.median(hundredth)),
                **losses(distance, log_total, beta), **judge.measure(rows),
                "seconds": time.perf_counter() - started,
            }  # fmt: skip
            del kernel
    if not only or "laplace" in only:
        yield from laplace(name, embedding, judge)


def laplace(
    name: str, embedding: Embedding, judge: Judge, draws: int = 4
) -> Iterator[Row]:
    """The papers' mechanism; its figures are means over draws."""
    distance = embedding.space("euclidean").rows(np.arange(embedding.size))
    near = float(np.median(distance[np.arange(embedding.size), judge.tenth]))
    far = judge.neighbours[:, -1]
    hundredth = float(np.median(distance[np.arange(embedding.size), far]))
    farthest, dim = float(distance.max()), embedding.dim
    spread = float(np.median(distance))
    for factor in (0.2, 0.4, 0.6, 0.8, 1.0, 1.3, 1.7, 2.2):
        epsilon = factor * dim / spread
        noise = NearestWord(
            Laplace(epsilon, dim), embedding.vectors, embedding, embedding.fingerprint
        )
        ids = np.repeat(np.arange(embedding.size), draws)
        drawn = noise.perturb(ids, seeded(0))
        moved = drawn != ids
        hits = judge.neighbours[ids] == drawn[:, None]
        count = max(1, int(moved.sum()))
        yield {
            "embedding": name, "metric": "laplace", "beta": epsilon, "epsilon": epsilon,
            "near_level": epsilon * near, "near_level_worst": epsilon * near,
            "level_at_100th": epsilon * hundredth,
            "worst_loss": epsilon * farthest, "kept": float((~moved).mean()),
            "cosine": float((judge.unit[ids] * judge.unit[drawn]).sum(axis=1).mean()),
            "near_share": float(hits[:, :NEAR].any(axis=1).sum() / count),
            "close_share": float(hits.any(axis=1).sum() / count), "seconds": 0.0,
        }  # fmt: skip


def draw(rows: list[Row], path: Path) -> None:
    """Plot similarity and near share against both privacy figures."""
    names = list(dict.fromkeys(str(row["embedding"]) for row in rows))
    figure = Figure(figsize=(15, 3.6 * len(names)))
    panels = [
        (x, y) for y in ("cosine", "near_share") for x in ("near_level", "worst_loss")
    ]
    titles = {
        "cosine": "mean cosine", "near_share": "replacements among the 10 nearest",
        "near_level": "level at the tenth neighbour", "worst_loss": "worst loss",
    }  # fmt: skip
    limits = {"near_level": 8.0, "worst_loss": 30.0}
    for line, name in enumerate(names):
        for column, (x, y) in enumerate(panels):
            axes = figure.add_subplot(len(names), 4, line * 4 + column + 1)
            for metric, (colour, style) in SHOWN.items():
                curve = sorted(
                    (float(r[x]), float(r[y]))
                    for r in rows
                    if r["embedding"] == name and r["metric"] == metric
                )
                axes.plot(*zip(*curve, strict=True), style, color=colour, label=metric)
            axes.set_xlim(0, limits[x])
            axes.set_ylim(0, 1)
            axes.set_xlabel(titles[x])
            axes.set_ylabel(titles[y])
            axes.set_title(name, fontsize=9)
    figure.tight_layout(rect=(0, 0.04, 1, 1))
    handles, labels = axes.get_legend_handles_labels()
    figure.legend(handles, labels, frameon=False, ncol=6, loc="lower center")
    path.write_text(as_svg(figure), "utf-8")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("results", type=Path)
    parser.add_argument("embeddings", nargs="*", default=["glove-50k"])
    parser.add_argument("--words", type=int, default=6000)
    parser.add_argument("--figure", type=Path)
    parser.add_argument("--only", action="append", default=[], help="these metrics")
    parser.add_argument("--redraw", action="store_true", help="only the figure")
    given = parser.parse_args()
    if given.redraw:
        draw(json.loads(given.results.read_text("utf-8")), given.figure)
        return
    rows: list[Row] = []
    for source in given.embeddings:
        embedding = load_embedding(source, given.words)
        for row in study(Path(source).stem, embedding, given.only):
            rows.append(row)
            shown = ("near_level", "worst_loss", "kept", "cosine", "near_share")
            print(row["embedding"], row["metric"], *(f"{row[k]:.3f}" for k in shown))
            given.results.write_text(json.dumps(rows, indent=0), "utf-8")
    if given.figure is not None:
        draw(rows, given.figure)


if __name__ == "__main__":
    main()
