"""Streams that never repeat, and streams that always do."""

import copy
import os
import pickle
from collections.abc import Callable

import numpy as np
import pytest
from randomgen import ChaCha

import publius.core.rng
from publius.core.arrays import Rng
from publius.core.errors import ParameterError, RandomnessError
from publius.core.rng import (
    KEY_BYTES,
    RunKey,
    _rekey_after_fork,
    secure,
    seeded,
)

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


def test_two_secure_generators_differ() -> None:
    assert len({noise(secure()) for _ in range(20)}) == 20


@pytest.mark.parametrize("take", [pickle.dumps, copy.deepcopy])
def test_a_secure_generator_has_one_owner(take: object) -> None:
    with pytest.raises(RandomnessError, match="cannot be pickled or copied"):
        take(secure())  # type: ignore[operator]
    with pytest.raises(RandomnessError):
        take(secure().bit_generator)  # type: ignore[operator]


@needs_fork
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_forked_child_draws_other_noise() -> None:
    rng = secure()
    rng.random(3)
    children = [in_child(rng), in_child(rng)]
    assert len({*children, noise(rng)}) == 3
    assert all(len(drawn) == 32 for drawn in children)


@needs_fork
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_forked_child_spawns_other_streams() -> None:
    rng = secure()
    child = rng.spawn(1)[0]
    drawn = {in_child(rng, spawned=True), noise(rng.spawn(1)[0]), in_child(child)}
    assert len({*drawn, noise(child)}) == 4


@needs_fork
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_seeded_generator_shows_that_the_fork_test_can_fail() -> None:
    assert in_child(seeded(1)) == noise(seeded(1))


def test_rekeying_reaches_every_living_generator() -> None:
    living = [secure(), *secure().spawn(1)]
    keys = [_key(rng) for rng in living]
    _rekey_after_fork()
    for rng, key in zip(living, keys, strict=True):
        assert _key(rng) != key


def _key(rng: Rng) -> list[int]:
    """Read the key of a stream past its seal."""
    found = ChaCha.state.__get__(rng.bit_generator)["state"]["keysetup"].tolist()
    return list(found)


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
        lambda bits: bits.ctypes,
        lambda bits: bits.cffi,
        copy.copy,
        copy.deepcopy,
        pickle.dumps,
    ],
)
@pytest.mark.parametrize("make", [secure, lambda: RunKey.fresh().stream(3)])
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
