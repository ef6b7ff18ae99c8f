"""Measure retelling by attackers and judges who read the releases, in three steps.

    python scripts/measure_retelling.py draw FOLDER WORK [--arms ARMS] [--draws N]
    python scripts/measure_retelling.py write WORK
    python scripts/measure_retelling.py score FOLDER WORK OUT.json [--attackers KINDS]

Drawing and scoring take ``--corpora NAMES`` where not all are wanted; WORK then holds
these alone. On a machine with a GPU ``scripts/write_retold.py`` writes.

FOLDER holds topic/ and authorship/ as scripts/measure_like.py reads them; texts are cut
to 160 words (posts to 6,000 characters). *draw* writes the released words of every text
to WORK, *write* lets the writer retell them, and *score* reads originals and
releases. An arm is order, ε, how strongly released words are favoured and, for
fewer words, how many common ones are skipped and how many are drawn at most. Attackers
are linear SVMs on words and on character 3-grams, taught on originals or on releases;
the best one counts. A third kind, neural, reads the vectors of MiniLM.
"""

import argparse
import gzip
import json
import os
import platform
import subprocess
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
from scipy.sparse import csr_matrix
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.svm import LinearSVC

from measure_like import Rows, posts, read, reviews
from publius.core.rng import seeded
from publius.embeddings.like import like_table
from publius.language.models.encoder import load_encoder
from publius.materials.words.assemble import word_embedding, word_mechanism
from publius.retelling.assemble import cut_of, word_settings, writer_of
from publius.retelling.retelling import Retelling
from publius.retelling.settings import TIDIED, RetellSettings
from publius.retelling.tidy import tidied
from publius.retelling.wording import Wording
from publius.retelling.writer import PlainWriter, share_used

AUTHORS = {
    "c50": ("c50_shared", 30, 20),
    "imdb62": ("imdb62_shared", 50, 25),
    "enron": ("pan11_enron_small", 60, 25),
    "blogs": ("blog_shared", 30, 15),
}
"""Corpus → file, known and asked texts of each author."""
WORDS, FEWEST = 160, 8
ALL = "posts,critics,c50,imdb62,enron,blogs"
Passages = list[list[list[str]]]


@dataclass(frozen=True, slots=True)
class Arm:
    """How texts are retold, as ``shuffle:3:2`` says it: order, ε and favour.

    Two numbers may follow: how many common words are skipped, and how many words are
    drawn of a text at most.
    """

    name: str

    @property
    def settings(self) -> RetellSettings:
        order, epsilon, favour, *rest = self.name.split(":")
        skipped, most = map(int, rest or (0, 0))
        return RetellSettings(
            order=order,
            epsilon=float(epsilon),
            use_words=float(favour),
            skip_common=skipped,
            most_words=most or None,
        )

    def file(self, draw: int, kind: str) -> str:
        return f"{self.name.replace(':', '-')}.{draw}.{kind}.json.gz"


def writers(folder: Path, name: str) -> Rows:
    """Return texts of every author of a corpus, cut."""
    file, *counts = AUTHORS[name]
    rows, rng = read(folder / "authorship" / f"{file}.jsonl.gz"), seeded(0)
    chosen: Rows = []
    for author in sorted({row["author"] for row in rows}):
        own = [
            row
            for row in rows
            if row["author"] == author and len(row["text"].split()) >= FEWEST
        ]
        for split, count in zip(("train", "test"), counts, strict=True):
            part = [r for r in own if (r["split"] == "train") == (split == "train")]
            for place in rng.permutation(len(part))[:count]:
                text = " ".join(part[place]["text"].split()[:WORDS])
                chosen.append({"text": text, "author": author, "split": split})
    return chosen


def corpora(folder: Path, wanted: str = ALL) -> dict[str, tuple[Rows, str]]:
    """Return rows and the label that an analyst or an attacker wants."""
    busy, everybody = posts(folder)
    critics = reviews(folder)
    tables = {
        "posts: topic": (everybody, "topic"),
        "posts: author": (busy, "author"),
        "critics: rating": (critics, "label3"),
        "critics: author": (critics, "author"),
    } | {f"{name}: author": (writers(folder, name), "author") for name in AUTHORS}
    names = set(wanted.split(","))
    return {k: v for k, v in tables.items() if k.partition(":")[0] in names}


def distinct(tables: dict[str, tuple[Rows, str]]) -> list[str]:
    """Return every text once, in the order of the tables."""
    return list(dict.fromkeys(r["text"] for rows, _ in tables.values() for r in rows))


def save(path: Path, made: object) -> None:
    with gzip.open(path, "wt") as out:
        json.dump(made, out)


def load(path: Path) -> Passages:
    with gzip.open(path, "rt") as lines:
        made: Passages = json.load(lines)
        return made


def draw(asked: argparse.Namespace) -> None:
    """Write the released words of every text, for each arm and draw."""
    texts = distinct(corpora(asked.folder, asked.corpora))
    asked.work.mkdir(parents=True, exist_ok=True)
    for arm in map(Arm, asked.arms.split(",")):
        settings = arm.settings
        words = word_settings(settings)
        embedding, cut = word_embedding(words), cut_of(settings)
        # Draws know nothing of who will write.
        nobody: PlainWriter = None  # type: ignore[assignment]
        retelling = Retelling(
            embedding, like_table(embedding), word_mechanism(words), nobody, cut
        )  # type: ignore[arg-type]
        for number in range(asked.draws):
            made = retelling.draw(texts, seeded(1000 + number))
            save(asked.work / arm.file(number, "words"), made)
        print(arm.name, flush=True)


