"""Exact nearest word on a GPU: 400,000 words of 300 dimensions.

python -m bench gpu        # skips without CUDA
"""

import time

import numpy as np

WORDS, DIM, TOKENS = 400_000, 300, 1 << 18


def seconds(work, repeats: int = 3) -> float:  # noqa: ANN001
    """Return the best time of a few runs."""
    import torch  # noqa: PLC0415 - the bench must load without torch

    best = float("inf")
    for _ in range(repeats):
        torch.cuda.synchronize()
        start = time.perf_counter()
        work()
        torch.cuda.synchronize()
        best = min(best, time.perf_counter() - start)
    return best


def main() -> None:
    """Measure and print."""
    import torch  # noqa: PLC0415 - the bench must load without torch

    if not torch.cuda.is_available():
        print("no CUDA device: skipped")
        return
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
    exact = backend._exactly(block[:4096])[0].cpu().numpy()  # noqa: SLF001
    same = (backend(queries[:4096])[0] == exact).mean()
    print(f"device: {torch.cuda.get_device_name()}")
    print(f"answers equal to full float32 products: {same:.6f}")
    print(f"left after the first pass {left[0]:.4f}, after the second {left[1]:.4f}")
    for name, rate in {
        "first pass alone, queries on the device": TOKENS / seconds(first),
        "second pass alone, queries on the device": TOKENS / seconds(split),
        "all passes, queries from the host": TOKENS / seconds(lambda: backend(queries)),
        "whole search from float64 points": TOKENS / seconds(lambda: search(points)),
        "plain float32 product alone": TOKENS / 8 / seconds(plain),
    }.items():
        print(f"{name}: {rate:,.0f} tokens/s")


if __name__ == "__main__":
    main()
