"""Many mechanisms on one corpus at equal certified privacy, attacked and used."""

import json
import os
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from multiprocessing import connection, get_context, parent_process
from pathlib import Path

from threadpoolctl import threadpool_limits

from publius.assessment.comparison.cell import (
    Job,
    Place,
    Rows,
    mark_front,
    run_cell,
    samples_of,
)
from publius.assessment.comparison.contenders import Contender
from publius.assessment.comparison.rows import Cell
from publius.core.errors import OutputError
from publius.core.watch import SILENT, Watch
from publius.storage.atomic import write_bytes

JOB = "job.json"
"""Says which comparison lies in a folder."""


def grid(contenders: Sequence[Contender], levels: Sequence[float]) -> list[Place]:
    """Return every contender at every level; the baselines stand once."""
    places = []
    for contender in contenders:
        wanted = levels if contender.has_levels else (None,)
        places += [Place(contender, level) for level in wanted]
    return places


def compare(
    job: Job,
    places: Sequence[Place],
    out: Path,
    *,
    workers: int = 1,
    watch: Watch = SILENT,
) -> Rows:
    """Fill the grid, cell by cell; cells of an earlier, equal run are not repeated."""
    folder = out / "cells"
    claim = _claim(job, out)
    cells: dict[str, dict[str, Cell]] = {}
    for place in places:
        saved = _saved(folder / place.file)
        if saved is not None:
            cells[place.file] = saved
    waiting = [place for place in places if place.file not in cells]
    if waiting:
        # A table that cannot be used is said before any work, and leaves no folder.
        samples_of(job)
    if claim is not None:
        write_bytes(out / JOB, claim)
    done = len(places) - len(waiting)
    watch.steps(done, len(places))
    watch.stage(f"{done} of {len(places)} cells were there")
    for number, (place, row) in enumerate(_worked(job, waiting, workers), start=1):
        watch.steps(done + number, len(places))
        watch.stage(f"{done + number} of {len(places)}: {place.contender.spec}")
        write_bytes(folder / place.file, json.dumps(row).encode())
        cells[place.file] = row
    rows = [dict(cells[place.file]) for place in places]
    mark_front(rows)
    return rows


def _worked(
    job: Job, waiting: Sequence[Place], workers: int
) -> Iterator[tuple[Place, dict[str, Cell]]]:
    if workers <= 1 or len(waiting) < 2:
        for place in waiting:
            yield place, run_cell(job, place)
        return
    # Forked threads of the matrix library would wait for ever: spawn.
    pool = ProcessPoolExecutor(
        workers, mp_context=get_context("spawn"), initializer=_begin
    )
    try:
        tasks = {pool.submit(run_cell, job, place): place for place in waiting}
        for task in as_completed(tasks):
            yield tasks[task], task.result()
    finally:
        # After an error or an interruption no further cell is begun.
        pool.shutdown(wait=True, cancel_futures=True)


def _begin() -> None:
    """Keep a worker to one thread of the matrix library, and end it with its parent."""
    threadpool_limits(limits=1)
    parent = parent_process()
    if parent is None:
        return

    def follow() -> None:
        connection.wait([parent.sentinel])
        os._exit(1)

    threading.Thread(target=follow, daemon=True).start()


def _claim(job: Job, out: Path) -> bytes | None:
    """Return what marks a folder as this comparison's; None if it stands there.

    Raises:
        OutputError: The folder holds something else.
    """
    wanted = json.loads(json.dumps(job.identity))
    path = out / JOB
    if path.exists():
        try:
            identity = json.loads(path.read_text("utf-8"))
        except ValueError:
            identity = None
        if identity != wanted:
            raise OutputError(
                f"{out} holds another comparison, or its table changed since; choose "
                "another folder"
            )
        return None
    if out.exists() and any(out.iterdir()):
        raise OutputError(f"{out} is not empty and holds no comparison")
    return json.dumps(wanted, indent=1).encode()


def _saved(path: Path) -> dict[str, Cell] | None:
    """Return a cell that was finished before; a damaged one is made again."""
    try:
        cell = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError):
        return None
    return cell if isinstance(cell, dict) else None
