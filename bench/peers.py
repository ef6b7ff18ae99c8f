"""Publius beside the public peers, on the same vectors, in one run.

    PUBLIUS_PEERS=python-of-their-environment PYPANTERA=folder python -m bench peers

The peers pin old libraries, so they live in an environment of their own with
``mldp-text``; ``PYPANTERA`` is the folder of its unpacked wheel. Without the first
variable nothing is measured.
"""

import json
import os
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from publius.core.metric import Euclidean
from publius.core.parallel import cores
from publius.core.rng import seeded
from publius.core.space import PointSpace
from publius.embeddings.embedding import Embedding
from publius.embeddings.vocabulary import Vocabulary
from publius.mechanisms.laplace import Laplace
from publius.mechanisms.law import Decay
from publius.mechanisms.mahalanobis import Ellipse, Mahalanobis
from publius.mechanisms.nearest_word import NearestWord
from publius.mechanisms.row_law import RowLaw

SIZES = ((33_000, 300), (100_000, 300))
SECONDS = 6
TOKENS = 4_096


def rate(call: Callable[[], object], tokens: int) -> float:
    start = time.perf_counter()
    call()
    return tokens / (time.perf_counter() - start)


def ours(vectors: np.ndarray) -> dict[str, float]:
    size, dim = vectors.shape
    names = Vocabulary(tuple(f"word{number}" for number in range(size)))
    embedding = Embedding(names, vectors, fingerprint="bench")
    ids = tokens(size)
    found = {}
    for name, noise in (
        ("laplace", Laplace(40.0, dim)),
        ("mahalanobis", Mahalanobis(40.0, Ellipse.of(vectors, 0.5))),
    ):
        mechanism = NearestWord(noise, vectors, embedding, "bench")
        mechanism.perturb(ids[:64], seeded(0))
        found[name] = rate(lambda m=mechanism: m.perturb(ids, seeded(1)), TOKENS)
    law = RowLaw(PointSpace(vectors, Euclidean(), "bench"), Decay.plain(2.5, size))
    found["santext"] = rate(lambda: law.draw(ids, seeded(1)), TOKENS)
    return found


def tokens(size: int) -> np.ndarray:
    """Return words as frequent as in a language: rank r with weight 1 / (r + 2.7)."""
    share = 1 / (np.arange(size) + 3.7)
    return seeded(2).choice(size, TOKENS, p=share / share.sum())


def theirs(path: Path) -> dict[str, float | str]:
    command = [
        os.environ["PUBLIUS_PEERS"],
        str(Path(__file__).parent / "_peer_process.py"),
    ]
    command += [str(path), os.environ.get("PYPANTERA", ""), str(SECONDS)]
    done = subprocess.run(  # noqa: S603
        command, check=True, capture_output=True, text=True
    )
    return dict(json.loads(done.stdout.splitlines()[-1]))


def main() -> None:
    if "PUBLIUS_PEERS" not in os.environ:
        print("set PUBLIUS_PEERS to the python that has mldp-text")
        return
    print(f"{cores()} cores, load {os.getloadavg()[0]:.1f}")
    with tempfile.TemporaryDirectory() as folder:
        for size, dim in SIZES:
            vectors = seeded(7).standard_normal((size, dim)).astype(np.float32)
            path = Path(folder) / "vectors.npy"
            np.save(path, vectors)
            np.save(Path(folder) / "tokens.npy", tokens(size))
            peers, own = theirs(path), ours(vectors)
            for name, value in peers.items():
                mine = own.get(name.split()[-1])
                if isinstance(value, str) or mine is None:
                    print(f"{size:,} × {dim} {name}: {value}")
                    continue
                print(f"{size:,} × {dim} {name}: {value:,.1f} tokens/s; "
                      f"Publius {mine:,.0f}: {mine / value:,.0f} times")  # fmt: skip


if __name__ == "__main__":
    main()
