"""A package of an extra that is missing is named with what installs it."""

import pytest

from publius.core.extras import missing_package


@pytest.mark.parametrize(
    ("name", "extra"), [("ot", "transport"), ("boto3", "s3"), ("botocore", "s3")]
)
def test_the_extra_of_a_missing_package_is_named(name: str, extra: str) -> None:
    told = missing_package(ModuleNotFoundError(name=name))
    assert told == f"{name} is not installed; pip install 'publius[{extra}]'"


def test_other_modules_are_faults() -> None:
    assert missing_package(ModuleNotFoundError(name="publius.core.nowhere")) is None
    assert missing_package(ModuleNotFoundError()) is None
