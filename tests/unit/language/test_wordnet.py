"""WordNet's files, read from a folder made for the purpose."""

from pathlib import Path

import pytest

from publius.core.errors import DataError
from publius.language.wordnet import WordNet

LICENCE = "  1 This line is part of the licence.\n"
INDEX = {
    "noun": [("run", 5), ("running", 2), ("saw", 1), ("house", 12), ("news", 3)],
    "verb": [("run", 20), ("see", 18), ("do", 13), ("study", 6)],
    "adj": [("fine", 4), ("good", 9), ("better", 1)],
    "adv": [("well", 5)],
}
EXCEPTIONS = {
    "noun": "",
    "verb": "running run\nsaw see\nwas be\n",
    "adj": "better good\n",
    "adv": "",
}
SETS = {
    "noun": ["03 house 0 dwelling 0 dwelling_house 0", "01 news 0"],
    "verb": ["02 run 0 Operate 0", "02 run 1 go 0"],
    "adj": ["02 fine(p) 0 good 0"],
    "adv": [],
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for part, words in INDEX.items():
        lines = [f"{w} {part[0]} 1 2 @ ~ 1 {n} 00000001  \n" for w, n in words]
        (tmp_path / f"index.{part}").write_text(LICENCE + "".join(lines))
        (tmp_path / f"{part}.exc").write_text(EXCEPTIONS[part])
        sets = [
            f"0000000{i} 00 n {row} 000 | gloss\n" for i, row in enumerate(SETS[part])
        ]
        (tmp_path / f"data.{part}").write_text(LICENCE + "".join(sets))
    return tmp_path


@pytest.mark.parametrize(
    ("word", "lemma"),
    [
        ("houses", "house"),
        ("running", "run"),
        ("saw", "see"),
        ("news", "news"),
        ("does", "do"),
        ("studies", "study"),
        ("finest", "fine"),
        ("better", "good"),
        ("was", "was"),  # "be" is in no index here
        ("us", "us"),
        ("zebra", "zebra"),
        ("", ""),
    ],
)
def test_lemma(folder: Path, word: str, lemma: str) -> None:
    assert WordNet.read(folder).lemma(word) == lemma


def test_synonyms_are_single_lower_case_words(folder: Path) -> None:
    net = WordNet.read(folder)
    assert net.synonyms("house") == {"dwelling"}
    assert net.synonyms("run") == {"operate", "go"}
    assert net.synonyms("good") == {"fine"}
    assert net.synonyms("news") == set()
    assert net.synonyms("zebra") == set()


@pytest.mark.parametrize("damage", ["missing", "short", "binary"])
def test_a_damaged_folder_is_refused(folder: Path, damage: str) -> None:
    if damage == "missing":
        (folder / "data.adv").unlink()
    else:
        broken = b"run n\n" if damage == "short" else b"run n \xff\xfe 1\n"
        (folder / "index.noun").write_bytes(broken)
    with pytest.raises(DataError, match="WordNet"):
        WordNet.read(folder)
