"""Words on a GPU: the nearest one, rows of the exponential mechanism, certificates.

python -m bench gpu        # skips without CUDA
"""

import time
from collections.abc import Callable
from types import ModuleType

import numpy as np

from publius.core.metric import Angular, Euclidean
from publius.core.space import PointSpace
from publius.embeddings.catalogue import load_embedding
from publius.mechanisms.law import Decay
from publius.mechanisms.point_law import PointLaw

WORDS, DIM, TOKENS = 400_000, 300, 1 << 18
ROWS = 16_384


def seconds(torch: ModuleType, work: Callable[[], object], repeats: int = 3) -> float:
    """Return the best time of a few runs."""
    best = float("inf")
    for _ in range(repeats):
        torch.cuda.synchronize()
        start = time.perf_counter()
        work()
        torch.cuda.synchronize()
        best = min(best, time.perf_counter() - start)
    return best


def nearest(torch: ModuleType) -> None:
    from publius.embeddings.nearest import Nearest  # noqa: PLC0415
    from publius.embeddings.nearest_torch import TorchTopTwo  # noqa: PLC0415

    rng = np.random.default_rng(0)
    scale = rng.gamma(8.0, size=(WORDS, 1)) / 8.0
    table = (rng.standard_normal((WORDS, DIM)) * 0.35 * scale).astype(np.float32)
    noise = rng.standard_normal((TOKENS, DIM))
    noise *= (rng.gamma(DIM, size=TOKENS) / 10.0 / np.linalg.norm(noise, axis=1))[
        :, None
    ]
    points = table[rng.integers(0, WORDS, TOKENS)] + noise
    search = Nearest(table, "torch")
    queries = search._queries(points).astype(np.float32)  # noqa: SLF001
    backend = search._top_two  # noqa: SLF001
    if not isinstance(backend, TorchTopTwo):
        raise TypeError("the torch backend was asked for")
    block = torch.from_numpy(queries).cuda()
    rows = backend._rows  # noqa: SLF001
    first = lambda: backend._in_half(block, is_split=False)  # noqa: E731, SLF001
    split = lambda: backend._in_half(block, is_split=True)  # noqa: E731, SLF001
    plain = lambda: [part @ rows.T for part in torch.split(block[: TOKENS // 8], 256)]  # noqa: E731
    left = [
        float((~(low > high)).double().mean()) for _, low, high in (first(), split())
    ]
    backend(queries)
    search(points)
    exact = backend._exactly(block[:32768])[0].cpu().numpy()  # noqa: SLF001
    same = (backend(queries[:32768])[0] == exact).mean()
    print(f"answers equal to full float32 products: {same:.6f}")
    print(f"left after the first pass {left[0]:.4f}, after the second {left[1]:.4f}")
    for name, rate in {
        "copy to the device": TOKENS / seconds(torch, torch.from_numpy(queries).cuda),
        "first pass alone, queries on the device": TOKENS / seconds(torch, first),
        "second pass alone, queries on the device": TOKENS / seconds(torch, split),
        "all passes, queries from the host": TOKENS
        / seconds(torch, lambda: backend(queries)),
        "whole search from float64 points": TOKENS
        / seconds(torch, lambda: search(points)),
        "plain float32 product alone": TOKENS / 8 / seconds(torch, plain),
    }.items():
        print(f"{name}: {rate:,.0f} tokens/s")


def rows(torch: ModuleType) -> None:
    rng = np.random.default_rng(1)
    for words, dim in ((33_000, 300), (100_000, 300)):
        points = rng.standard_normal((words, dim)).astype(np.float32)
        space, decay = PointSpace(points, Euclidean(), "bench"), Decay.plain(2.5, words)
        here, there = PointLaw(space, decay), PointLaw(space, decay, "cuda")
        screen, host = (law._screen(is_close=False) for law in (there, here))  # noqa: SLF001
        sums = screen.sums(np.arange(64))
        apart = np.abs(sums / host.sums(np.arange(64)) - 1).max()
        ids = rng.integers(0, words, ROWS)
        runs = [ids[at : at + screen.batch] for at in range(0, ROWS, screen.batch)]
        took = seconds(torch, lambda r=runs, s=screen: [s.sums(run) for run in r])
        print(f"rows, Euclidean, {words:,} × {dim}: {ROWS / took:,.0f} rows/s; "
              f"within {apart:.1e} of NumPy's bounds")  # fmt: skip
        for name, law in (("GPU", there), ("CPU", here)):
            start = time.perf_counter()
            law.draw(ids[:4096], np.random.default_rng(2))
            cold = time.perf_counter() - start
            print(f"  4,096 draws of new words, screen on the {name}: "
                  f"{4096 / cold:,.0f} tokens/s")  # fmt: skip


def certificates(torch: ModuleType) -> None:
    vectors = load_embedding("glove-50k").vectors
    for metric, beta in ((Euclidean(), 2.5), (Angular(), 5.0)):
        for words in (5_000, len(vectors)):
            space = PointSpace(vectors[:words], metric, "bench")
            decay = Decay.plain(beta, words)
            law = PointLaw(space, decay, "cuda")
            law.certify()
            took = seconds(torch, law.certify, 2)
            certificate = law.certify()
            said = f"certificate, {metric.id}, {words:,} words: {took:.2f} s on the GPU"
            if words <= 5_000:
                start = time.perf_counter()
                here = PointLaw(space, decay).certify()
                said += f", {time.perf_counter() - start:.2f} s on the CPU"
                apart = abs(here.epsilon - certificate.epsilon)
                said += f"; ε {apart:.1e} apart (slack {here.slack:.1e})"
                said += f"; same pairs: {here.worst_pair == certificate.worst_pair}"
            print(said)


def main() -> None:
    """Measure and print."""
    import torch  # noqa: PLC0415 - the bench must load without torch

    if not torch.cuda.is_available():
        print("no CUDA device: skipped")
        return
    print(f"device: {torch.cuda.get_device_name()}")
    rows(torch)
    certificates(torch)
    nearest(torch)


if __name__ == "__main__":
    main()
