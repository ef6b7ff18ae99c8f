"""Writing retold texts on a processor: speed, processor seconds, memory.

python -m bench retelling        # skips without the language model or the runtime

Each number of passages is written in a process of its own, some times after a first one
that forms the tables. On a machine that others use, believe processor seconds and the
best turn.
"""

import importlib.util
import json
import resource
import subprocess
import sys
import time

from publius.core.rng import seeded
from publius.language.models.causal import has_language_model
from publius.numerics.parallel import threads_allowed
from publius.retelling.assemble import SHIPPED, writer_of
from publius.retelling.settings import RetellSettings
from publius.retelling.writer import TaughtWriter

PASSAGES = (64, 1)
TURNS = 3
WORDS = (
    "film director story acting music scene camera light character audience comedy "
    "drama plot dialogue hero villain ending village winter summer doctor teacher "
    "river mountain window garden kitchen letter secret journey danger friend family"
)


def turns(passages: int) -> dict[str, float]:
    """Write passages of 16 words; return the best turn and this process's memory."""
    writer = writer_of(RetellSettings(order="keep", device="cpu"))
    if not isinstance(writer, TaughtWriter):
        raise TypeError("the shipped adapter makes a taught writer")
    encode = writer.decoder.tokenizer.encode
    draw = seeded(0)
    words = [draw.permutation(WORDS.split())[:16].tolist() for _ in range(passages)]
    best, processor, pieces = float("inf"), float("inf"), 0
    for _ in range(TURNS):
        start, busy = time.perf_counter(), time.process_time()
        texts = writer.write(words, seeded(1))
        best = min(best, time.perf_counter() - start)
        processor = min(processor, time.process_time() - busy)
        pieces = sum(len(encode(text)) + 1 for text in texts)
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return {
        "passages": passages,
        "threads": threads_allowed(),
        "tokens": pieces,
        "tokens per second, best turn": round(pieces / best, 1),
        "processor seconds per 1,000 tokens": round(1000 * processor / pieces, 3),
        "largest memory, MB": round(memory / 1024),
    }


def main() -> None:
    """Measure and print."""
    has_runtime = importlib.util.find_spec("onnxruntime") is not None
    if not (has_runtime and has_language_model() and SHIPPED.exists()):
        print("no runtime, language model or adapter: skipped")
        return
    for passages in PASSAGES:
        told = subprocess.run(  # noqa: S603 - this very file
            [sys.executable, "-m", "bench.retelling", str(passages)],
            check=True,
            capture_output=True,
            text=True,
        )
        print(told.stdout.strip(), flush=True)


if __name__ == "__main__":
    print(json.dumps(turns(int(sys.argv[1]))))
