"""Random streams: cryptographic by default, one per batch, never shared.

Every stream is ChaCha20 behind NumPy's ``Generator``. A run has one 256-bit key, and
every stream of it the key BLAKE2b(run key, what it is used for): the rows of a release,
a word, the number of a batch. Results depend on that, never on who did the work.
"""

import hashlib
import os
import weakref
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NoReturn, Self

import numpy as np
from randomgen import ChaCha

from publius.core.arrays import IdArray, Rng, at_least
from publius.core.errors import ParameterError, RandomnessError

KEY_BYTES = 32


class _SealedChaCha(ChaCha):  # type: ignore[misc]  # randomgen ships no types
    """ChaCha20 whose state cannot be read, set or copied.

    Args:
        seed: What NumPy's ``spawn`` passes; a child draws a key of its own.
        key: 32 bytes; None draws them from the operating system.
    """

    def __init__(self, seed: object = None, *, key: bytes | None = None) -> None:
        del seed
        self._is_open = True
        super().__init__(key=_words(os.urandom(KEY_BYTES) if key is None else key))
        self._is_open = False

    def __reduce__(self) -> NoReturn:
        raise _sealed("pickled or copied")

    def __getstate__(self) -> NoReturn:
        raise _sealed("pickled or copied")

    def __setstate__(self, state: object) -> NoReturn:
        raise _sealed("set")

    @property
    def state(self) -> NoReturn:
        """Nobody may read the state: it tells the noise, before and after."""
        raise _sealed("read")

    @state.setter
    def state(self, _: object) -> NoReturn:
        raise _sealed("set")

    def seed(self, *values: object, **key: object) -> None:
        """Nobody may choose the noise; only a new key is taken."""
        if not self._is_open:
            raise _sealed("seeded")
        super().seed(*values, **key)

    @property
    def ctypes(self) -> NoReturn:
        """Nobody may be given the address of the state."""
        raise _sealed("read")

    @property
    def cffi(self) -> NoReturn:
        """Nobody may be given the address of the state."""
        raise _sealed("read")

    def rekey(self) -> None:
        """Draw a new key from the operating system."""
        self._is_open = True
        self.seed(key=_words(os.urandom(KEY_BYTES)))
        self._is_open = False


class _SecretChaCha(_SealedChaCha):
    """A sealed stream that gets a new key where a process forks."""

    def __init__(self, seed: object = None) -> None:
        super().__init__(seed)
        _live.add(self)


def _sealed(what: str) -> RandomnessError:
    return RandomnessError(
        f"a secure generator cannot be {what}: its state tells the noise, and two "
        "owners would share it; call publius.core.rng.secure() in each process"
    )


_live: "weakref.WeakSet[_SecretChaCha]" = weakref.WeakSet()


def _words(key: bytes) -> np.ndarray:
    return np.frombuffer(key, dtype=np.uint64).copy()


def _rekey_after_fork() -> None:
    """Give every secure stream of a forked child a key of its own."""
    for generator in list(_live):
        generator.rekey()


if hasattr(os, "register_at_fork"):  # pragma: no branch - Windows cannot fork
    os.register_at_fork(after_in_child=_rekey_after_fork)


def secure() -> Rng:
    """Return a generator keyed from the operating system; safe across ``fork``."""
    return np.random.Generator(_SecretChaCha())


def unforeseen(size: int, count: int) -> IdArray:
    """Return at most `count` distinct numbers below `size` that nobody can foresee."""
    return secure().choice(size, min(size, count), replace=False).astype(np.int64)


def seeded(seed: int) -> Rng:
    """Return a reproducible generator, for tests and experiments only."""
    return RunKey.from_seed(seed).stream(0)


@dataclass(frozen=True, slots=True)
class RunKey:
    """The secret of one run, from which every batch derives its own stream.

    Args:
        key: 32 bytes; held in memory only.
        is_secure: False when the key came from a seed.
    """

    key: bytes = field(repr=False)
    is_secure: bool

    def __post_init__(self) -> None:
        if len(self.key) != KEY_BYTES:
            raise ParameterError(f"a run key has {KEY_BYTES} bytes")

    @classmethod
    def fresh(cls) -> Self:
        """Draw a key from the operating system."""
        return cls(os.urandom(KEY_BYTES), is_secure=True)

    @classmethod
    def from_seed(cls, seed: int) -> Self:
        """Derive a key from a seed; the run is reproducible and not private."""
        text = f"publius seed {at_least('seed', seed, 0)}".encode()
        return cls(
            hashlib.blake2b(text, digest_size=KEY_BYTES).digest(), is_secure=False
        )

    def named(self, kind: str, name: bytes) -> Rng:
        """Return the stream of a name; distinct kinds, names and batches are apart.

        Args:
            kind: What is named, at most 16 letters.
            name: Any bytes; equal names have equal streams.
        """
        return self.stream_of(kind, [name])

    def stream_of(self, kind: str, pieces: Iterable[bytes | memoryview]) -> Rng:
        """Return the stream of all pieces together; kinds and contents are apart.

        Args:
            kind: What they are, at most 16 letters.
            pieces: Joined without a mark between them: the caller says where each ends.
        """
        derived = hashlib.blake2b(
            key=self.key, digest_size=KEY_BYTES, person=kind.encode()
        )
        for piece in pieces:
            derived.update(piece)
        return self._generator(derived.digest())

    def stream(self, batch: int) -> Rng:
        """Return the stream of one batch; distinct batches are independent."""
        number = at_least("batch", batch, 0).to_bytes(16, "little")
        derived = hashlib.blake2b(number, key=self.key, digest_size=KEY_BYTES)
        return self._generator(derived.digest())

    def _generator(self, key: bytes) -> Rng:
        if self.is_secure:
            return np.random.Generator(_SealedChaCha(key=key))
        return np.random.Generator(ChaCha(key=_words(key)))
