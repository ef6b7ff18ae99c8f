"""Seeds, profiles and the reference folder for every suite."""

import os
import time
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile(
    "default",
    max_examples=50,
    deadline=None,
    derandomize=True,  # the same examples in every run; nightly looks for new ones
    suppress_health_check=[HealthCheck.too_slow],
)
settings.register_profile("nightly", max_examples=1000, deadline=None)
settings.load_profile("default")

# One day for the whole run and the programs it starts: reports carry their day, and
# a run over midnight would compare reports of two.
os.environ.setdefault("SOURCE_DATE_EPOCH", str(int(time.time())))


def _seeds() -> list[int]:
    """Read SEEDS=0-99 or SEEDS=3; one seed by default."""
    first, _, last = os.environ.get("SEEDS", "0").partition("-")
    return list(range(int(first), int(last or first) + 1))


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run statistical tests once per asked seed."""
    if "seed" in metafunc.fixturenames:
        metafunc.parametrize("seed", _seeds())


@pytest.fixture(scope="session")
def shared() -> Path:
    """Return the reference folder beside the checkout, or skip."""
    folder = Path(__file__).parents[2] / "shared"
    if not (folder / "golden" / "constants.json").is_file():
        pytest.skip("the reference folder is not there")
    return folder


@pytest.fixture(autouse=True)
def _own_cache(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Keep tests away from the user's cache, but share one within a worker."""
    folder = tmp_path_factory.getbasetemp() / "publius-cache"
    monkeypatch.setenv("PUBLIUS_CACHE", str(folder))
