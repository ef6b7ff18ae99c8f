"""The key stream on a device is that of RFC 8439."""

import numpy as np
import pytest
from scipy.stats import kstest

torch = pytest.importorskip("torch")

from publius.core.errors import ParameterError, RandomnessError  # noqa: E402
from publius.mechanisms.chacha_torch import (  # noqa: E402
    DeviceStream,
    block_words,
    counters,
    fixed_words,
)

ALPHA = 1e-9
KEY = bytes(range(32))


def stream_bytes(key: bytes, nonce: str, first: int, blocks: int = 1) -> bytes:
    fixed = fixed_words(key, bytes.fromhex(nonce), "cpu")
    words = torch.stack(block_words(fixed, counters(first, blocks, "cpu")), dim=1)
    return words.numpy().astype("<i4").tobytes()


def test_the_block_of_the_standard() -> None:
    # RFC 8439, section 2.3.2.
    wanted = (
        "10f1e7e4d13b5915500fdd1fa32071c4c7d1f4c733c068030422aa9ac3d46c4e"
        "d2826446079faa0914c2d705d98b02a2b5129cd1de164eb9cbd083e8a2503c4e"
    )
    assert stream_bytes(KEY, "000000090000004a00000000", 1).hex() == wanted


@pytest.mark.parametrize("first", [0, (1 << 31) - 1, (1 << 32) - 3])
def test_blocks_are_those_of_another_implementation(first: int) -> None:
    ciphers = pytest.importorskip("cryptography.hazmat.primitives.ciphers")
    counter = first.to_bytes(4, "little") + bytes(12)
    chacha = ciphers.algorithms.ChaCha20(KEY, counter)
    wanted = ciphers.Cipher(chacha, mode=None).encryptor().update(bytes(128))
    assert stream_bytes(KEY, "00" * 12, first, 2) == wanted


def test_one_stream_is_never_used_twice() -> None:
    stream, whole = DeviceStream(KEY, "cpu"), DeviceStream(KEY, "cpu")
    parts = [stream.words(16), stream.words(16)]
    np.testing.assert_array_equal(torch.cat(parts), whole.words(32))
    assert KEY.hex() not in repr(stream)


def test_words_are_those_of_the_key_stream() -> None:
    wanted = np.frombuffer(stream_bytes(KEY, "00" * 12, 0, 2), "<u4")
    np.testing.assert_array_equal(DeviceStream(KEY, "cpu").words(20), wanted[:20])


def test_doubles_hold_53_bits_of_two_words() -> None:
    words = DeviceStream(KEY, "cpu").words(2000).numpy().reshape(2, 1000)
    wanted = ((words[0] >> 5) * 2**26 + (words[1] >> 6)) / 2**53
    np.testing.assert_array_equal(DeviceStream(KEY, "cpu").doubles(1000), wanted)


def test_bad_keys_and_exhausted_streams_are_refused() -> None:
    with pytest.raises(ParameterError, match="32 bytes"):
        fixed_words(b"short", bytes(12), "cpu")
    with pytest.raises(RandomnessError, match="2\\^32"):
        counters((1 << 32) - 1, 2, "cpu")


@pytest.mark.statistical
def test_doubles_are_uniform() -> None:
    drawn = DeviceStream(KEY, "cpu").doubles(200_000).numpy()
    assert drawn.min() >= 0
    assert drawn.max() < 1
    assert kstest(drawn, "uniform").pvalue > ALPHA
    assert kstest(drawn**1.02, "uniform").pvalue < ALPHA
