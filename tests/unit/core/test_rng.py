"""Streams that never repeat, and streams that always do."""

import copy
import hashlib
import os
import pickle
from collections.abc import Callable
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from randomgen import AESCounter, ChaCha

import publius.core.rng
from publius.core.arrays import Rng
from publius.core.errors import ParameterError, RandomnessError
from publius.core.rng import (
    KEY_BYTES,
    Cipher,
    RunKey,
    _rekey_after_fork,
    _SealedAes,
    secure,
    seeded,
    swiftest,
)

DRAWN_BY_AES = "9466c07ae79b7005a2826d4016a7405aed9c6cbf6ff1d296eb12760e84fa04d9"
"""What three streams of one key draw, with AES instructions and without."""

needs_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")


def noise(rng: Rng) -> bytes:
    return rng.bytes(32)


def in_child(rng: Rng, *, spawned: bool = False) -> bytes:
    """Return what a forked child draws from an inherited generator."""
    reader, writer = os.pipe()
    pid = os.fork()
    if pid == 0:  # pragma: no cover - the child leaves no trace
        os.write(writer, noise(rng.spawn(1)[0] if spawned else rng))
        os._exit(0)
    os.close(writer)
    os.waitpid(pid, 0)
    with os.fdopen(reader, "rb") as file:
        return file.read()


@pytest.mark.usefixtures("cipher")
def test_two_secure_generators_differ() -> None:
    assert len({noise(secure()) for _ in range(20)}) == 20


@pytest.mark.usefixtures("cipher")
@pytest.mark.parametrize("take", [pickle.dumps, copy.deepcopy])
def test_a_secure_generator_has_one_owner(take: object) -> None:
    with pytest.raises(RandomnessError, match="cannot be pickled or copied"):
        take(secure())  # type: ignore[operator]
    with pytest.raises(RandomnessError):
        take(secure().bit_generator)  # type: ignore[operator]


@needs_fork
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
@pytest.mark.usefixtures("cipher")
def test_a_forked_child_draws_other_noise() -> None:
    rng = secure()
    rng.random(3)
    children = [in_child(rng), in_child(rng)]
    assert len({*children, noise(rng)}) == 3
    assert all(len(drawn) == 32 for drawn in children)


@needs_fork
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
@pytest.mark.usefixtures("cipher")
def test_a_forked_child_spawns_other_streams() -> None:
    rng = secure()
    child = rng.spawn(1)[0]
    drawn = {in_child(rng, spawned=True), noise(rng.spawn(1)[0]), in_child(child)}
    assert len({*drawn, noise(child)}) == 4


@needs_fork
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_seeded_generator_shows_that_the_fork_test_can_fail() -> None:
    assert in_child(seeded(1)) == noise(seeded(1))


@pytest.mark.usefixtures("cipher")
def test_rekeying_reaches_every_living_generator() -> None:
    living = [secure(), *secure().spawn(1)]
    keys = [_key(rng) for rng in living]
    _rekey_after_fork()
    for rng, key in zip(living, keys, strict=True):
        assert _key(rng) != key


def _key(rng: Rng) -> list[int]:
    """Read the key of a stream past its seal."""
    bits = rng.bit_generator
    if isinstance(bits, ChaCha):
        return list(ChaCha.state.__get__(bits)["state"]["keysetup"].tolist())
    return list(AESCounter.state.__get__(bits)["s"]["seed"].tolist())


