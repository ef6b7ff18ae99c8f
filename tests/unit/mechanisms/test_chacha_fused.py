"""The kernel for GPUs computes the same blocks; triton's interpreter runs it here."""

import importlib.util
import os
import subprocess
import sys

import pytest

pytest.importorskip("torch")

PROGRAM = """
import torch
from publius.mechanisms import chacha_fused
from publius.mechanisms.chacha_torch import block_words, counters, fixed_words

fixed = fixed_words(bytes(range(32)), bytes(range(12)), "cpu")
numbers = counters((1 << 31) - 100, 300, "cpu").view(3, 100)
wanted = torch.stack(block_words(fixed, numbers))
assert torch.equal(chacha_fused.block_words(fixed, numbers), wanted)
assert not torch.equal(chacha_fused.block_words(fixed, numbers + 1), wanted)
"""


@pytest.mark.skipif(
    importlib.util.find_spec("triton") is None, reason="triton is not installed"
)
def test_blocks_are_those_of_the_host() -> None:
    done = subprocess.run(  # noqa: S603 - our own program
        [sys.executable, "-c", PROGRAM],
        env={**os.environ, "TRITON_INTERPRET": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
