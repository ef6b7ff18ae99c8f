"""An S3 bucket as a store: a conditional put lets the first writer win."""

from dataclasses import dataclass
from typing import Any

import boto3
from botocore.exceptions import BotoCoreError, ClientError

from publius.core.errors import OutputError, ParameterError

_TAKEN = {"PreconditionFailed", "ConditionalRequestConflict", "412", "409"}
_ABSENT = {"NoSuchKey", "404"}


@dataclass(frozen=True, slots=True)
class S3Store:
    """Objects under a prefix; keys, region and endpoint come from the environment.

    Args:
        bucket: Its name.
        prefix: Without slashes at its ends; empty for the whole bucket.
    """

    bucket: str
    prefix: str

    @classmethod
    def at(cls, address: str) -> "S3Store":
        """Return the store at ``s3://bucket/prefix``."""
        bucket, _, prefix = address.removeprefix("s3://").partition("/")
        if not bucket:
            raise ParameterError("an address in S3 is s3://bucket/prefix")
        return cls(bucket, prefix.strip("/"))

    def put_once(self, name: str, content: bytes) -> bool:
        """Write an object under If-None-Match: *; False if the name is taken."""
        try:
            self._put(name, content, IfNoneMatch="*")
        except _Refused as refused:
            if refused.code in _TAKEN:
                return False
            raise self._unusable(refused.code) from None
        return True

    def put(self, name: str, content: bytes) -> None:
        """Write an object whole, in the place of one that may be there."""
        try:
            self._put(name, content)
        except _Refused as refused:
            raise self._unusable(refused.code) from None

    def get(self, name: str) -> bytes | None:
        """Return an object; None if there is none."""
        try:
            answer = self._client().get_object(Bucket=self.bucket, Key=self._key(name))
            return bytes(answer["Body"].read())
        except (ClientError, BotoCoreError) as error:
            code = _code(error)
        if code in _ABSENT:
            return None
        raise self._unusable(code)

    def names(self, folder: str = "") -> list[str]:
        """Return the names of all objects under a folder, sorted."""
        under = self._key(folder.strip("/") + "/" if folder else "")
        try:
            pages = self._client().get_paginator("list_objects_v2")
            listed = [
                entry["Key"]
                for page in pages.paginate(Bucket=self.bucket, Prefix=under)
                for entry in page.get("Contents", [])
            ]
        except (ClientError, BotoCoreError) as error:
            code = _code(error)
        else:
            start = len(self._key(""))
            return sorted(key[start:] for key in listed)
        raise self._unusable(code)

    def remove(self, name: str) -> None:
        """Remove an object, if it is there."""
        try:
            self._client().delete_object(Bucket=self.bucket, Key=self._key(name))
        except (ClientError, BotoCoreError) as error:
            code = _code(error)
        else:
            return
        raise self._unusable(code)

    def _put(self, name: str, content: bytes, **condition: str) -> None:
        try:
            self._client().put_object(
                Bucket=self.bucket, Key=self._key(name), Body=content, **condition
            )
        except (ClientError, BotoCoreError) as error:
            code = _code(error)
        else:
            return
        raise _Refused(code)

    def _key(self, name: str) -> str:
        return f"{self.prefix}/{name}" if self.prefix else name

    def _client(self) -> Any:  # noqa: ANN401 - boto3 makes its types at run time
        return boto3.client("s3")

    def _unusable(self, code: str) -> OutputError:
        return OutputError(
            f"the bucket {self.bucket!r} cannot be used ({code}); check its name, its "
            "region and the permissions of your keys: GetObject, PutObject, "
            "DeleteObject, ListBucket"
        )


class _Refused(Exception):  # noqa: N818 - never leaves this module
    """The service said no."""

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


def _code(error: ClientError | BotoCoreError) -> str:
    """Return the service's code, or the kind of failure; nothing that was sent."""
    if isinstance(error, ClientError):
        return str(error.response.get("Error", {}).get("Code", "refused"))
    return type(error).__name__
