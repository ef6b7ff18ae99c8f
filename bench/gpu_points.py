"""Word ids to word ids on a device: noise from ChaCha20 there, nearest word there.

python -m bench gpu-points                 # 400,000 × 300 on CUDA, small without
WORDS=50000 TOKENS=65536 python -m bench gpu-points

It is the mechanism that ``release --mechanism laplace --set device=cuda`` draws from.
"""

import os
import time
from collections.abc import Callable

import numpy as np

DIM, EPSILON, TURNS = 300, 10.0, 3


def main() -> None:
    """Measure and print."""
    import torch  # noqa: PLC0415 - the bench must load without torch

    from publius.core.rng import secure  # noqa: PLC0415
    from publius.embeddings.nearest import Nearest  # noqa: PLC0415
    from publius.mechanisms.chacha_torch import DeviceStream  # noqa: PLC0415
    from publius.mechanisms.laplace import Laplace  # noqa: PLC0415
    from publius.mechanisms.laplace_torch import CHUNK, device_words  # noqa: PLC0415
    from publius.mechanisms.nearest_word import NearestWord  # noqa: PLC0415

    is_cuda = torch.cuda.is_available()
    device = "cuda" if is_cuda else "cpu"
    words = int(os.environ.get("WORDS", "400000" if is_cuda else "5000"))
    tokens = int(os.environ.get("TOKENS", str(1 << 18) if is_cuda else "2048"))
    rng = np.random.default_rng(0)
    scale = rng.gamma(8.0, size=(words, 1)) / 8.0
    table = (rng.standard_normal((words, DIM)) * 0.35 * scale).astype(np.float32)
    host = NearestWord(Laplace(EPSILON, DIM), table, _Searching(Nearest(table)))
    made = device_words(host, device)
    ids = rng.integers(0, words, tokens)
    runs = torch.split(torch.from_numpy(ids).to(device), CHUNK[device])

    def timed(work: Callable[[], object]) -> float:
        best = float("inf")
        for _ in range(TURNS):
            if is_cuda:
                torch.cuda.synchronize()
            start = time.perf_counter()
            work()
            if is_cuda:
                torch.cuda.synchronize()
            best = min(best, time.perf_counter() - start)
        return tokens / best

    def fresh() -> DeviceStream:
        return DeviceStream(os.urandom(32), device)

    name = torch.cuda.get_device_name() if is_cuda else "processor"
    print(f"device: {name}; {words:,} × {DIM}, {tokens:,} tokens")
    stream = timed(lambda: [fresh().words(5 * DIM * len(run)) for run in runs])
    print(f"key stream alone, five words per coordinate: {stream:,.0f} tokens/s")
    points = timed(lambda: [made.points(run, fresh()) for run in runs])
    print(f"points alone: {points:,.0f} tokens/s")
    whole = timed(lambda: made.perturb(ids, secure()))
    print(f"word ids to word ids: {whole:,.0f} tokens/s")
    some = ids[: 1 << 11]
    slow = time.perf_counter()
    host.perturb(some, secure())
    slow = len(some) / (time.perf_counter() - slow)
    print(f"the host alone: {slow:,.0f} tokens/s, so {whole / slow:.1f} times")


class _Searching:
    """A search as mechanisms take it."""

    def __init__(self, search: object) -> None:
        self._search = search

    def nearest(self, points: object) -> object:
        return self._search(points)  # type: ignore[operator]


if __name__ == "__main__":
    main()
