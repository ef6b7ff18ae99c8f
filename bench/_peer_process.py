"""Times the peers inside their own environment; started by bench/peers.py.

    PYTHON bench/_peer_process.py VECTORS.npy PYPANTERA_FOLDER SECONDS

pypantera does not import as installed, so its unpacked folder is given. Each mechanism
replaces the same tokens for a while; tokens per second by the clock and per second of
processor time, all threads together, are printed as JSON. Where a peer takes whole
texts, texts of 1, 20 and 100 words are tried and the fastest counts. Threads are those
of the environment.
"""

import json
import sys
import time
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np


def rate(
    replace: Callable[[Any], object], words: list[str], seconds: float, length: int = 0
) -> tuple[float, float]:
    """Return tokens per second of processor time and by the clock.

    A length of 0 hands over single words.
    """
    replace(words[:length] if length else words[0])
    start, spent, done = time.perf_counter(), time.process_time(), 0
    while time.process_time() - spent < seconds:
        at = done % len(words)
        replace(words[at : at + length] if length else words[at])
        done += len(words[at : at + length]) if length else 1
    busy, clock = time.process_time() - spent, time.perf_counter() - start
    return done / busy, done / clock


def mldp(
    vectors: Any,  # noqa: ANN401
    words: list[str],
    said: list[str],
    seconds: float,
) -> dict[str, tuple[float, float]]:
    keyed = import_module("gensim.models").KeyedVectors(vectors.shape[1])
    keyed.add_vectors(words, vectors)
    known = import_module("mldp_text").mechanisms
    rates = {}
    for label, name in (
        ("laplace", "MultivariateCalibrated"),
        ("mahalanobis", "Mahalanobis"),
    ):
        # Its default is an index that may miss the nearest word; ours never does.
        for way, is_default in (("", False), (", approximate index,", True)):
            made = getattr(known, name)(
                epsilon=40.0,
                embedding_matrix=keyed,
                dim=vectors.shape[1],
                use_faiss=is_default,
            )
            rates[f"mldp-text{way} {label}"] = rate(made.replace_word, said, seconds)
    return rates


def pantera(
    folder: str,
    vectors: Any,  # noqa: ANN401
    words: list[str],
    said: list[str],
    seconds: float,
) -> dict[str, tuple[float, float]]:
    sys.path.insert(0, folder)
    kind = import_module("src.SamplingPerturbationMechanism.santext").SanText
    # Its constructor reads a text file; the fields that it would set are set here.
    made = kind.__new__(kind)
    made.epsilon, made.prob_matrix = 5.0, {}
    made.embMatrix = vectors  # float32, as its reader makes them
    made.vocab = SimpleNamespace(embeddings=dict(zip(words, vectors)))  # noqa: B905

    def replace(text: list[str]) -> None:
        made.prob_matrix.clear()  # it caches every text's rows and would fill memory
        made.processText(text)

    rates = [rate(replace, said, seconds, length) for length in (1, 20, 100)]
    return {"pypantera santext": max(rates)}


def main() -> None:
    path, folder, seconds = sys.argv[1], sys.argv[2], float(sys.argv[3])
    vectors = np.load(path)
    words = [f"word{number}" for number in range(len(vectors))]
    said = [words[i] for i in np.load(Path(path).parent / "tokens.npy")]
    results: dict[str, Any] = {}
    for name, call in (
        ("mldp-text", lambda: mldp(vectors, words, said, seconds)),
        ("pypantera", lambda: pantera(folder, vectors, words, said, seconds)),
    ):
        try:
            results.update(call())
        except Exception as error:  # noqa: BLE001 - a peer that fails is reported
            results[name] = f"failed: {type(error).__name__}: {error}"
    print(json.dumps(results))


if __name__ == "__main__":
    main()
