"""Every sentence that states a guarantee, written from the guarantee itself.

Reports, manifests, the command line and the README print what stands here and nothing
else about losses, so that they cannot disagree with each other or with the guarantee.
``TEMPLATES`` lists each sentence with the condition under which it is printed;
docs/reference/statements.md is made from it.
"""

import math
import re
from collections.abc import Mapping

from publius.core.config import WordSettings
from publius.core.guarantee import Guarantee, Unit
from publius.core.stating import state_bound, state_odds
from publius.reporting.recognition import recognition, settings_measured
from publius.reporting.repeated import repeated_losses
from publius.reporting.wording import TEMPLATES

PLACES = {Unit.WORD: ("texts", "text"), Unit.CORPUS_WORD: ("corpora", "corpus")}
"""Where the words of a guarantee are drawn once."""

HIGH_LEVEL = 8.0
"""Beyond e^8 ≈ 3,000 odds are hardly bounded."""

UNCHECKED = "not certified by Publius."
"""Ends the line about a guarantee of another package; bounds never stand without it."""

SMALL = 1e-9
"""A distance at which only a guarantee without any bound loses everything."""


_TWICE = re.compile(r"e\^[\d,]+( \(beyond any use\)) \((e\^[^)]+)\)")


def say(key: str, **values: str) -> str:
    """Write one sentence of the table; a factor that is a power already stands once."""
    return _TWICE.sub(r"\2\1", TEMPLATES[key].text.format(**values))


def word_statements(guarantee: Guarantee, settings: WordSettings) -> list[str]:
    """Return what is guaranteed about replaced words, or about whole texts of them."""
    unchecked = [x for x in guarantee.scope.uncovered if x.endswith(UNCHECKED)]
    if guarantee.unit is not Unit.DOCUMENT:
        bounds = [*unchecked, *_one_word(guarantee), _unknown(guarantee, settings.oov)]
        return [*bounds, *_repeated(guarantee, settings), *_slack(guarantee)]
    said = [*unchecked, *_one_text(guarantee)]
    if settings.oov == "refuse":
        said.append(say("unknown.refuse"))
    return [*said, *_slack(guarantee)]


def word_warnings(guarantee: Guarantee, mechanism: str) -> list[str]:
    """Return what must not be overlooked about replaced words."""
    if math.isinf(guarantee.worst_loss):
        return [say("warning.boundless", mechanism=mechanism)]
    is_word = guarantee.unit is not Unit.DOCUMENT
    loss = guarantee.near_level if is_word else guarantee.worst_loss
    key = "warning.near" if is_word else "warning.text"
    return [say(key, **_bounded(loss))] if loss > HIGH_LEVEL else []


def sum_warnings(
    guarantee: Guarantee, document_loss: float | None, author_loss: float | None
) -> list[str]:
    """Return what whole texts lose, where that is far more than what one word loses.

    Args:
        guarantee: Of one word or text.
        document_loss: Of the longest text; None if there is no such figure.
        author_loss: Of everything of the busiest author; None without authors.
    """
    thing = "text" if guarantee.unit is Unit.DOCUMENT else "word"
    if author_loss is not None and HIGH_LEVEL < author_loss < math.inf:
        names = {"thing": thing, "things": f"{thing}s"}
        return [say("warning.author", **names, **_bounded(author_loss))]
    is_long = document_loss is not None and HIGH_LEVEL < document_loss < math.inf
    if author_loss is None and thing == "word" and is_long:
        return [say("warning.longest", **_bounded(document_loss or 0.0))]
    return []


def writer_of_words(guarantee: Guarantee, settings: WordSettings) -> str:
    """Return how well a release of words in this form hides who wrote a text."""
    form = settings.form
    if form == "text" and settings.protect == "all":
        form = "text-all"
    if form == "bag" and settings.length > 0:
        form = "bag-fixed"
    if settings.metric == "like":
        form += "-like"
    if settings.consistent != "no":
        form += f"-consistent-{settings.consistent}"  # equal words tell more
    is_text = guarantee.unit is Unit.DOCUMENT
    is_covered = is_text and math.isfinite(guarantee.worst_loss)
    return writer(form, is_covered=is_covered)


def writer_of_sentences(sentences: int | None) -> str:
    """Return how well rewritten sentences hide who wrote a text."""
    is_text = sentences is not None
    name = "sentences-fixed" if is_text else "sentences"
    return writer(name, is_covered=is_text)


def writer(setting: str, *, is_covered: bool) -> str:
    """Return what an attack found after a release with one of the measured settings."""
    if setting not in settings_measured():
        return say("writer.unmeasured")
    measurement = recognition(setting)
    return say(
        "writer.covered" if is_covered else "writer.uncovered",
        options=measurement.options,
        released=_percent(measurement.released),
        low=_percent(measurement.low),
        high=_percent(measurement.high),
        untouched=_percent(measurement.untouched),
        chance=_percent(measurement.chance),
        date=measurement.date,
    )


