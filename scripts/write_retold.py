"""Write retold texts from drawn words, on a GPU where there is one.

    python scripts/write_retold.py WORK MODEL.gguf ADAPTER.safetensors [PART/PARTS]

WORK holds files of ``scripts/measure_retelling.py draw``; each becomes a file of texts
beside it, unless it is there. MODEL.gguf is what ``publius retelling get`` keeps. Needs
numpy, scipy and torch only. Randomness is NumPy's own: for measuring, not for release.
"""

import gzip
import json
import sys
import time
from pathlib import Path

import numpy as np

from bare_rooms import open_rooms

MODELS = "language.models"
ROOMS = ("core", "numerics", "language", MODELS, f"{MODELS}.causal", "retelling")
if __name__ == "__main__":
    open_rooms(["publius", *(f"publius.{room}" for room in ROOMS)])

from publius.language.models.causal.byte_pairs import BytePairs  # noqa: E402
from publius.language.models.causal.gguf import read_gguf  # noqa: E402
from publius.language.models.causal.llama import CausalModel, Shape  # noqa: E402
from publius.retelling.adapter import read_adapter  # noqa: E402
from publius.retelling.decoder import Sampling  # noqa: E402
from publius.retelling.settings import RetellSettings  # noqa: E402
from publius.retelling.torch_decoder import TorchDecoder, chosen  # noqa: E402
from publius.retelling.writer import END_OF_TEXT, END_OF_TURN, TaughtWriter  # noqa: E402

PIECES_OF_A_WORD = 5


def main(work: str, model: str, adapter: str, share: str = "0/1") -> None:
    file = read_gguf(Path(model))
    names, merges = (file.settings[f"tokenizer.ggml.{k}"] for k in ("tokens", "merges"))
    tokenizer = BytePairs(names, [tuple(pair.split(" ")) for pair in merges])
    base = CausalModel(file.weights, Shape.of(file), tokenizer, END_OF_TEXT)
    taught, mark = read_adapter(Path(adapter))
    ends = (END_OF_TEXT, END_OF_TURN, *tokenizer.encode("\n"))
    decoder = TorchDecoder(base, ends, chosen("auto"), taught)
    part, parts = map(int, share.split("/"))
    for source in sorted(Path(work).glob("*.words.json.gz"))[part::parts]:
        target = source.with_name(source.name.replace(".words.", ".texts."))
        if target.exists():
            continue
        arm, _, number = source.name.removesuffix(".words.json.gz").rpartition(".")
        order, epsilon, favour = arm.split("-")
        settings = RetellSettings(
            epsilon=float(epsilon), order=order, use_words=float(favour)
        )
        writer = TaughtWriter(
            decoder,
            Sampling(
                temperature=settings.temperature,
                longest=settings.passage * PIECES_OF_A_WORD,
            ),
            settings.epsilon,
            order,
            mark,
            use_words=settings.use_words,
        )
        with gzip.open(source, "rt") as lines:
            drawn: list[list[list[str]]] = json.load(lines)
        flat = [words for own in drawn for words in own]
        start = time.perf_counter()
        texts = writer.write(flat, np.random.default_rng(int(number)))
        took = time.perf_counter() - start
        pieces = sum(len(tokenizer.encode(text)) + 1 for text in texts)
        written = iter(texts)
        with gzip.open(target, "wt", compresslevel=5) as out:
            json.dump([[next(written) for _ in own] for own in drawn], out)
        told = f"{target.name}: {len(flat):,} passages, {pieces:,} tokens"
        print(f"{told}, {took:.1f} s, {pieces / took:,.0f} tokens/s", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
