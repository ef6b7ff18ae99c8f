import pytest

from publius.language.casing import Casing, apply_casing, casing_of, every_casing


@pytest.mark.parametrize(
    ("word", "casing"),
    [
        ("house", Casing.LOWER),
        ("House", Casing.TITLE),
        ("HOUSE", Casing.UPPER),
        ("A", Casing.TITLE),
        ("iPhone", Casing.LOWER),
        ("McDonald", Casing.TITLE),
        ("O'Brien", Casing.TITLE),
        ("X1", Casing.UPPER),
        ("12", Casing.LOWER),
        ("", Casing.LOWER),
        ("שלום", Casing.LOWER),
        ("👍", Casing.LOWER),
        ("Élan", Casing.TITLE),
    ],
)
def test_casing_of(word: str, casing: Casing) -> None:
    assert casing_of(word) is casing


@pytest.mark.parametrize(
    ("casing", "written"),
    [(Casing.LOWER, "élan"), (Casing.TITLE, "Élan"), (Casing.UPPER, "ÉLAN")],
)
def test_apply_casing(casing: Casing, written: str) -> None:
    assert apply_casing("élan", casing) == written
    assert casing_of(written) is casing


def test_a_list_is_written_in_every_casing() -> None:
    words = ["élan", "new york", "ŉ", "straße", "o'brien", "ﬁne", "x", "ΟΔΟΣ σ"]
    alone = [apply_casing(word, casing) for word in words for casing in Casing]
    assert list(every_casing(words)) == alone