def sentence_statements(
    losses: Mapping[str, float | None], delta: float, *, sentences: int | None
) -> list[str]:
    """Return what is guaranteed about rewritten sentences.

    Args:
        losses: Exact ε of a ``sentence``, of the longest ``text`` and of the busiest
            ``author``, the last one None without authors.
        delta: At which they are stated.
        sentences: Of every text; None for as many as it has.
    """
    whole = sentences is not None
    first = losses["text"] if whole else losses["sentence"]
    said = [
        say(
            "text.gaussian" if whole else "sentence.gaussian",
            epsilon=state_bound(first),
            delta=state_bound(delta),
        )
    ]
    if not whole:
        said.append(say("sentence.text", epsilon=state_bound(losses["text"])))
    if losses["author"] is not None:
        said.append(say("sentence.author", epsilon=state_bound(losses["author"])))
    return said


def record_statements(
    guarantee: Guarantee, kind: str, level: float, within: str
) -> list[str]:
    """Return what is guaranteed about one time or place.

    Args:
        guarantee: Of one record.
        kind: ``times`` or ``places``.
        level: Loss within the protection radius.
        within: The protection radius in words.
    """
    thing = kind.removesuffix("s")
    if is_boundless(guarantee):
        return [say("record.boundless", things=kind)]
    said = [
        say(
            "record.near",
            thing=thing,
            things=kind,
            within=within,
            **_bounded(level),
        )
    ]
    worst = guarantee.worst_loss
    if math.isinf(worst):
        said.append(say("record.far_boundless", things=kind))
    else:
        said.append(say("record.far", things=kind, **_bounded(worst)))
    return [*said, say("record.repeat"), *_slack(guarantee)]


def person_statements(
    kind: str, *, most: int, near: float, far: float, within: str
) -> list[str]:
    """Return what is guaranteed about all times or places of a person together.

    Args:
        kind: ``times`` or ``places``.
        most: Records of a person that leave at most.
        near: Loss where each of them moves within the protection radius.
        far: Loss between any two; infinite if there is no bound.
        within: The protection radius in words.
    """
    said = [
        say(
            "trajectory.near",
            things=kind,
            within=within,
            most=str(most),
            **_bounded(near),
        )
    ]
    if math.isfinite(far):
        said.append(say("trajectory.far", things=kind, **_bounded(far)))
    return said


def is_boundless(guarantee: Guarantee) -> bool:
    """Say whether no bound holds between any two different secrets."""
    return math.isinf(guarantee.at(min(SMALL, guarantee.landmarks.diameter)).pure)


def draws_alike(guarantee: Guarantee) -> bool:
    """Say whether equal words are drawn once."""
    return guarantee.unit in PLACES


def _one_word(guarantee: Guarantee) -> list[str]:
    kind = "equal" if draws_alike(guarantee) else "word"
    names = dict(zip(("several", "one"), PLACES.get(guarantee.unit, ()), strict=False))
    if math.isinf(guarantee.worst_loss):
        return [say(f"{kind}.boundless", **names)]
    said = [say(f"{kind}.any", **names, **_bounded(guarantee.worst_loss))]
    median, most = guarantee.near_level, guarantee.near_bound
    if most < guarantee.worst_loss:
        middle = state_bound(median)
        said.append(say("word.near", median=middle, **_bounded(most)))
    elif median < guarantee.worst_loss:
        said.append(say("word.near_median", median=state_bound(median)))
    if not math.isnan(guarantee.vector_level):
        said.append(say("word.vector", mean=state_bound(guarantee.vector_level)))
    return said


def _unknown(guarantee: Guarantee, oov: str) -> str:
    if oov != "uniform":
        return say(f"unknown.{oov}")
    loss = guarantee.landmarks.unknown_loss
    if math.isinf(loss):
        return say("unknown.boundless")
    return say("unknown.any", **_bounded(loss))


def _repeated(guarantee: Guarantee, settings: WordSettings) -> list[str]:
    """Say what a word loses that stands several times: among words with a bound."""
    if draws_alike(guarantee):
        return [say("equal.implied")]
    if math.isinf(guarantee.worst_loss):
        return [say("word.repeat_boundless")]
    listed = ", ".join(
        f"{state_bound(loss.worst)} for k = {loss.times}"
        for loss in repeated_losses(guarantee, settings)
    )
    return [say("word.repeat", listed=listed)]


def _one_text(guarantee: Guarantee) -> list[str]:
    if math.isinf(guarantee.worst_loss):
        return [say("text.boundless")]
    bounded = _bounded(guarantee.worst_loss)
    return [say("text.any", **bounded), say("text.repeat")]


def _slack(guarantee: Guarantee) -> list[str]:
    slack = guarantee.at(guarantee.landmarks.diameter).slack
    return [say("slack", slack=state_bound(slack))] if slack > 0 else []


def _bounded(loss: float) -> dict[str, str]:
    return {"factor": state_odds(loss), "loss": state_bound(loss)}


def _percent(share: float) -> str:
    return f"{100 * share:.0f}"
