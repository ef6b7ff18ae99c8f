from pathlib import Path

import numpy as np
import pytest

from publius.core.config import (
    LedgerSettings,
    WordSettings,
    read_ledger_settings,
    read_settings,
)
from publius.core.errors import DataError, ParameterError, UnknownNameError


def written(folder: Path, text: str) -> Path:
    (folder / "publius.toml").write_text(text, "utf-8")
    return folder


def test_defaults_without_a_file(tmp_path: Path) -> None:
    assert read_settings({}, tmp_path) == WordSettings()


def test_the_file_then_the_flags(tmp_path: Path) -> None:
    folder = written(
        tmp_path, '[words]\nepsilon = 2\nprotect = "all"\nfunction-words = "drop"'
    )
    found = read_settings({"epsilon": 3.0, "oov": None}, folder)
    assert (found.epsilon, found.protect, found.function_words) == (3.0, "all", "drop")


def test_a_flag_for_epsilon_wins_over_a_level_in_the_file(tmp_path: Path) -> None:
    folder = written(tmp_path, "[words]\nlevel = 9")
    assert read_settings({}, folder).level == 9
    assert read_settings({"epsilon": 2.0}, folder).level is None
    assert read_settings({"level": 1.0}, folder).level == 1.0


def test_epsilon_and_level_together_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match="not both"):
        read_settings({"epsilon": 2.0, "level": 3.0}, tmp_path)


@pytest.mark.parametrize(
    "text", ["[words]\nprotekt = 'all'", "epsilon = 2", "[word]\nepsilon = 2"]
)
def test_what_is_not_understood_is_refused(tmp_path: Path, text: str) -> None:
    with pytest.raises(UnknownNameError, match=r"did you mean|known"):
        read_settings({}, written(tmp_path, text))


@pytest.mark.parametrize("text", ["[words", "words = 3", "\x00"])
def test_a_broken_file_is_refused(tmp_path: Path, text: str) -> None:
    with pytest.raises(DataError, match=r"publius\.toml"):
        read_settings({}, written(tmp_path, text))


def test_a_file_in_another_encoding_is_refused(tmp_path: Path) -> None:
    (tmp_path / "publius.toml").write_bytes(b"[words]\nembedding = '\xff'")
    with pytest.raises(DataError, match="not valid TOML"):
        read_settings({}, tmp_path)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("epsilon", 0), ("epsilon", float("nan")), ("epsilon", float("inf")),
        ("epsilon", "4"), ("epsilon", True), ("level", -1.0), ("level", float("nan")),
        ("vocabulary", 0), ("vocabulary", 2.5), ("neighbours", 0), ("length", -1),
        ("balanced", "no"), ("balanced", 1), ("overlap", -0.1), ("overlap", None),
        ("oov", "keep"), ("protect", "none"), ("function_words", "hide"),
        ("form", "words"), ("embedding", 5), ("metric", 3), ("mechanism", None),
    ],
)  # fmt: skip
def test_settings_outside_their_domain(name: str, value: object) -> None:
    with pytest.raises(ParameterError):
        WordSettings(**{name: value})  # type: ignore[arg-type]


def test_wrong_types_in_the_file_are_named(tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match="balanced must be true or false"):
        read_settings({}, written(tmp_path, "[words]\nbalanced = 'no'"))


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
