"""Progress is told, and telling it is when cancelled work stops."""

import pytest

from publius.core.errors import CancelledError
from publius.core.watch import SILENT, Watch


def test_messages_arrive() -> None:
    stages: list[str] = []
    rows: list[tuple[int, int]] = []
    watch = Watch(stages.append, lambda done, read: rows.append((done, read)))
    watch.stage("reading")
    watch.rows(3, 40)
    assert (stages, rows) == (["reading"], [(3, 40)])


def test_silence_discards_messages() -> None:
    SILENT.stage("reading")
    SILENT.rows(1, 1)


def test_cancelled_work_stops_at_the_next_message() -> None:
    stages: list[str] = []
    watch = Watch(stages.append, is_cancelled=lambda: bool(stages))
    watch.stage("reading")
    with pytest.raises(CancelledError, match="--resume") as caught:
        watch.rows(1, 1)
    assert caught.value.exit_code == 130


def test_counted_stages_tell_how_many_of_all_are_done() -> None:
    told: list[object] = []
    watch = Watch(told.append, steps=lambda done, total: told.append((done, total)))
    begin = watch.counted(2)
    for text in ("reading", "attacking", "one more than was known"):
        begin(text)
    assert told[::2] == [(0, 2), (1, 2), (2, 2)]
    assert told[1::2] == ["reading", "attacking", "one more than was known"]
