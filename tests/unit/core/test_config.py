from pathlib import Path

import numpy as np
import pytest

from publius.core.config import (
    LedgerSettings,
    WordSettings,
    read_ledger_settings,
)
from publius.core.errors import ParameterError


def written(folder: Path, text: str) -> Path:
    (folder / "publius.toml").write_text(text, "utf-8")
    return folder


def test_numbers_of_numpy_are_numbers() -> None:
    settings = WordSettings(epsilon=np.float32(2), vocabulary=np.int64(5))  # type: ignore[arg-type]
    assert settings.epsilon == 2


def test_settings_that_would_be_ignored_are_refused() -> None:
    with pytest.raises(ParameterError, match="a text keeps its own"):
        WordSettings(length=5)
    with pytest.raises(ParameterError, match="no mask"):
        WordSettings(form="bag", length=5, oov="mask")
    assert WordSettings(form="bag", oov="mask").length == 0


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("file = 3", "file must be a string"),
        ('file = ""', "must have a name"),
        ('file = "l"\nbudget = -1', "budget must be"),
        ('file = "l"\nnear-budget = 0', "near-budget must be"),
        ('file = "l"\nbudget = "much"', "budget must be a number"),
        ('file = "l"\ndelta = 1', "delta must lie"),
        ("delta = 0.1", "--ledger FILE"),
    ],
)
def test_a_ledger_is_checked(tmp_path: Path, written: str, said: str) -> None:
    (tmp_path / "publius.toml").write_text(f"[ledger]\n{written}\n")
    with pytest.raises(ParameterError, match=said):
        read_ledger_settings({}, tmp_path)


def test_flags_win_over_the_ledger_of_the_file(tmp_path: Path) -> None:
    assert read_ledger_settings({"file": None}, tmp_path) is None
    (tmp_path / "publius.toml").write_text('[ledger]\nfile = "l"\nbudget = 2\n')
    found = read_ledger_settings({"file": "m", "budget": None}, tmp_path)
    assert found == LedgerSettings("m", 2)
