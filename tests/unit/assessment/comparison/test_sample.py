"""What cannot be used is counted; what cannot be judged is refused."""

from pathlib import Path

import numpy as np
import pytest

from publius.assessment.comparison.sample import Request, make_sample, read_sample
from publius.core.errors import DataError


def _rng() -> np.random.Generator:
    return np.random.default_rng(0)


def test_exclusions_are_counted() -> None:
    sample = make_sample(
        ["a", "b", "", "c", "d", "e", "f"], ["x", "x", "x", "y", "y", "z", None], _rng()
    )
    assert sample.names == ("x", "y")
    assert dict(sample.excluded) == {
        "empty documents": 1,
        "documents without a class": 1,
        "documents of classes with one document": 1,
    }


def test_each_class_is_on_both_sides() -> None:
    sample = make_sample(list("abcdefgh"), list("xxxxyyyy"), _rng())
    known = np.bincount(sample.classes[sample.is_known])
    assert known.tolist() == [2, 2]


def test_classes_missing_from_a_side_are_left_out() -> None:
    sample = make_sample(
        list("abcdef"), list("xxyyzz"), _rng(),
        split=["train", "test", "train", "test", "train", "train"],
    )  # fmt: skip
    assert sample.names == ("x", "y")
    assert dict(sample.excluded) == {"documents of classes without test documents": 2}


def test_too_few_classes_say_why() -> None:
    with pytest.raises(DataError, match=r"1 usable class is.*2 documents of classes"):
        make_sample(list("abcd"), ["x", "x", "y", "z"], _rng())


def test_a_split_must_name_both_sides() -> None:
    with pytest.raises(DataError, match="train and test"):
        make_sample(list("ab"), list("xy"), _rng(), split=["dev", "dev"])


def test_foreign_text_is_said() -> None:
    german = "der hund und die katze sind im garten weil es dort sehr schön ist " * 3
    sample = make_sample([german] * 4, list("xxyy"), _rng())
    assert "4 of 4" in sample.notes[0]


@pytest.mark.parametrize("cell", ["0.5", "1e-3"])
def test_fractions_are_no_classes(tmp_path: Path, cell: str) -> None:
    table = tmp_path / "t.csv"
    table.write_text(f"text,score\nhello,1\nworld,{cell}\n", "utf-8")
    with pytest.raises(DataError, match="numbers with fractions"):
        read_sample(Request(str(table), "score"), _rng())


def test_released_rows_must_match(tmp_path: Path) -> None:
    table, other = tmp_path / "t.csv", tmp_path / "r.csv"
    table.write_text("text,who\na,x\nb,x\nc,y\nd,y\n", "utf-8")
    other.write_text("text\na\nb\n", "utf-8")
    with pytest.raises(DataError, match="2 rows and the original one 4"):
        read_sample(Request(str(table), "who", released=str(other)), _rng())


def test_released_column_and_file_agree(tmp_path: Path) -> None:
    table, other = tmp_path / "t.csv", tmp_path / "r.csv"
    table.write_text("text,who,z\na,x,A\nb,x,B\nc,y,C\nd,y,D\n", "utf-8")
    other.write_text("text\nA\nB\nC\nD\n", "utf-8")
    column = read_sample(Request(str(table), "who", released="z", text="text"), _rng())
    file = read_sample(
        Request(str(table), "who", released=str(other), text="text"), _rng()
    )
    assert list(column.released) == list(file.released) == ["A", "B", "C", "D"]


def test_small_classes_can_be_left_out() -> None:
    sample = make_sample(list("abcdefg"), list("xxxyyyz"), _rng(), least=3)
    assert sample.names == ("x", "y")
    assert dict(sample.excluded) == {
        "documents of classes with fewer than 3 documents": 1
    }


def test_only_the_largest_classes_are_kept_and_the_rest_is_counted() -> None:
    sample = make_sample(list("abcdefghi"), list("xxxxyyyzz"), _rng(), most=2)
    assert sample.names == ("x", "y")
    assert dict(sample.excluded) == {"documents of classes beyond the 2 largest": 2}
