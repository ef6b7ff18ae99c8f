"""Files of the package are those that this version was made with."""

import runpy
from pathlib import Path

import pytest

from publius.core.errors import DataError
from publius.storage.shipped import DIGESTS, shipped_bytes

ROOT = Path(__file__).parents[3]
SHIPPED = ROOT / "src" / "publius" / "mechanisms" / "shipped"


def test_the_table_is_that_of_the_files() -> None:
    digests = runpy.run_path(str(ROOT / "scripts" / "build_digests.py"))["digests"]
    assert set(digests()) == DIGESTS


def test_changed_swapped_and_missing_files_are_refused(tmp_path: Path) -> None:
    one, other = sorted(SHIPPED.glob("*.npz"))[:2]
    assert shipped_bytes(one) == one.read_bytes()
    for content in (other.read_bytes(), one.read_bytes()[:-1], b""):
        (tmp_path / one.name).write_bytes(content)
        with pytest.raises(DataError, match="install Publius again"):
            shipped_bytes(tmp_path / one.name)
    with pytest.raises(DataError, match="is missing"):
        shipped_bytes(tmp_path / "other.npz")
