"""Microsoft Presidio: an operator for entities, an engine that protects the rest too.

A recogniser finds entities in the secret text itself and misses some. Replacing what it
found, by whatever operator, guarantees nothing about the text: the words around pass as
they are. `ProtectingEngine` lets nothing pass: what no operator of the caller's takes
is drawn by Publius.
"""

import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

from publius.adapters.built import built_of_texts
from publius.core.config import WordSettings
from publius.core.errors import DataError, ParameterError
from publius.core.guarantee import Guarantee, Scope
from publius.language.tokenizer import SPACES
from publius.materials.words.consistent import Consistency
from publius.mechanisms.words.given import word_settings

try:
    from presidio_anonymizer import AnonymizerEngine
    from presidio_anonymizer.entities import (
        ConflictResolutionStrategy,
        EngineResult,
        OperatorConfig,
        RecognizerResult,
    )
    from presidio_anonymizer.operators import Operator, OperatorType
except ImportError as error:
    raise ParameterError(
        "this adapter needs presidio-anonymizer: pip install 'publius[presidio]'"
    ) from error

ENTITIES_ALONE = (
    "Publius replaces the words of recognised entities only: every other word passes "
    "as it is, and a recogniser misses entities. There is no guarantee for the text; "
    "publius.adapters.presidio.ProtectingEngine protects everything."
)
REST = "PUBLIUS_REST"
"""Begins the type of the spans between entities."""

GUARD = '"'
"""Passes as it is, and keeps a stop word next to it from passing."""

LAYOUT = (
    "Which entities the recognisers found, where they stand, and what their operators "
    "write there: entities are found in the secret text itself, without noise. The "
    "guarantee compares texts in which the same entities are found at the same places "
    "and written alike, and that differ in the words between them."
)
ENTITIES = "Every word inside an entity that has an operator of its own."


class PubliusOperator(Operator):
    """Draw the words of an entity; its name is ``publius``.

    Parameters of its ``OperatorConfig`` are settings of words: ``{"epsilon": 4.0}``. It
    warns that entities alone carry no guarantee.
    """

    def operate(self, text: str = "", params: Mapping[str, Any] | None = None) -> str:
        """Return the entity with its words drawn."""
        return built_of_texts(_settings(params)).release([text]).texts[0]

    def validate(self, params: Mapping[str, Any] | None = None) -> None:
        """Refuse what is no setting; say that entities alone carry no guarantee."""
        _settings(params)
        warnings.warn(ENTITIES_ALONE, UserWarning, stacklevel=2)

    def operator_name(self) -> str:
        """Return the name under which an engine knows it."""
        return "publius"

    def operator_type(self) -> OperatorType:
        """Return that it anonymises."""
        return OperatorType.Anonymize


class ProtectingEngine:
    """Anonymise a text so that every word is drawn or taken by an operator.

    Entities whose type has an operator are given to it. Everything else, entities
    without an operator and the gaps between entities, is drawn by Publius; gaps are
    items of the result too. Without operators the result does not depend on what was
    recognised, and has the guarantee of any release.

    Args:
        settings: How words are replaced.
        operators: By type of entity; ``DEFAULT`` is for types that are not named.

    Example:
        >>> from publius.adapters.presidio import ProtectingEngine
        >>> from presidio_anonymizer.entities import OperatorConfig, RecognizerResult
        >>> phone = RecognizerResult("PHONE_NUMBER", 5, 17, 0.9)
        >>> engine = ProtectingEngine(operators={"PHONE_NUMBER": OperatorConfig("mask",
        ...     {"masking_char": "*", "chars_to_mask": 12, "from_end": False})})
        >>> engine.anonymize("Call 212-555-0199 now", [phone]).text[-16:-4]
        '************'
    """

    def __init__(
        self,
        settings: WordSettings | None = None,
        operators: Mapping[str, OperatorConfig] | None = None,
    ) -> None:
        self.settings = WordSettings() if settings is None else settings
        self.operators = dict(operators or {})
        for name in self.operators:
            if name.startswith(REST):
                raise ParameterError(f"{REST} is the name of what Publius draws")
        self._engine = AnonymizerEngine()  # type: ignore[no-untyped-call]

    def guarantee(self) -> Guarantee:
        """Return what is guaranteed about the words that Publius draws."""
        guarantee = built_of_texts(self.settings).guarantee()
        if not self.operators:
            return guarantee
        return guarantee.covering(Scope(uncovered=(LAYOUT, ENTITIES)))

    def anonymize(
        self, text: str, analyzer_results: Sequence[RecognizerResult]
    ) -> EngineResult:
        """Return the text with every word drawn or taken by an operator.

        Args:
            text: The secret.
            analyzer_results: Entities, as an analyzer returns them.
        """
        wanted = [
            RecognizerResult(one.entity_type, *_whole_words(text, one), one.score)
            for one in analyzer_results
            if one.entity_type in self.operators or "DEFAULT" in self.operators
        ]
        taken = list(_apart(text, wanted))
        gaps = list(_gaps(text, taken))
        drawn = self._gaps_drawn(text, gaps)
        rest = {f"{REST}_{place}": new for place, new in enumerate(drawn)}
        spans = [
            RecognizerResult(name, start, end, 1.0)
            for name, (start, end) in zip(rest, gaps, strict=True)
        ]
        writers = {name: _writing(new) for name, new in rest.items()}
        return self._engine.anonymize(
            text,
            [*taken, *spans],
            {**self.operators, **writers},
            ConflictResolutionStrategy.REMOVE_INTERSECTIONS,
        )

    def _gaps_drawn(self, text: str, gaps: Sequence[tuple[int, int]]) -> list[str]:
        """Draw the gaps of a text; what stands around them decides what passes."""
        guards = [_guards(text, *gap) for gap in gaps]
        drawn = self._drawn(
            [
                before + text[start:end] + after
                for (before, after), (start, end) in zip(guards, gaps, strict=True)
            ]
        )
        return [
            new[len(before) : len(new) - len(after)]
            for (before, after), new in zip(guards, drawn, strict=True)
        ]

    def _drawn(self, pieces: list[str]) -> list[str]:
        """Draw the gaps of one text in one go, so that equal words can stay equal."""
        sanitizer = built_of_texts(self.settings)
        if sanitizer.consistent is Consistency.TEXT:
            # The gaps are the corpus of this call: together they are one text.
            sanitizer = replace(sanitizer, consistent=Consistency.CORPUS)
        return sanitizer.release(pieces).texts


