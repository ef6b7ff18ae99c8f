"""Release a Spark frame: written once, then read back; never a lazy frame.

A frame that is computed again, for a second action or a lost worker, may come in
another order or with other rows. It is therefore written first, and what is released
are files.
"""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from publius.core.errors import DataError, ParameterError
from publius.engines.spark import Spark
from publius.engines.spark_session import FAILURES, gave_up, is_here, refuse_open
from publius.engines.store import address_of, store_at
from publius.services.release import release as release_texts


def release(
    frame: Any,  # noqa: ANN401 - pyspark is an extra
    *,
    text: str,
    to: str,
    staging: str | None = None,
    subject: str | None = None,
    **settings: Any,  # noqa: ANN401 - what publius.release takes
) -> Any:  # noqa: ANN401 - pyspark is an extra
    """Release a column of texts of a Spark frame; return what was written.

    Args:
        frame: The secret rows. It is computed once.
        text: The column to protect.
        to: Folder for parts, report and manifest; local, or ``s3://bucket/prefix``.
        staging: Empty folder in which the SECRET rows lie while the release runs, where
            nobody else can read; removed at the end. None makes a private one, if all
            workers are on this machine.
        subject: Adds up losses per value of this column.
        settings: Whatever `publius.release` takes, such as ``epsilon`` or ``keep``;
            ``trusts_cluster`` accepts a cluster without encryption.

    A run that was killed leaves `staging` as it is: release that folder with
    ``resume=True`` by `publius.release`, then remove it.

    Raises:
        DataError: The frame lacks a column.
        ParameterError: The staging folder is not empty, lies in the release, or must be
            named; the cluster is not protected.
        WorkerError: Spark cannot compute or write the frame.
    """
    if not hasattr(frame, "sparkSession"):
        raise DataError("expected a frame of Spark; pb.release takes other tables")
    with _staged(frame.sparkSession, staging) as rows:
        return _released(frame, rows, text, subject, to, settings)


@contextmanager
def _staged(session: Any, staging: str | None) -> Iterator[str]:  # noqa: ANN401 - pyspark is an extra
    """Yield the folder for the secret rows."""
    if staging is not None:
        yield staging
        return
    if not is_here(session):
        raise ParameterError(
            "name an empty folder for the secret rows, which all workers reach and "
            "nobody else can read: staging="
        )
    with tempfile.TemporaryDirectory(prefix="publius-") as private:
        yield private


def _released(
    frame: Any,  # noqa: ANN401 - pyspark is an extra
    staging: str,
    text: str,
    subject: str | None,
    to: str,
    settings: dict[str, Any],
) -> Any:  # noqa: ANN401 - pyspark is an extra
    rows, out = address_of(staging), address_of(to)
    if f"{rows}/".startswith(f"{out}/"):
        raise ParameterError(
            "staging holds secret rows; it must not lie in the release"
        )
    store = store_at(rows)
    if store.names():
        raise ParameterError("staging is not empty; name an empty folder")
    engine = Spark(
        frame.sparkSession, trusts_cluster=bool(settings.pop("trusts_cluster", False))
    )
    if not engine.trusts_cluster:
        refuse_open(frame.sparkSession)
    kept = tuple(settings.get("keep", ()))
    names = dict.fromkeys(name for name in (text, subject, *kept) if name is not None)
    for name in names:
        if name not in frame.columns:
            raise DataError(f"no column {name!r}; columns: {', '.join(frame.columns)}")
    columns = ["`" + name.replace("`", "``") + "`" for name in names]
    try:
        _write(frame.select(*columns), rows)
        release_texts(
            rows, text=text, author=subject, out=out, engine=engine, **settings
        )
    finally:
        for name in store.names():
            store.remove(name)
    return frame.sparkSession.read.parquet(_for_spark(f"{out}/parts"))


def _write(frame: Any, rows: str) -> None:  # noqa: ANN401 - pyspark is an extra
    """Compute a frame once, into files."""
    try:
        frame.write.mode("append").parquet(_for_spark(rows))
    except FAILURES as error:
        failure = gave_up(error)  # its text may quote rows
    else:
        return
    raise failure


def _for_spark(address: str) -> str:
    """Return an address as Spark writes it: s3a is its client for S3."""
    if address.startswith("s3://"):
        return "s3a" + address.removeprefix("s3")
    return f"file://{address}"