def seen_by(
    kind: str, taught: list[str], asked: list[str]
) -> tuple[csr_matrix | np.ndarray, csr_matrix | np.ndarray]:
    """Return what a kind of attacker sees of texts: rows of numbers."""
    if kind == "neural":
        encode = load_encoder()
        return encode(taught), encode(asked)
    maker: Callable[..., TfidfVectorizer] = TfidfVectorizer
    table = maker(sublinear_tf=True, min_df=2)
    if kind == "char":
        table = maker(analyzer="char", ngram_range=(3, 3), sublinear_tf=True, min_df=2)
    return table.fit_transform(taught), table.transform(asked)


def write(asked: argparse.Namespace) -> None:
    """Let the writer of this machine retell what was drawn and is not written yet."""
    for source in sorted(asked.work.glob("*.words.json.gz")):
        target = source.with_name(source.name.replace(".words.", ".texts."))
        if target.exists():
            continue
        arm, _, number = source.name.removesuffix(".words.json.gz").rpartition(".")
        writer = writer_of(Arm(arm.replace("-", ":")).settings)
        drawn = load(source)
        flat = [words for own in drawn for words in own]
        written = iter(writer.write(flat, seeded(int(number))))
        save(target, [[next(written) for _ in own] for own in drawn])
        print(target.name, f"{len(flat):,} passages", flush=True)


def accuracy(
    rows: Rows, texts: dict[str, list[str]], label: str, kinds: Sequence[str]
) -> dict[str, object]:
    """Return the best attacker's accuracy with its 95 % interval, and all of them."""
    known = [i for i, row in enumerate(rows) if row["split"] == "train"]
    asked = [i for i, row in enumerate(rows) if row["split"] != "train"]
    wanted = np.array([str(rows[i][label]) for i in asked])
    scores: dict[str, float] = {}
    for name, source in texts.items():
        for kind in kinds:
            released = [texts["released"][i] for i in asked]
            taught, seen = seen_by(kind, [source[i] for i in known], released)
            model = LinearSVC().fit(taught, [str(rows[i][label]) for i in known])
            guess = model.predict(seen)
            scores[f"{kind}-{name}"] = round(float((guess == wanted).mean()), 4)
    best = max(scores.values())
    half = 1.96 * np.sqrt(best * (1 - best) / len(asked))
    return {
        "value": best,
        "low": round(best - half, 4),
        "high": round(best + half, 4),
        "n": len(asked),
        "attackers": scores,
    }


def score(asked: argparse.Namespace) -> None:
    """Attack originals, drawn words and retold texts, and write every figure."""
    tables = corpora(asked.folder, asked.corpora)
    texts = distinct(tables)
    wording = _wording()
    made: dict[str, object] = about() | {"arms": {}}
    arms: dict[str, object] = made["arms"]  # type: ignore[assignment]
    sources = {"untouched": texts}
    for path in sorted(asked.work.glob("*.texts.json.gz")):
        name = path.name.removesuffix(".texts.json.gz")
        written = load(path)
        sources[name] = [" ".join(map(wording.allowed, own)) for own in written]
        arm, _, _ = name.rpartition(".")
        if Arm(arm.replace("-", ":")).settings.law == TIDIED:
            sources[name] = [wording.allowed(tidied(own)) for own in sources[name]]
        drawn = load(path.with_name(f"{name}.words.json.gz"))
        pairs = [
            (words, text)
            for own, passages in zip(drawn, written, strict=True)
            for words, text in zip(own, passages, strict=True)
        ]
        used = np.array([share_used(words, text) for words, text in pairs])
        arms[name] = {"used": [round(float(used.mean()), 4), len(used)]}
    for name, released in sources.items():
        own = dict(zip(texts, released, strict=True))
        figures: dict[str, object] = arms.setdefault(name, {})  # type: ignore[assignment]
        for table, (rows, label) in tables.items():
            before = [row["text"] for row in rows]
            after = {"released": [own[text] for text in before]}
            if name != "untouched":
                after["original"] = before
            kinds = asked.attackers.split(",") if label == "author" else ["word"]
            figures[table] = accuracy(rows, after, label, kinds)
            print(name, table, figures[table], flush=True)
        asked.out.write_text(json.dumps(made, indent=1) + "\n")


def _wording() -> Wording:
    embedding = word_embedding(word_settings(RetellSettings()))
    return Wording(embedding.vocabulary, like_table(embedding))


def about() -> dict[str, object]:
    """Return when, where and on which commit this was measured."""
    commit = subprocess.run(
        ["git", "rev-parse", "--short=12", "HEAD"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout.strip()
    return {
        "commit": commit,
        "date": datetime.now(tz=UTC).date().isoformat(),
        "machine": f"{platform.machine()}, {os.cpu_count()} cores",
    }


def main() -> None:
    parser = argparse.ArgumentParser()
    steps = parser.add_subparsers(required=True)
    drawing = steps.add_parser("draw")
    drawing.add_argument("folder", type=Path)
    drawing.add_argument("work", type=Path)
    drawing.add_argument("--arms", default="shuffle:3:2,shuffle:4:2")
    drawing.add_argument("--draws", type=int, default=1)
    drawing.set_defaults(step=draw)
    writing = steps.add_parser("write")
    writing.add_argument("work", type=Path)
    writing.set_defaults(step=write)
    scoring = steps.add_parser("score")
    scoring.add_argument("folder", type=Path)
    scoring.add_argument("work", type=Path)
    scoring.add_argument("out", type=Path)
    scoring.add_argument("--attackers", default="word,char")
    scoring.set_defaults(step=score)
    for step in (drawing, scoring):
        step.add_argument("--corpora", default=ALL)
    asked = parser.parse_args()
    asked.step(asked)


if __name__ == "__main__":
    main()
