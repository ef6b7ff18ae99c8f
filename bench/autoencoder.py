"""Sentences per second of the shipped autoencoder: python -m bench.autoencoder."""

import sys
import time
from dataclasses import replace

import numpy as np
import torch

from publius.autoencoder import SentenceVAE

TEXTS = (
    "The acting was terrible and the plot made no sense.",
    "I really loved this movie, it was funny and touching.",
    "Our economy is growing and unemployment has fallen.",
    "We must strengthen our schools and support our teachers.",
)
SIZES = {"cpu": (512, 256), "cuda": (65_536, 4096)}
REPEATS = 3


def main() -> None:
    device = sys.argv[1] if len(sys.argv) > 1 else "cpu"
    count, batch = SIZES[device]
    model = replace(SentenceVAE.load(device=device), batch=batch)
    texts = list(TEXTS) * (count // len(TEXTS))
    model.rewrite(texts[:batch], np.random.default_rng(0), sigma=0.3)
    rates = []
    for repeat in range(REPEATS):
        start = time.perf_counter()
        model.rewrite(texts, np.random.default_rng(repeat), sigma=0.3)
        rates.append(len(texts) / (time.perf_counter() - start))
    print(f"{device}, {torch.get_num_threads()} threads, batch {batch}: ", end="")
    print(f"{min(rates):,.0f} to {max(rates):,.0f} sentences/s")


if __name__ == "__main__":
    main()
