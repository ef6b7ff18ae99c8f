"""Files in S3, read as if they lay here: what readers ask of a path, and no more."""

import os
from dataclasses import dataclass
from functools import cache
from pathlib import PurePosixPath
from types import SimpleNamespace
from typing import BinaryIO, cast

from pyarrow import fs

from publius.core.errors import DataError

S3 = "s3://"


@dataclass(frozen=True, slots=True)
class RemoteFile:
    """One object in S3.

    Args:
        uri: ``s3://bucket/key``.
    """

    uri: str

    def __str__(self) -> str:
        return self.uri

    @property
    def name(self) -> str:
        """Return the last piece of its key."""
        return PurePosixPath(self.uri).name

    @property
    def suffixes(self) -> list[str]:
        """Return the suffixes of its name."""
        return PurePosixPath(self.uri).suffixes

    def open(self, mode: str = "rb", buffering: int = -1) -> BinaryIO:
        """Open the object for reading, at any place."""
        del mode, buffering
        return cast("BinaryIO", _system().open_input_file(self.uri.removeprefix(S3)))

    def stat(self) -> SimpleNamespace:
        """Return its size and when it was written."""
        about = _system().get_file_info(self.uri.removeprefix(S3))
        if about.type != fs.FileType.File:
            raise FileNotFoundError(self.name)
        return _stat(about)


def remote_files(uri: str) -> dict[RemoteFile, SimpleNamespace] | None:
    """Return the objects right under a prefix; None if the address is one object.

    Raises:
        DataError: There is nothing, or the bucket cannot be read.
    """
    path = uri.removeprefix(S3).rstrip("/")
    try:
        about = _system().get_file_info(path)
        if about.type == fs.FileType.File:
            return None
        listed = _system().get_file_info(fs.FileSelector(path, allow_not_found=True))
    except OSError:
        listed = None  # its text names keys and hosts
    if listed is None:
        raise DataError(
            f"{uri!r} cannot be read; check the address, the region and your keys"
        )
    files = {
        RemoteFile(S3 + entry.path): _stat(entry)
        for entry in listed
        if entry.type == fs.FileType.File
    }
    if not files:
        raise DataError(f"{uri!r} does not exist or holds no file")
    return files


def remote_folders(uri: str) -> list[str]:
    """Return the names of the folders right under a prefix that can be read."""
    path = uri.removeprefix(S3).rstrip("/")
    listed = _system().get_file_info(fs.FileSelector(path, allow_not_found=True))
    return [entry.base_name for entry in listed if entry.type == fs.FileType.Directory]


@cache
def _system() -> fs.S3FileSystem:
    """Return the file system that keys, region and endpoint of the machine name."""
    endpoint = os.environ.get("AWS_ENDPOINT_URL_S3", os.environ.get("AWS_ENDPOINT_URL"))
    region = os.environ.get("AWS_REGION", os.environ.get("AWS_DEFAULT_REGION"))
    return fs.S3FileSystem(region=region, endpoint_override=endpoint)


def _stat(entry: fs.FileInfo) -> SimpleNamespace:
    # A list of objects may tell finer times than an answer about one of them.
    seconds = (entry.mtime_ns or 0) // 1_000_000_000
    return SimpleNamespace(st_size=entry.size or 0, st_mtime_ns=seconds * 1_000_000_000)
