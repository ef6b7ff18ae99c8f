"""Word ids to word ids on a device: noise from ChaCha20 there, nearest word there.

python -m bench gpu-points                 # 400,000 × 300 on CUDA, small without
WORDS=50000 TOKENS=65536 python -m bench gpu-points
"""

import os
import time

import numpy as np

DIM, EPSILON = 300, 10.0


def main() -> None:
    """Measure and print."""
    import torch  # noqa: PLC0415 - the bench must load without torch

    from publius.embeddings.nearest_torch import TorchTopTwo  # noqa: PLC0415
    from publius.mechanisms.chacha_torch import DeviceStream  # noqa: PLC0415

    is_cuda = torch.cuda.is_available()
    device = "cuda" if is_cuda else "cpu"
    words = int(os.environ.get("WORDS", "400000" if is_cuda else "5000"))
    tokens = int(os.environ.get("TOKENS", str(1 << 18) if is_cuda else "2048"))
    block = 1 << 16 if is_cuda else 1 << 10
    rng = np.random.default_rng(0)
    scale = rng.gamma(8.0, size=(words, 1)) / 8.0
    table = (rng.standard_normal((words, DIM)) * 0.35 * scale).astype(np.float32)
    # The largest v·p - |v|²/2 is the nearest word.
    half = (table.astype(np.float64) ** 2).sum(axis=1, keepdims=True) / 2
    search = TorchTopTwo(np.hstack([table, -half.astype(np.float32)]), device)
    rows = torch.from_numpy(table).to(device)
    ids = torch.from_numpy(rng.integers(0, words, tokens)).to(device)

    def points(stream: DeviceStream, part: torch.Tensor) -> torch.Tensor:
        noisy = rows[part] + stream.laplace(len(part), DIM, EPSILON)
        return torch.cat((noisy, torch.ones_like(noisy[:, :1])), dim=1)

    def timed(work: object) -> float:
        best = float("inf")
        for _ in range(3):
            stream = DeviceStream(os.urandom(32), device)
            if is_cuda:
                torch.cuda.synchronize()
            start = time.perf_counter()
            for part in torch.split(ids, block):
                work(stream, part)  # type: ignore[operator]
            if is_cuda:
                torch.cuda.synchronize()
            best = min(best, time.perf_counter() - start)
        return tokens / best

    name = torch.cuda.get_device_name() if is_cuda else "processor"
    print(f"device: {name}; {words:,} × {DIM}, {tokens:,} tokens")
    uniform = timed(lambda stream, part: stream.uniform(len(part), 2 * DIM))
    print(
        f"key stream alone: {uniform * 2 * DIM:,.0f} words/s, {uniform:,.0f} tokens/s"
    )
    print(f"points alone: {timed(points):,.0f} tokens/s")
    whole = timed(lambda stream, part: search.on_device(points(stream, part))[0].cpu())
    print(f"word ids to word ids: {whole:,.0f} tokens/s")


if __name__ == "__main__":
    main()
