"""Attack: who wrote released texts, and which words stood there?"""

from dataclasses import dataclass, field

from publius.assessment.attacks import Knowledge, Resources
from publius.assessment.comparison.assess import (
    DEFAULT_ATTACKS,
    AttackResult,
    attack_sample,
    experiment_rng,
)
from publius.assessment.comparison.inverted import (
    INVERSION,
    Inverted,
    invert_sample,
    release_settings,
)
from publius.assessment.comparison.sample import Request, Sample, read_sample
from publius.assessment.evaluation.pairs import remembering
from publius.core.config import WordSettings, check_one_of
from publius.core.html import html_table
from publius.core.watch import Watch
from publius.language.models.encoder import load_encoder
from publius.materials.words.assemble import word_embedding
from publius.services.paired import released_input
from publius.services.verb import verb
from publius.tables.formats.memory import as_input

KNOWLEDGE = {
    "both": (Knowledge.ADAPTIVE, Knowledge.STATIC),
    "adaptive": (Knowledge.ADAPTIVE,),
    "static": (Knowledge.STATIC,),
}
"""What an attacker may have learnt from: copies of releases, originals, or each."""


@dataclass(frozen=True, slots=True, eq=False)
class AttackRequest:
    """Which texts are attacked, by what.

    Args:
        table: A path, or a table in memory.
        author: Column that says who wrote a row.
        released: Column, file or folder of the released texts; the texts or the table
            themselves, or what a release returned.
        text: Column of the originals; None finds it by its name.
        attacks: Names of attacks.
        knowledge: ``both``, ``adaptive`` or ``static``.
        key: Column that tells rows of a released file apart; None goes by order.
        split: Column that says train or test; None splits each author in halves.
        least: Documents that an author must have.
        threshold: koppel: share of votes below which it does not know.
        settings: Embedding, and for inversion the mechanism.
        knows_mechanism: Inversion uses the settings' mechanism; else that of a release
            folder, if there is one.
        input_format: Where the name of the table does not tell.
        seed: Of the split and of attacks; None for a fresh one.
    """

    table: object
    author: str
    released: object
    text: str | None = None
    attacks: tuple[str, ...] = DEFAULT_ATTACKS
    knowledge: str = "both"
    key: str | None = None
    split: str | None = None
    least: int = 2
    threshold: float = 0.0
    settings: WordSettings = field(default_factory=WordSettings)
    knows_mechanism: bool = False
    input_format: str | None = None
    seed: int | None = None

    def __post_init__(self) -> None:
        check_one_of("knowledge", self.knowledge, tuple(KNOWLEDGE))


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Attacked:
    """How often every attack succeeds.

    Args:
        sample: What was attacked; holds texts.
        results: One per attack, kind of text and knowledge.
        inverted: Guessed words; None if nobody asked.
    """

    sample: Sample
    results: tuple[AttackResult, ...]
    inverted: Inverted | None = None

    def to_json(self) -> dict[str, object]:
        """Return plain values; no text."""
        rows = [result.to_json() for result in self.results]
        if self.inverted is not None:
            rows.append(self.inverted.to_json())
        sample = self.sample
        return {
            "documents": sample.size,
            "known": int(sample.is_known.sum()),
            "attacked": int((~sample.is_known).sum()),
            "candidates": len(sample.names),
            "excluded": dict(sample.excluded),
            "notes": list(sample.notes),
            "attacks": rows,
        }

    def __repr__(self) -> str:
        best = max((r.scores.accuracy.value for r in self.results
                    if r.target == "released"), default=None)  # fmt: skip
        at_best = "" if best is None else f", at best {best:.3f} of authors found"
        return f"<Attacked: {self.sample.size} documents{at_best}>"

    def _repr_html_(self) -> str:
        rows = [
            (r.attack, r.target, r.knowledge.value, r.scores.accuracy.value,
             r.scores.accuracy.low, r.scores.accuracy.high)
            for r in self.results
        ]  # fmt: skip
        names = ("attack", "target", "attacker", "accuracy", "low", "high")
        return html_table("Authors found", names, rows)


@verb(AttackRequest)
def attack(request: AttackRequest, watch: Watch) -> Attacked:
    """Attack released texts and say how often the author is found."""
    rng, settings = experiment_rng(request.seed), request.settings
    released = released_input(request.released)
    asked = Request(
        as_input(request.table),
        request.author,
        request.text,
        released,
        request.split,
        request.input_format,
        request.least,
        key=request.key,
    )
    resources = Resources(
        lambda: word_embedding(settings),
        lambda: remembering(load_encoder()),
        request.threshold,
    )
    sample = read_sample(asked, rng)
    names = [name for name in request.attacks if name != INVERSION]
    knowledge = KNOWLEDGE[request.knowledge]
    begin = watch.counted(
        len(names) * (1 + len(knowledge)) + (INVERSION in request.attacks)
    )
    results = attack_sample(
        sample,
        names,
        knowledge,
        resources,
        rng,
        progress=begin,
    )
    inverted = None
    if INVERSION in request.attacks:
        begin(INVERSION)
        known = settings if request.knows_mechanism else release_settings(released)
        inverted = invert_sample(
            sample, word_embedding(known or settings), rng, settings=known
        )
    return Attacked(sample, tuple(results), inverted)
