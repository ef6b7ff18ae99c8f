"""Channels that somebody else wrote down: NPZ, CSV and Parquet."""

import zipfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv as pa_csv
import pyarrow.parquet as pa_parquet
from numpy.typing import NDArray

from publius.core.arrays import FloatArray
from publius.core.errors import DataError
from publius.storage.archive import damage_as_error, open_arrays

LARGEST = 16 << 30
"""Largest table, in bytes of memory, that is read."""


@dataclass(frozen=True, slots=True, eq=False)
class ChannelFile:
    """A channel and the distances of its secrets.

    Args:
        values: Probabilities, or their natural logarithms.
        distance: Distances between secrets, or None if the file has none.
        is_log: Whether `values` are logarithms.
        words: Names of the secrets, if the file has them.
    """

    values: FloatArray
    distance: FloatArray | None
    is_log: bool = False
    words: tuple[str, ...] | None = None


def read_channel(path: Path) -> ChannelFile:
    """Read a channel by the ending of its file.

    An NPZ file holds ``channel`` (probabilities) or ``log_prob``, and ``distance``. CSV
    and Parquet hold one row per secret and one column per output; CSV has no header.
    """
    _refuse_no_file(path)
    ending = path.suffix.lower()
    if ending == ".npz":
        return _read_npz(path)
    return ChannelFile(read_table(path), None)


def read_table(path: Path) -> FloatArray:
    """Read a matrix of numbers from CSV, Parquet or NPY."""
    _refuse_no_file(path)
    readers = {".csv": _read_csv, ".parquet": _read_parquet, ".npy": _read_npy}
    if path.suffix.lower() not in readers:
        known = ", ".join((".npz", *readers))
        raise DataError(f"a matrix is read from {known}; got {path.suffix!r}")
    return readers[path.suffix.lower()](path)


def _refuse_no_file(path: Path) -> None:
    if not path.is_file():
        if path.is_dir():
            raise DataError(f"{str(path)!r} is a folder; name the file of a matrix")
        raise DataError(f"there is no file {str(path)!r}")


def _read_npz(path: Path) -> ChannelFile:
    with open_arrays(path) as stored:
        names = set(stored.files)
        key = next((k for k in ("channel", "log_prob") if k in names), None)
        if key is None:
            raise DataError(
                f"{path} must hold an array 'channel' or 'log_prob'; it holds "
                f"{', '.join(sorted(names)) or 'none'}"
            )
        _check_npz_size(path, key)
        values = _floats(stored[key], path)
        distance = words = None
        if "distance" in names:
            distance = _floats(stored["distance"], path)
        if "words" in names:
            words = _words(stored["words"], len(values))
        return ChannelFile(values, distance, key == "log_prob", words)


def _words(values: "NDArray[np.generic]", count: int) -> tuple[str, ...]:
    if values.dtype.kind != "U" or values.shape != (count,):
        raise DataError(f"'words' must name each of the {count} secrets")
    return tuple(values.tolist())


def _check_npz_size(path: Path, key: str) -> None:
    with zipfile.ZipFile(path) as archive:
        size = archive.getinfo(f"{key}.npy").file_size
    _check_size(size, path)


def _check_size(size: int, path: Path) -> None:
    if size > LARGEST:
        raise DataError(
            f"{path} would need {size >> 30} GiB of memory, more than {LARGEST >> 30}; "
            "audit a part of the secrets, or give the mechanism itself"
        )


def _read_npy(path: Path) -> FloatArray:
    with damage_as_error(path.name):
        # np.load would take an archive for a matrix and leave its file open.
        mapped = np.lib.format.open_memmap(path, mode="r")
    _check_size(int(mapped.size) * 8, path)
    return _floats(mapped, path)


def _read_csv(path: Path) -> FloatArray:
    _check_size(path.stat().st_size, path)
    options = pa_csv.ReadOptions(autogenerate_column_names=True, block_size=64 << 20)
    try:
        table = pa_csv.read_csv(path, read_options=options)
    except (pa.ArrowInvalid, OSError) as error:
        line = str(error).splitlines()[0].split(":")[0]
        raise DataError(f"{path} is not a CSV file of equal rows: {line}") from None
    return _columns(table, path)


def _read_parquet(path: Path) -> FloatArray:
    try:
        shape = pa_parquet.ParquetFile(path).metadata
        _check_size(8 * shape.num_rows * shape.num_columns, path)
        table = pa_parquet.read_table(path)
    except (pa.ArrowInvalid, OSError):
        raise DataError(f"{path} is not a Parquet file") from None
    return _columns(table, path)


def _columns(table: pa.Table, path: Path) -> FloatArray:
    values = np.empty((table.num_rows, table.num_columns))
    for place, column in enumerate(table.columns):
        if not (pa.types.is_floating(column.type) or pa.types.is_integer(column.type)):
            raise DataError(f"column {place} of {path} must hold numbers only")
        values[:, place] = column.to_numpy()
    return values


def _floats(values: "NDArray[np.generic]", path: Path) -> FloatArray:
    if values.dtype.kind not in "fiu":
        raise DataError(f"{path} must hold numbers, got {values.dtype}")
    return np.asarray(values, dtype=np.float64)
