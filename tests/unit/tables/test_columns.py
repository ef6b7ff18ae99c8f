import pytest

from publius.core.errors import DataError, ParameterError
from publius.tables.columns import Columns, resolve, shown


def test_needed_columns_come_once_and_in_order() -> None:
    asked = Columns(("text",), "user", ("stars", "user", "stars"))
    assert asked.needed == ("text", "user", "stars")


@pytest.mark.parametrize(
    "other", [Columns(("text",)), Columns(("text",), None, ("n",))]
)
def test_columns_that_are_there_are_found(other: Columns) -> None:
    assert resolve(other, ["n", "text"], ["text"]) == other


def test_the_protected_text_cannot_be_kept() -> None:
    with pytest.raises(ParameterError, match="'text' is protected"):
        Columns(("text",), keep=("text",))
    with pytest.raises(ParameterError, match="'body' is protected"):
        resolve(Columns((), subject="body"), ["id", "body"], ["body"])


def test_no_column_at_all() -> None:
    with pytest.raises(DataError, match="columns: none"):
        resolve(Columns(("text",)), [], [])


def test_a_row_read_as_names_is_not_quoted() -> None:
    listed = shown(["Alice", "a long review that somebody wrote about a hotel", "34"])
    assert listed.startswith("3, not shown")
    with pytest.raises(DataError) as caught:
        resolve(Columns(("Alise",)), ["Alice", "She wrote about a hotel.", "34"], ["x"])
    assert "Alice" not in str(caught.value)


def test_a_text_in_the_place_of_a_header_is_not_taken_for_the_name() -> None:
    with pytest.raises(DataError, match="cannot tell"):
        resolve(Columns(()), ["We met Alice in May"], ["We met Alice in May"])
    assert resolve(Columns(()), ["tweet"], ["tweet"]).protected == ("tweet",)


def test_the_unnamed_index_of_a_table_hides_no_names() -> None:
    assert shown(["", "body"]) == ", body"


def test_many_names_are_cut_short() -> None:
    assert shown([f"c{i}" for i in range(25)]).endswith("c19, and 5 more")


def test_a_column_that_is_kept_twice_is_kept_once() -> None:
    assert Columns(("body",), "user", ("id", "user", "id")).keep == ("id", "user")
