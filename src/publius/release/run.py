"""One pass over the input of a release."""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from publius.accounting.accounts import Subject
from publius.core.arrays import IdArray
from publius.core.rng import RunKey
from publius.core.watch import Watch
from publius.corpus.folder import ReleaseFolder
from publius.corpus.shards import Shard, shards
from publius.corpus.source import Source
from publius.engines.local import Local
from publius.engines.words import Form, Keyed, Released, WordStep, charged
from publius.release.charging import authors
from publius.release.request import ReleaseRequest
from publius.reporting.rendering import Example
from publius.reporting.summary import Exposure

EXAMPLES = 5


@dataclass(frozen=True, slots=True)
class _StepFactory:
    """Builds the step in each worker; it travels through a pipe, never to the disk."""

    make_form: Callable[[], Form]
    text: str
    keep: tuple[str, ...]
    key: RunKey

    def __call__(self) -> WordStep:
        return WordStep(self.make_form(), self.text, self.keep, self.key)


@dataclass(slots=True)
class _Tally:
    """Public figures of a run, and what one author loses."""

    rows: int = 0
    words: int = 0
    longest: int = 0
    authors: "Counter[Subject]" = field(default_factory=Counter)

    def add(self, released: dict[str, int]) -> None:
        self.rows += released["rows"]
        self.words += released["words"]
        self.longest = max(self.longest, released["longest"])


class Run:
    """One pass over the input."""

    def __init__(
        self,
        request: ReleaseRequest[object],
        source: Source,
        folder: ReleaseFolder,
        watch: Watch,
    ) -> None:
        self._request = request
        self._source = source
        self._folder = folder
        self._watch = watch
        self._tally = _Tally()
        self._authors: dict[int, list[Subject]] = {}
        self._secrets: list[str] = []
        self._total = 0
        self.examples: list[Example] = []

    def release(self, form: Form, make_form: Callable[[], Form]) -> int:
        """Release every shard that is not released yet; return how many there are.

        Args:
            form: The shape in which texts leave.
            make_form: Builds it anew in another process.
        """
        request, source = self._request, self._source
        if request.seed is None and isinstance(form, Keyed) and form.spans_shards:
            # The key was never written: shards of another key would not agree.
            self._folder.discard()
        for counts in self._folder.counts():
            self._tally.add({key: int(value) for key, value in counts.items()})
        key = RunKey.fresh() if request.seed is None else RunKey.from_seed(request.seed)
        keep = tuple(source.columns.keep)
        step = WordStep(form, source.text, keep, key)
        factory = _StepFactory(make_form, source.text, keep, key)
        make = (lambda: step) if request.workers == 1 else factory
        self._watch.stage("releasing")
        Local(request.workers).map_batches(make, self._pending(form), self._commit)
        return self._total

    def exposure(self, *, tells_length: bool) -> Exposure:
        """Return the figures that a release discloses anyway."""
        tally = self._tally
        return Exposure(
            rows=tally.rows,
            words=tally.words if tells_length else None,
            longest=tally.longest if tells_length else None,
            busiest=max(tally.authors.values(), default=None),
        )

    @property
    def spent(self) -> "Counter[Subject]":
        """Return the promises that were spent on each author; stays in memory."""
        if self._source.columns.subject is None:
            return Counter({None: self._tally.words})
        return self._tally.authors

    def _pending(self, form: Form) -> Iterator[Shard]:
        """Yield the shards to release; those released already are only counted."""
        done = self._folder.committed()
        author = self._source.columns.subject
        for shard in shards(self._source.batches()):
            self._total += 1
            if author is not None:
                self._authors[shard.number] = authors(shard.table.column(author))
            if shard.number in done:
                costs = form.costs(_texts(shard))
                self._charge(shard.number, charged(costs, shard.table.column(0)))
                continue
            if self._request.show_examples and shard.number == 0:
                self._secrets = _texts(shard)[:EXAMPLES]
            yield shard

    def _commit(self, number: int, released: Released) -> None:
        costs = released.costs
        counts = {
            "rows": released.table.num_rows,
            "words": int(costs.sum()),
            "longest": int(costs.max(initial=0)),
        }
        self._folder.commit(number, released.table, counts)
        self._tally.add(counts)
        self._charge(number, costs)
        if number == 0:
            shown = released.table.column(0)[:EXAMPLES].to_pylist()
            pairs = zip(self._secrets, shown, strict=False)
            self.examples = [Example(old, str(new or "")) for old, new in pairs]
        self._watch.rows(self._tally.rows, self._source.bytes_read)

    def _charge(self, number: int, costs: IdArray) -> None:
        """Add up what each author loses; names stay in memory."""
        names = self._authors.pop(number, [])
        for author, cost in zip(names, costs.tolist(), strict=False):
            self._tally.authors[author] += cost


def _texts(shard: Shard) -> list[str]:
    return ["" if text is None else text for text in shard.table.column(0).to_pylist()]
