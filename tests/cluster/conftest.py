"""Tests on real clusters, which `make test-cluster` starts."""

from pathlib import Path

import pytest

HERE = Path(__file__).parent


def pytest_collection_modifyitems(
    config: pytest.Config, items: list[pytest.Item]
) -> None:
    if "cluster" in (config.option.markexpr or ""):
        return
    skip = pytest.mark.skip(reason="Spark, Ray and S3: run make test-cluster")
    for item in items:
        if item.path.is_relative_to(HERE):
            item.add_marker(skip)