def _settings(params: Mapping[str, Any] | None) -> WordSettings:
    """Return the settings of words; Presidio adds the type of the entity."""
    given = {name: one for name, one in (params or {}).items() if name != "entity_type"}
    return word_settings(given)


def _whole_words(text: str, entity: RecognizerResult) -> tuple[int, int]:
    """Return where an entity begins and ends, widened to whole words.

    A piece of a word that was cut off would be taken for a word of its own, and pass
    where it happens to be a stop word.
    """
    start, end = entity.start, entity.end
    while 0 < start < len(text) and text[start - 1].isalnum() and text[start].isalnum():
        start -= 1
    while 0 < end < len(text) and text[end - 1].isalnum() and text[end].isalnum():
        end += 1
    return start, end


def _apart(
    text: str, entities: Sequence[RecognizerResult]
) -> Iterator[RecognizerResult]:
    """Yield pieces of entities that do not overlap and leave nothing of any out.

    What lies inside another entity is its; else the higher score has what two share.
    Left to Presidio, versions before 2.2.366 cut overlapping entities so that a part of
    one belonged to nobody, and passed.
    """
    for one in entities:
        if not 0 <= one.start <= one.end <= len(text):
            raise DataError("an entity lies outside the text")
    edges = sorted({edge for one in entities for edge in (one.start, one.end)})
    outer = [one for one in entities if not any(_holds(e, one) for e in entities)]
    ranked = sorted(outer, key=lambda one: (-one.score, one.start - one.end))
    held: RecognizerResult | None = None
    start = 0
    for at, end in pairwise(edges):
        owner = next((e for e in ranked if e.start <= at and end <= e.end), None)
        if owner is not held:
            if held is not None:
                yield RecognizerResult(held.entity_type, start, at, held.score)
            held, start = owner, at
    if held is not None:
        yield RecognizerResult(held.entity_type, start, edges[-1], held.score)


def _holds(outer: RecognizerResult, inner: RecognizerResult) -> bool:
    """Say whether an entity lies inside a longer one."""
    is_longer = outer.end - outer.start > inner.end - inner.start
    return is_longer and outer.start <= inner.start and inner.end <= outer.end


def _guards(text: str, start: int, end: int) -> tuple[str, str]:
    """Return what is put around a gap where no white space stands in the text.

    A stop word passes only where it stands free. Where an entity was cut off, a piece
    of "at&t" or "it:http://…" would stand free; a quotation mark keeps it from that.
    """
    before = start > 0 and text[start - 1] not in SPACES
    after = end < len(text) and text[end] not in SPACES
    return GUARD * before, GUARD * after


def _gaps(text: str, taken: Sequence[RecognizerResult]) -> Iterator[tuple[int, int]]:
    """Yield the spans that no entity takes and that hold more than white space."""
    at = 0
    for start, end in sorted((one.start, one.end) for one in taken):
        if text[at:start].strip(SPACES):
            yield at, start
        at = max(at, end)
    if text[at:].strip(SPACES):
        yield at, len(text)


def _writing(drawn: str) -> OperatorConfig:
    return OperatorConfig("custom", {"lambda": lambda _: drawn})
