"""The day a page carries: today's, or the one the environment fixes."""

from datetime import UTC, datetime, timedelta
from importlib.metadata import version

import pytest

from publius.reporting.made import made


def test_the_day_of_the_environment_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "951782399")
    assert made() == f"Made by Publius {version('publius')} on 2000-02-28."


@pytest.mark.parametrize("asked", ["", "soon", "-5", "1e9", "9" * 30])
def test_without_one_the_day_is_today(
    monkeypatch: pytest.MonkeyPatch, asked: str
) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", asked)
    now = datetime.now(UTC)
    days = {f"{now + timedelta(days=k):%Y-%m-%d}." for k in (0, 1)}
    assert made().rsplit(" ", 1)[1] in days
