"""Word mechanisms: draws, rows, certificates, and the nearest word beside faiss.

Every figure is the best of a few turns; what is compared takes turns in one run. Ratios
to faiss are told as the median of the turns with the smallest and the largest.
"""

import os
import time
from collections.abc import Callable

import faiss
import numpy as np

from publius.core.rng import seeded
from publius.embeddings.catalogue import load_embedding
from publius.embeddings.embedding import Embedding
from publius.embeddings.nearest import Nearest
from publius.embeddings.vocabulary import Vocabulary
from publius.mechanisms.balance import Calibrator
from publius.mechanisms.exponential import Exponential
from publius.mechanisms.laplace import Laplace
from publius.mechanisms.law import Decay
from publius.mechanisms.nearest_word import NearestWord
from publius.numerics.parallel import cores

WORDS = 20_000
TOKENS = 2_000_000
QUERIES = 4_096
TURNS = 3
FAISS_TURNS = 9


def turns(count: int, *calls: Callable[[], object]) -> np.ndarray:
    """Return the time of each call in each of several turns."""
    times = np.empty((count, len(calls)))
    for turn in range(count):
        for place, call in enumerate(calls):
            start = time.perf_counter()
            call()
            times[turn, place] = time.perf_counter() - start
    return times


def best(*calls: Callable[[], object]) -> list[float]:
    """Return the shortest time of each call over several turns."""
    return list(turns(TURNS, *calls).min(axis=0))


def exponential() -> None:
    embedding = load_embedding("glove-50k", WORDS)
    space = embedding.space()
    calibrator = Calibrator.of(space)
    weights = calibrator.balanced(3.5, np.ones(WORDS), 20)
    decay = Decay.rounded(3.5, weights)
    start = time.perf_counter()
    certificate = calibrator.certify(decay)
    took = time.perf_counter() - start
    print(f"certificate, hop:   {WORDS:,} words, all pairs: {took:.2f} s")
    mechanism = Exponential(space, decay, certificate, calibrator.balls)
    # Words as frequent as in the language: rank r with weight 1 / (r + 2.7).
    share = 1 / (np.arange(WORDS) + 3.7)
    ids = seeded(0).choice(WORDS, TOKENS, p=share / share.sum())
    mechanism.perturb(ids[:1000], seeded(1))
    copy, draw = best(ids.copy, lambda: mechanism.perturb(ids, seeded(1)))
    print(f"exponential, hop:   {TOKENS / draw:,.0f} tokens/s "
          f"({draw / copy:,.0f} times a copy of the ids)")  # fmt: skip
    rows = np.arange(512)
    flat = embedding.space("euclidean")
    product = embedding.vectors.astype(np.float64)
    plain = Decay.plain(5.0, WORDS)
    law = Calibrator(flat, None).law(plain)
    matmul, form = best(lambda: product[rows] @ product.T, lambda: law.log_prob(rows))
    draws = np.arange(WORDS)
    (cold,) = best(lambda: Calibrator(flat, None).law(plain).draw(draws, seeded(1)))
    (cached,) = best(lambda: law.draw(draws, seeded(1)))
    print(f"draws, Euclidean:   {WORDS / cold:,.0f} new words/s, "
          f"{WORDS / cached:,.0f} words/s seen before")  # fmt: skip
    print(f"rows, Euclidean:    {len(rows) / form:,.0f} rows/s of {WORDS:,} "
          f"({form / matmul:.1f} times a float64 matrix product)")  # fmt: skip
    start = time.perf_counter()
    law.certify()
    took = time.perf_counter() - start
    print(f"certificate, Eucl.: {WORDS:,} words, all pairs: {took:.1f} s")


def nearest() -> None:
    faiss.omp_set_num_threads(cores())
    for words, dim in ((33_000, 300), (100_000, 300)):
        vectors = seeded(3).standard_normal((words, dim)).astype(np.float32)
        noise = Laplace(dim / 6.0, dim)
        queries = noise.perturb(vectors[:QUERIES], seeded(4))
        index = faiss.IndexFlatL2(dim)
        index.add(vectors)
        single = queries.astype(np.float32)
        own = {name: Nearest(vectors, name) for name in ("numpy", "faiss")}
        took = turns(
            FAISS_TURNS,
            lambda index=index, single=single: index.search(single, 1),
            *(lambda s=search, q=queries: s(q) for search in own.values()),
        )
        rates = QUERIES / np.median(took, axis=0)
        print(f"{words:,} × {dim}: faiss IndexFlatL2 {rates[0]:,.0f} queries/s")
        for place, name in enumerate(own, start=1):
            ratio = took[:, 0] / took[:, place]
            print(f"  nearest ({name}): {rates[place]:,.0f}/s, {np.median(ratio):.2f} "
                  f"of faiss ({ratio.min():.2f} to {ratio.max():.2f} in {FAISS_TURNS} "
                  "turns), exact to float64")  # fmt: skip
        names = tuple(str(number) for number in range(words))
        embedding = Embedding(Vocabulary(names), vectors, fingerprint="bench")
        mechanism = NearestWord(noise, vectors, embedding, "bench")
        ids = np.arange(QUERIES)
        (whole,) = best(lambda m=mechanism, i=ids: m.perturb(i, seeded(5)))
        print(f"  laplace, noise and word: {QUERIES / whole:,.0f} tokens/s")


def main() -> None:
    print(f"{cores()} cores, load {os.getloadavg()[0]:.1f}")
    exponential()
    nearest()


if __name__ == "__main__":
    main()
