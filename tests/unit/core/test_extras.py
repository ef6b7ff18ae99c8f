"""A package of an extra that is missing is named with what installs it."""

from publius.core.extras import missing_package


def test_the_extra_of_a_missing_package_is_named() -> None:
    told = missing_package(ModuleNotFoundError(name="ot"))
    assert told == "ot is not installed; pip install 'publius[transport]'"


def test_other_modules_are_faults() -> None:
    assert missing_package(ModuleNotFoundError(name="publius.core.nowhere")) is None
    assert missing_package(ModuleNotFoundError()) is None
