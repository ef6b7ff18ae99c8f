"""Names that differ only in case, blanks or Unicode form."""

import pytest

from publius.accounting.names import alike, fold, spelled


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Ann Lee", "ANN lee"),
        ("Ann Lee", " Ann\u00a0 Lee "),
        ("Zo\u00eb", "Zoe\u0308"),
        ("Stra\u00dfe", "STRASSE"),
        ("Ann", "\uff21nn"),
        ("Ann", "A\u200bnn"),
    ],
)
def test_forms_of_one_name_are_alike(one: str, other: str) -> None:
    assert fold(one) == fold(other)
    assert alike([one, other, one]) == [[one, other]]


@pytest.mark.parametrize(("one", "other"), [("Ann", "Anne"), ("Zoe", "Zo\u00eb")])
def test_different_names_are_not(one: str, other: str) -> None:
    assert alike([one, other]) == []


def test_counts_are_added_under_the_oldest_spelling() -> None:
    given = {"ANN": 1, "ann": 2, "Bob": 3, None: 4, "bob ": 5}
    assert spelled(given, ["Ann"]) == {"Ann": 3, "Bob": 8, None: 4}
