"""Release a row once, however often a lazy host asks for it.

Polars, DuckDB, Dask and Hugging Face datasets decide themselves when, and how often, a
function is applied. Fresh noise would be drawn at each time, and every further draw of
a row adds its loss again. A memo derives the noise of a row instead: its stream is a
keyed BLAKE2b of the settings, the row's id and its content, so that asking again gives
the same bytes on any worker, and other content gives independent noise.
"""

import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from numbers import Integral

import pyarrow as pa

from publius.adapters.built import Lists, built, lists_of
from publius.adapters.containers import texts_of
from publius.core.arrays import Rng
from publius.core.config import OTHER_EPSILON, WordSettings
from publius.core.errors import DataError, ParameterError
from publius.core.guarantee import Guarantee, Scope
from publius.core.rng import KEY_BYTES, RunKey
from publius.materials.words.assemble import resolved
from publius.materials.words.consistent import Consistency
from publius.materials.words.sanitizer import Sanitizer
from publius.mechanisms.words.given import defaults, flat_settings

NAME = "memo.v1"
"""Which derivation this is; another one would draw every row a second time."""

SILENT = ("level", "neighbours", "repeats")
"""Settings that do not change the law; ε already holds what a level asks for."""

EQUAL_ROWS = (
    "Which rows are equal: without row ids equal texts are released as equal texts."
)
EQUAL_NAMES = (
    "Which rows have the same id and the same text: they are released as equal texts."
)
AGAIN = (
    "A row whose text, id or settings changed and that is released again: that is a "
    "further draw, and the losses of what stayed the same add up."
)
ASSUMED = (
    "Nobody who reads the release has the key of the memo: with it anybody can compute "
    "what a guessed text would have been released as. Without it keyed BLAKE2b and "
    "ChaCha20 cannot be told from chance."
)

RowId = str | int
ARROW = (pa.Array, pa.ChunkedArray)


@dataclass(frozen=True, slots=True)
class Memo:
    """Derive the noise of each row from a secret key, so that no row is drawn twice.

    Pickles hold the key and the settings, never the tables. Keep them, and the key, as
    secret as the originals.

    Args:
        key: 32 secret bytes, as from ``secrets.token_bytes(32)``; use one key for one
            table, for as long as it is released.
        settings: How words are replaced.

    Example:
        >>> import secrets
        >>> import publius as pb
        >>> memo = pb.Memo(secrets.token_bytes(32), pb.WordSettings(vocabulary=2000))
        >>> once = memo.release(["A doctor in London."], ids=["row 1"])
        >>> once == memo.release(["A doctor in London."], ids=["row 1"])
        True
    """

    key: bytes = field(repr=False)
    settings: WordSettings = field(default_factory=WordSettings)
    _context: list[tuple[Lists, bytes]] = field(
        default_factory=list, init=False, repr=False, compare=False
    )

    def __post_init__(self) -> None:
        if not isinstance(self.key, bytes) or len(self.key) != KEY_BYTES:
            raise ParameterError(
                f"the key of a memo is {KEY_BYTES} bytes, as from "
                f"secrets.token_bytes({KEY_BYTES})"
            )
        if not isinstance(self.settings, WordSettings):
            raise ParameterError("settings must be pb.WordSettings")

    def guarantee(self, *, has_ids: bool) -> Guarantee:
        """Return the guarantee of one release, with what the memo leaves uncovered.

        Args:
            has_ids: Rows are released with ids that tell them apart.
        """
        left = (EQUAL_NAMES if has_ids else EQUAL_ROWS, AGAIN)
        said = Scope(uncovered=left, assumptions=(ASSUMED,))
        return built(self.settings).guarantee().covering(said)

    def release(
        self, texts: object, ids: Sequence[RowId] | None = None
    ) -> list[str | None]:
        """Release one text per row; missing texts stay missing.

        Args:
            texts: The secrets: a list, an array, or a series (pandas, Polars, Arrow).
            ids: What tells rows apart, strings or whole numbers; 7 and ``"7"`` are the
                same. Without ids it is uncovered which texts are equal.
        """
        rows = texts_of(texts)
        names = [""] * len(rows) if ids is None else list(_names(ids))
        if len(names) != len(rows):
            raise DataError(f"{len(rows)} texts need as many ids, got {len(names)}")
        sanitizer = self._sanitizer()
        released: list[str | None] = []
        for text, name in zip(rows, names, strict=True):
            if text is None:
                released.append(None)
                continue
            rng = self._stream(name, text, has_id=ids is not None)
            released.extend(sanitizer.release([text], rng).texts)
        return released

    def fingerprint(self, source: str = "") -> str:
        """Return a public name of what this memo makes of a source, for caches.

        Args:
            source: Name of the input, such as a fingerprint that its host knows.
        """
        given = _packed(b"name", self._settled(), source.encode("utf-8"))
        return hashlib.blake2b(given, key=self.key, digest_size=16).hexdigest()

    def __dask_tokenize__(self) -> str:
        """Return what names this memo in a graph of Dask: not its key."""
        return self.fingerprint()

    def _sanitizer(self) -> Sanitizer:
        one = built(self.settings)
        if one.consistent is not Consistency.CORPUS:
            return one
        derived = _packed(b"corpus", self._settled())
        key = hashlib.blake2b(derived, key=self.key, digest_size=KEY_BYTES).digest()
        return replace(one, key=RunKey(key, is_secure=True))

    def _stream(self, name: str, text: str, *, has_id: bool) -> Rng:
        """Return the stream of one row, a function of everything that it depends on."""
        content = text.encode("utf-8", "surrogatepass")
        row = name.encode("utf-8", "surrogatepass")
        kind = b"named" if has_id else b"equal"
        given = _packed(self._settled(), kind, row, content)
        return RunKey(self.key, is_secure=True).named(NAME, given)

    def _settled(self) -> bytes:
        """Return what decides the law: settings, the space and the lists they name."""
        lists = lists_of(self.settings)
        if not self._context or self._context[0][0] != lists:
            self._context[:] = [(lists, self._written(lists))]
        return self._context[0][1]

    def _written(self, lists: Lists) -> bytes:
        # As it was when memos began: another ε here would draw rows once more.
        usual = defaults() | {"epsilon": OTHER_EPSILON}
        changed = {
            name: value
            for name, value in flat_settings(resolved(self.settings)).items()
            if name not in SILENT and value != usual.get(name)
        }
        sanitizer = built(self.settings)
        law = [sanitizer.mechanism.name, sanitizer.guarantee().metric]
        # One noise under two lists would tell more than two draws.
        told = dict(lists)
        if sanitizer.embedding.language.stop_words is not None:
            passing = "\n".join(sorted(sanitizer.embedding.language.stop_words))
            told["stop_words"] = hashlib.sha256(passing.encode()).hexdigest()
        return json.dumps(
            [law, changed, *([told] if told else [])], sort_keys=True
        ).encode()


def _names(ids: Sequence[object] | pa.Array) -> Iterator[str]:
    listed = ids.to_pylist() if isinstance(ids, ARROW) else ids
    for place, one in enumerate(listed):
        if isinstance(one, bool) or not isinstance(one, str | Integral):
            raise DataError(
                f"row ids must be strings or whole numbers; position {place} is not"
            )
        yield one if isinstance(one, str) else str(int(one))


def _packed(*parts: bytes) -> bytes:
    """Join parts so that no two lists of parts give the same bytes."""
    return b"".join(len(part).to_bytes(8, "little") + part for part in parts)
