"""The Python that a page shows runs as it stands there."""

import re
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

DOCS = Path(__file__).parents[2] / "docs"
GIVEN = {
    "explanation/information-flow.md": {},
    "how-to/attack-a-release.md": {},
    "how-to/audit-a-mechanism.md": {
        "secrets": np.array([0.0, 1.0]),
        "distance": np.array([[0.0, 1.0], [1.0, 0.0]]),
    },
    "how-to/evaluate-a-release.md": {},
    "how-to/keep-a-ledger.md": {},
    "how-to/places.md": {"table": pa.table({"lat": [40.7], "lon": [-74.0]})},
    "how-to/times.md": {"table": pa.table({"wake": [390, 420]})},
    "reference/api.md": {},
}
"""What a page takes for granted."""


@pytest.mark.parametrize("page", GIVEN)
def test_the_python_of_a_page_runs(
    page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    text = (DOCS / page).read_text("utf-8")
    names: dict[str, object] = dict(GIVEN[page])
    for code in re.findall(r"```python\n(.*?)```", text, flags=re.DOTALL):
        exec(code, names)  # noqa: S102 - our own page
