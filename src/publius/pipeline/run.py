"""One pass over the input of a release."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

from publius.accounting.accounts import Subject
from publius.core.arrays import FloatArray, IdArray
from publius.core.rng import RunKey
from publius.core.watch import Watch
from publius.engines.local import Local
from publius.materials.form import Form, Keyed, Remarking
from publius.pipeline.charging import authors
from publius.pipeline.folder import ReleaseFolder
from publius.pipeline.request import ReleaseRequest
from publius.pipeline.step import Part, Task
from publius.reporting.rendering import Example
from publius.reporting.summary import Exposure
from publius.tables.shards import Cut, Shard, shards
from publius.tables.source import Source

EXAMPLES = 5


@dataclass(slots=True)
class _Tally:
    """Public figures of a run, and what one author loses."""

    rows: int = 0
    words: int = 0
    longest: int = 0
    others: "Counter[str]" = field(default_factory=Counter)
    authors: "Counter[Subject]" = field(default_factory=Counter)

    def add(self, released: Mapping[str, int | float]) -> None:
        counts = {name: int(count) for name, count in released.items()}
        self.rows += counts.pop("rows")
        self.words += counts.pop("words")
        self.longest = max(self.longest, counts.pop("longest"))
        self.others.update(counts)


class Run:
    """One pass over the input."""

    def __init__(
        self,
        request: ReleaseRequest[object],
        source: Source,
        folder: ReleaseFolder,
        watch: Watch,
        context: bytes,
    ) -> None:
        self._request = request
        self._source = source
        self._folder = folder
        self._watch = watch
        self._context = context
        self._tally = _Tally()
        self._authors: dict[int, list[Subject]] = {}
        self._secrets: list[str] = []
        self._originals: list[FloatArray | IdArray] = []
        self._is_complete = True
        self._total = 0
        self.examples: list[Example] = []

    def release(
        self, form: Form, make_form: Callable[[], Form], cut: Cut, engine: Local | None
    ) -> int:
        """Release every shard that is not released yet; return how many there are.

        Args:
            form: The shape in which protected columns leave.
            make_form: Builds it anew in another process.
            cut: After how much a shard ends.
            engine: Where the work runs; None for the workers that were asked for.
        """
        request, source = self._request, self._source
        is_apart = isinstance(form, Keyed) and form.spans_shards
        if is_apart and request.seed is None and self._folder.last_name() is None:
            # The key was never written: shards of another key would not agree. Those
            # of a run that has drawn everything do, and may have been seen.
            self._folder.discard()
        for counts in self._folder.counts():
            self._tally.add(counts)
        task = Task(
            make_form,
            source.columns.protected,
            source.columns.keep,
            RunKey.fresh() if request.seed is None else RunKey.from_seed(request.seed),
            self._context,
            first_row=source.first_row,
            shows_originals=request.show_examples,
        )
        self._watch.stage("releasing")
        pending = self._pending(form, cut)
        local = Local(request.workers) if engine is None else engine
        local.map_batches(task, pending, self._commit)
        return self._total

    @property
    def rows(self) -> int:
        """Released rows."""
        return self._tally.rows

    @property
    def counts(self) -> Mapping[str, int]:
        """Figures about released values."""
        return self._tally.others

    @property
    def originals(self) -> list[FloatArray | IdArray] | None:
        """What pictures of the originals are drawn from, where all were seen."""
        return self._originals if self._originals and self._is_complete else None

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
        """Return the guarantees that were spent on each author; stays in memory."""
        if self._source.columns.subject is None:
            return Counter({None: self._tally.words})
        return self._tally.authors

    def _pending(self, form: Form, cut: Cut) -> Iterator[Shard]:
        """Yield the shards to release; those released already are only counted."""
        done = self._folder.committed()
        author = self._source.columns.subject
        batches = self._source.batches()
        for shard in shards(batches, cut):
            self._total += 1
            if author is not None:
                self._authors[shard.number] = authors(shard.table.column(author))
            if shard.number in done:
                self._is_complete = False
                self._charge(shard.number, form.costs(shard.table))
                continue
            if shard.number == 0 and isinstance(form, Remarking):
                for line in form.remarks(shard.table):
                    self._watch.note(line)
            if self._request.show_examples and shard.number == 0:
                first = shard.table.column(0)[:EXAMPLES].to_pylist()
                self._secrets = [str(cell or "") for cell in first]
            yield shard

    def _commit(self, number: int, part: Part) -> None:
        counts = part.figures
        self._folder.commit(number, part.table, counts)
        self._tally.add(counts)
        self._charge(number, part.costs)
        if part.originals is not None:
            self._originals.append(part.originals)
        elif number == 0:
            shown = part.opened().column(0)[:EXAMPLES].to_pylist()
            pairs = zip(self._secrets, shown, strict=False)
            self.examples = [Example(old, str(new or "")) for old, new in pairs]
        self._watch.rows(self._tally.rows, self._source.bytes_read)

    def _charge(self, number: int, costs: IdArray) -> None:
        """Add up what each author loses; names stay in memory."""
        names = self._authors.pop(number, [])
        for author, cost in zip(names, costs.tolist(), strict=False):
            self._tally.authors[author] += cost