@pytest.fixture(params=list(Cipher))
def cipher(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Cipher:
    """Let new streams be of one cipher, whatever this processor does best."""
    chosen = Cipher(request.param)
    monkeypatch.setattr(publius.core.rng, "swiftest", lambda: chosen)
    return chosen


@pytest.mark.usefixtures("cipher")
def test_spawned_generators_are_secure_and_differ() -> None:
    children = secure().spawn(3)
    assert len({noise(child) for child in children}) == 3
    with pytest.raises(RandomnessError):
        pickle.dumps(children[0])


def test_seeded_equals_itself_and_no_other() -> None:
    assert noise(seeded(7)) == noise(seeded(7))
    assert len({noise(seeded(seed)) for seed in range(50)}) == 50


def test_public_names_are_the_core_ones() -> None:
    assert publius.core.rng.seeded is seeded
    assert publius.core.rng.secure is secure


@pytest.mark.usefixtures("cipher")
def test_a_batch_has_its_own_stream_on_any_worker() -> None:
    key = RunKey.fresh()
    copied = pickle.loads(pickle.dumps(key))  # noqa: S301 - our own bytes
    streams = [noise(key.stream(batch)) for batch in range(100)]
    assert len(set(streams)) == 100
    assert [noise(copied.stream(batch)) for batch in range(100)] == streams


def test_every_bit_of_the_key_matters() -> None:
    drawn = {noise(RunKey(bytes(KEY_BYTES), is_secure=False).stream(0))}
    for bit in range(8 * KEY_BYTES):
        key = (1 << bit).to_bytes(KEY_BYTES, "little")
        drawn.add(noise(RunKey(key, is_secure=False).stream(0)))
    assert len(drawn) == 8 * KEY_BYTES + 1


def test_fresh_keys_are_secure_and_differ() -> None:
    keys = [RunKey.fresh() for _ in range(10)]
    assert len({key.key for key in keys}) == 10
    assert all(key.is_secure for key in keys)
    assert not RunKey.from_seed(0).is_secure


def test_the_key_is_not_shown() -> None:
    key = RunKey(b"0123456789abcdef" * 2, is_secure=True)
    for shown in (repr(key), str(key), f"{key}"):
        assert "0123" not in shown
        assert key.key.hex() not in shown


@pytest.mark.parametrize("length", [0, 31, 33])
def test_keys_of_another_length_are_refused(length: int) -> None:
    with pytest.raises(ParameterError, match="32 bytes"):
        RunKey(bytes(length), is_secure=True)


@pytest.mark.parametrize("bad", [-1, 0.5, np.nan, np.inf])
def test_bad_seeds_are_refused(bad: float) -> None:
    with pytest.raises(ParameterError, match="seed must be a whole number >= 0"):
        seeded(bad)  # type: ignore[arg-type]


def test_negative_batches_are_refused() -> None:
    with pytest.raises(ParameterError, match="batch"):
        RunKey.fresh().stream(-1)


@pytest.mark.parametrize(
    "touch",
    [
        lambda bits: bits.state,
        lambda bits: setattr(bits, "state", {}),
        lambda bits: bits.__getstate__(),
        lambda bits: bits.__setstate__({}),
        lambda bits: bits.seed(1),
        lambda bits: bits.advance(-1),
        lambda bits: bits.jump(),
        lambda bits: bits.jumped(),
        lambda bits: bits.ctypes,
        lambda bits: bits.cffi,
        copy.copy,
        copy.deepcopy,
        pickle.dumps,
    ],
)
@pytest.mark.parametrize("make", [secure, lambda: RunKey.fresh().stream(3)])
@pytest.mark.usefixtures("cipher")
def test_the_state_of_a_secure_generator_cannot_be_read_set_or_copied(
    make: Callable[[], np.random.Generator], touch: Callable[[object], object]
) -> None:
    with pytest.raises(RandomnessError, match="a secure generator cannot be"):
        touch(make().bit_generator)


def test_a_sealed_stream_draws_what_its_key_says() -> None:
    key = bytes(range(32))
    sealed = RunKey(key, is_secure=True).stream(5).integers(0, 1 << 60, 100)
    plain = RunKey(key, is_secure=False).stream(5).integers(0, 1 << 60, 100)
    assert (sealed == plain).all()


KEY = "2b7e151628aed2a6abf7158809cf4f3c"
ONE = "000102030405060708090a0b0c0d0e0f"


@pytest.mark.parametrize(
    ("key", "first", "block"),
    [
        # FIPS 197, appendices B and C.1.
        (KEY, "3243f6a8885a308d313198a2e0370734", "3925841d02dc09fbdc118597196a0b32"),
        (ONE, "00112233445566778899aabbccddeeff", "69c4e0d86a7b0430d8cdb78070b4c55a"),
        # NIST SP 800-38A, F.5.1: the output blocks of counter mode.
        (KEY, "f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff", "ec8cdf7398607cb0f2d21675ea9ea1e4"),
        (KEY, "f0f1f2f3f4f5f6f7f8f9fafbfcfdff00", "362b7c3c6773516318a077d7fc5073ae"),
        (KEY, "f0f1f2f3f4f5f6f7f8f9fafbfcfdff01", "6a2cc3787889374fbeb4c81b17ba6c44"),
        (KEY, "f0f1f2f3f4f5f6f7f8f9fafbfcfdff02", "e89c399ff0f198c6d40a31db156cabfe"),
    ],
)  # fmt: skip
def test_the_stream_is_aes_of_its_counter(key: str, first: str, block: str) -> None:
    bits = _SealedAes(key=bytes.fromhex(key + first))
    assert np.random.Generator(bits).bytes(16).hex() == block


def _blocks(first: int, count: int) -> list[bytes]:
    """Encrypt numbers of blocks one by one, each as the first of a stream."""
    key = bytes.fromhex(KEY)
    numbers = [(first + k) % (1 << 128) for k in range(count)]
    streams = [_SealedAes(key=key + n.to_bytes(16, "little")) for n in numbers]
    return [np.random.Generator(each).bytes(16) for each in streams]


@pytest.mark.parametrize(
    "first", [0, (1 << 64) - 6, (1 << 128) - 6], ids=["start", "carry", "turn"]
)
def test_no_block_of_a_stream_is_used_twice(first: int) -> None:
    key = bytes.fromhex(KEY) + first.to_bytes(16, "little")
    drawn = np.random.Generator(_SealedAes(key=key)).bytes(16 * 40)
    assert [drawn[k : k + 16] for k in range(0, len(drawn), 16)] == _blocks(first, 40)
    assert len(set(_blocks(first, 40))) == 40


@pytest.mark.parametrize("is_quick", [True, False])
def test_a_processor_without_instructions_draws_the_same(is_quick: bool) -> None:  # noqa: FBT001
    key = RunKey(bytes(range(32)), is_secure=True, cipher=Cipher.AES128)
    drawn = ""
    for part in range(3):
        rng = key.stream(part)
        rng.bit_generator.use_aesni = is_quick and swiftest() is Cipher.AES128
        drawn += rng.bytes(1000).hex()[-8:]
        drawn += repr(rng.standard_normal(3).round(9).tolist())
    assert hashlib.sha256(drawn.encode()).hexdigest() == DRAWN_BY_AES


def test_the_cipher_travels_with_the_key() -> None:
    key = replace(RunKey.fresh(), cipher=Cipher.AES128)
    there = pickle.loads(pickle.dumps(key))  # noqa: S301 - our own bytes
    assert there.cipher is Cipher.AES128
    assert noise(there.stream(1)) == noise(key.stream(1))
    other = replace(key, cipher=Cipher.CHACHA20)
    assert noise(other.stream(1)) != noise(key.stream(1))


def test_seeded_and_kept_keys_stay_with_chacha() -> None:
    assert RunKey.from_seed(1).cipher is Cipher.CHACHA20
    assert RunKey(bytes(32), is_secure=True).cipher is Cipher.CHACHA20
    assert RunKey.fresh().cipher is swiftest()


@pytest.mark.parametrize("has", [True, False])
def test_a_processor_without_instructions_stays_with_chacha(
    has: bool,  # noqa: FBT001
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(
        publius.core.rng, "AESCounter", lambda **_: SimpleNamespace(use_aesni=has)
    )
    wanted = Cipher.AES128 if has else Cipher.CHACHA20
    assert swiftest.__wrapped__() is wanted


def test_rekeying_leaves_no_number_of_the_old_key() -> None:
    bits = _SealedAes(key=bytes(32))
    rng = np.random.Generator(bits)
    rng.integers(0, 10, dtype=np.int32)  # half a word waits to be used
    bits.rekey()
    held = AESCounter.state.__get__(bits)
    assert held["has_uint32"] == 0
    assert held["s"]["offset"] == 64
