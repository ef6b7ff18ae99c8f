"""Random streams: cryptographic by default, one per batch, never shared.

Every stream stands behind NumPy's ``Generator``. Streams that nobody will ask for again
are AES-128 in counter mode where the processor has instructions for it; all others are
ChaCha20: those of seeds, of keys that are kept, of processors without. A run has one
256-bit key, and every stream of it 256 bits of BLAKE2b(run key, what it is used for):
the rows of a release, a word, the number of a batch. Results depend on that and on the
cipher that came with the key, never on who did the work: AES without instructions gives
the same bytes, slowly.
"""

import hashlib
import os
import weakref
from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import StrEnum
from functools import lru_cache
from typing import ClassVar, NoReturn, Self

import numpy as np
from randomgen import AESCounter, ChaCha

from publius.core.arrays import IdArray, Rng, at_least
from publius.core.errors import ParameterError, RandomnessError

KEY_BYTES = 32


class Cipher(StrEnum):
    """What a stream is made of."""

    CHACHA20 = "chacha20"
    AES128 = "aes128-ctr"


@lru_cache(maxsize=1)
def swiftest() -> Cipher:
    """Return the cipher that this processor computes fastest."""
    # What is drawn here is thrown away: only the instructions are asked for.
    return Cipher.AES128 if AESCounter(key=0).use_aesni else Cipher.CHACHA20


class _Sealed:
    """A stream whose state cannot be read, set or copied.

    Args:
        seed: What NumPy's ``spawn`` passes; a child draws a key of its own.
        key: 32 bytes; None draws them from the operating system.
    """

    _parts: ClassVar[dict[str, slice]]
    """What the cipher takes, and which bytes of the key that is."""

    def __init__(self, seed: object = None, *, key: bytes | None = None) -> None:
        del seed
        self._is_open = True
        super().__init__(**self._split(os.urandom(KEY_BYTES) if key is None else key))
        self._is_open = False

    def _split(self, key: bytes) -> "dict[str, np.ndarray]":
        return {name: _words(key[part]) for name, part in self._parts.items()}

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
        super().seed(*values, **key)  # type: ignore[misc]

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
        self.seed(**self._split(os.urandom(KEY_BYTES)))
        self._is_open = False

    def advance(self, *_: object, **__: object) -> NoReturn:
        """Nobody may turn the stream back: equal noise would be drawn twice."""
        raise _sealed("turned")

    def jumped(self, *_: object, **__: object) -> NoReturn:
        """Nobody may have a second stream of the same key."""
        raise _sealed("turned")

    def jump(self, *_: object, **__: object) -> NoReturn:
        """Nobody may leap in the stream, as nobody may turn it back."""
        raise _sealed("turned")


class _SealedChaCha(_Sealed, ChaCha):  # type: ignore[misc]  # randomgen has no types
    """ChaCha20 under a sealed key."""

    _parts: ClassVar = {"key": slice(0, 32)}


class _SealedAes(_Sealed, AESCounter):  # type: ignore[misc]  # randomgen has no types
    """AES-128 in counter mode under a sealed key, from a sealed block on.

    Where it begins is secret too: whoever tries keys must then try each of them on each
    stream, and gains nothing from their number.
    """

    _parts: ClassVar = {"key": slice(0, 16), "counter": slice(16, 32)}


class _SecretChaCha(_SealedChaCha):
    """A sealed stream that gets a new key where a process forks."""

    def __init__(self, seed: object = None) -> None:
        super().__init__(seed)
        _live.add(self)


class _SecretAes(_SealedAes):
    """A sealed stream that gets a new key where a process forks."""

    def __init__(self, seed: object = None) -> None:
        super().__init__(seed)
        _live.add(self)


_SECRET: dict[Cipher, type[_SecretChaCha | _SecretAes]] = {
    Cipher.CHACHA20: _SecretChaCha,
    Cipher.AES128: _SecretAes,
}
_SEALED: dict[Cipher, type[_SealedChaCha | _SealedAes]] = {
    Cipher.CHACHA20: _SealedChaCha,
    Cipher.AES128: _SealedAes,
}


def _sealed(what: str) -> RandomnessError:
    return RandomnessError(
        f"a secure generator cannot be {what}: its state tells the noise, and two "
        "owners would share it; call publius.core.rng.secure() in each process"
    )


_live: "weakref.WeakSet[_SecretChaCha | _SecretAes]" = weakref.WeakSet()


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
    return np.random.Generator(_SECRET[swiftest()]())


def is_secure(rng: Rng) -> bool:
    """Say whether a generator is one of `secure`, so that nobody can repeat it."""
    return isinstance(rng.bit_generator, _Sealed)


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
        cipher: What its streams are made of. It travels with the key, so that every
            machine that repeats an attempt draws the same.
    """

    key: bytes = field(repr=False)
    is_secure: bool
    cipher: Cipher = Cipher.CHACHA20

    def __post_init__(self) -> None:
        if len(self.key) != KEY_BYTES:
            raise ParameterError(f"a run key has {KEY_BYTES} bytes")

    @classmethod
    def fresh(cls) -> Self:
        """Draw a key from the operating system, for the swiftest cipher here."""
        return cls(os.urandom(KEY_BYTES), is_secure=True, cipher=swiftest())

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
            return np.random.Generator(_SEALED[self.cipher](key=key))
        return np.random.Generator(ChaCha(key=_words(key)))
