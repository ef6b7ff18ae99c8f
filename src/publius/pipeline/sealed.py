"""Names of subjects on their way through an engine: equal names, equal bytes.

Sums per subject are added up by the engine, under 16 bytes that only the run's key can
form. Where a ledger must hear the name as well, it travels encrypted behind them, as in
synthetic-IV encryption: the stream that hides it is derived from the key and from those
bytes, and whoever opens it forms them again. So no name is in clear in a shuffle, in an
object store or in what they spill, and an engine can still group by it.
"""

import hashlib
import hmac
from collections import Counter
from collections.abc import Iterable, Mapping

from publius.accounting.accounts import Subject
from publius.core.errors import OutputError
from publius.core.rng import RunKey

_TAG_BYTES = 16
_BLOCK = 32
"""Names are filled up to a multiple of it, so that few lengths show."""


def subject_digest(key: RunKey, name: Subject) -> bytes:
    """Return what stands for the name of a subject on its way through an engine."""
    return hashlib.blake2b(
        _said(name), key=key.key, digest_size=_TAG_BYTES, person=b"who"
    ).digest()


def seal(key: RunKey, name: Subject) -> bytes:
    """Return the digest of a name and, behind it, the name encrypted."""
    digest, said = subject_digest(key, name), _said(name) + b"\x80"
    filled = said.ljust(-(-len(said) // _BLOCK) * _BLOCK, b"\0")
    return digest + _hidden(key, digest, filled)


def unseal(key: RunKey, sealed: bytes) -> Subject:
    """Return the name that was sealed under the same key.

    Raises:
        OutputError: It was not; whoever sent it is not of this run.
    """
    digest, hidden = sealed[:_TAG_BYTES], sealed[_TAG_BYTES:]
    said = _hidden(key, digest, hidden).rstrip(b"\0")[:-1]
    try:
        name = said[1:].decode("utf-8", "surrogatepass") if said else None
    except UnicodeDecodeError:
        name = None
    if not hmac.compare_digest(subject_digest(key, name), digest):
        raise OutputError("what came back from a worker is not of this run")
    return name


def charge_digest(key: RunKey, costs: Mapping[Subject, int]) -> bytes:
    """Return a keyed digest of whom some rows charge how much."""
    parts = sorted((subject_digest(key, name), cost) for name, cost in costs.items())
    digest = hashlib.blake2b(key=key.key, digest_size=_TAG_BYTES, person=b"charge")
    for who, cost in parts:
        digest.update(who + cost.to_bytes(8, "little"))
    return digest.digest()


def summed(names: Iterable[Subject], costs: Iterable[int]) -> "Counter[Subject]":
    """Add up what each subject is charged."""
    total: Counter[Subject] = Counter()
    for name, cost in zip(names, costs, strict=True):
        total[name] += cost
    return total


def _said(name: Subject) -> bytes:
    return b"" if name is None else b"=" + name.encode("utf-8", "surrogatepass")


def _hidden(key: RunKey, digest: bytes, said: bytes) -> bytes:
    stream = key.named("name", digest).bytes(len(said))
    return bytes(one ^ other for one, other in zip(said, stream, strict=True))
