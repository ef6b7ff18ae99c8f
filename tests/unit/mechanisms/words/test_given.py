"""Keywords, files and flags make the same settings."""

from pathlib import Path

import pytest

from publius.core.config import WordSettings, own_settings
from publius.core.errors import DataError, ParameterError, UnknownNameError
from publius.mechanisms.words.given import (
    flat_settings,
    read_settings,
    with_settings,
    word_settings,
)
from publius.mechanisms.words.settings import (
    CusTextSettings,
    ExponentialSettings,
    GradedSettings,
    SynTFSettings,
)


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


def test_a_table_of_no_mechanism_is_refused(tmp_path: Path) -> None:
    folder = written(tmp_path, "[words.custextt]\ngroup = 5")
    with pytest.raises(UnknownNameError, match="did you mean 'custext'"):
        read_settings({}, folder)
    folder = written(tmp_path, "[words.santext-plus]\nreplaced = 0.5")
    assert read_settings({}, folder).mechanism == "exponential"


@pytest.mark.parametrize(
    ("flag", "reader"),
    [({"overlap": 0.5}, "syntf"), ({"sensitive": 0.5}, "graded or santext-plus")],
)
def test_a_flag_that_the_mechanism_does_not_read_is_refused(
    tmp_path: Path, flag: dict[str, object], reader: str
) -> None:
    with pytest.raises(ParameterError, match=f"is for --mechanism {reader}$"):
        read_settings(flag, tmp_path)
    folder = written(tmp_path, "[words]\noverlap = 0.5\nsensitive = 0.5")
    assert read_settings({}, folder).mechanism == "exponential"


@pytest.mark.parametrize(
    "flags",
    [
        {"overlap": 0.5, "mechanism": "syntf"},
        {"overlap": 0.5, "form": "tf"},
        {"balanced": False, "mechanism": "laplace"},
    ],
)
def test_flags_that_are_read_are_taken(
    tmp_path: Path, flags: dict[str, object]
) -> None:
    assert read_settings(flags, tmp_path).own


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
        word_settings({name: value})


def test_wrong_types_in_the_file_are_named(tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match="balanced must be true or false"):
        read_settings({}, written(tmp_path, "[words]\nbalanced = 'no'"))


def test_a_name_reaches_every_mechanism_that_has_it() -> None:
    chosen = word_settings({"balanced": False})
    assert not own_settings(chosen, ExponentialSettings).balanced
    assert not own_settings(chosen, GradedSettings).balanced
    assert own_settings(chosen, SynTFSettings) == SynTFSettings()


def test_own_defaults_are_no_settings() -> None:
    assert word_settings({"group": 20}) == WordSettings()
    assert WordSettings(own=(CusTextSettings(),)) == WordSettings()


def test_changes_leave_the_other_own_settings() -> None:
    chosen = with_settings(word_settings({"overlap": 0.1}), {"morphology": "orth"})
    assert own_settings(chosen, SynTFSettings) == SynTFSettings(0.1, "orth")


def test_every_setting_stands_in_the_manifest_by_its_name() -> None:
    told = flat_settings(word_settings({"mechanism": "custext", "group": 5}))
    assert (told["group"], told["overlap"], told["options"]) == (5, 0.3, ())
    assert word_settings(told) == word_settings({"mechanism": "custext", "group": 5})


def test_the_chosen_mechanism_tells_a_shared_name() -> None:
    own = (GradedSettings(balanced=False),)
    assert flat_settings(WordSettings(own=own))["balanced"] is True
    graded = WordSettings(mechanism="graded", own=own)
    assert flat_settings(graded)["balanced"] is False


@pytest.mark.parametrize("own", [(3,), (CusTextSettings,), (CusTextSettings(5),) * 2])
def test_own_settings_are_objects_each_once(own: tuple[object, ...]) -> None:
    with pytest.raises(ParameterError, match="own settings"):
        WordSettings(own=own)


@pytest.mark.parametrize("options", [3, ["ab", 1]])
def test_options_are_pairs(options: object) -> None:
    with pytest.raises(ParameterError, match="pairs"):
        word_settings({"options": options})


def test_a_sub_table_of_another_mechanism_is_not_read(tmp_path: Path) -> None:
    folder = written(tmp_path, "[words]\nepsilon = 3\n[words.custext]\ngroup = 7\n")
    assert read_settings({}, folder) == WordSettings(epsilon=3)
