"""How publius audit tells two texts apart."""

import math
from dataclasses import fields
from pathlib import Path
from typing import Any

from publius.assessment.auditing import Plan
from publius.assessment.auditing.text_events import TEXT_PLAN, TextAudit
from publius.assessment.auditing.texts import AnySettings
from publius.cli import show
from publius.cli.sentence_options import MECHANISM
from publius.core.config import read_table
from publius.core.errors import DataError, ParameterError, RefutedError
from publius.core.stating import state_bound, state_floor
from publius.materials.sentences.settings import SentenceSettings
from publius.mechanisms.words.given import read_settings
from publius.services.audit import audit_texts


def tell_texts(
    paths: tuple[Path, Path],
    settings_path: Path | None,
    plan: Plan,
    *,
    as_json: bool,
) -> None:
    """Audit the release of two text files, and say what was found.

    Raises:
        RefutedError: More was lost than is certified.
    """
    texts = [
        read_text(path, which)
        for path, which in zip(paths, ("first", "second"), strict=True)
    ]
    settings = file_settings(settings_path)
    with show.stages() as watch:
        result = audit_texts(texts[0], texts[1], settings, plan, watch=watch)
    if as_json:
        show.as_json(result.to_json())
    else:
        for line in _lines(result):
            show.say(line)
    if result.refutes_claim:
        verdict = result.verdict
        raise RefutedError(
            f"the certified loss of {_bound(verdict.claim)} between the two texts is "
            f"refuted: it is at least {state_floor(verdict.epsilon.low, 5)}"
        )


def text_plan(draws: int | None, confidence: float) -> Plan:
    """Return the plan of an audit of texts."""
    return Plan(TEXT_PLAN.draws if draws is None else draws, confidence)


def read_text(path: Path, which: str) -> str:
    """Read a text file as it is; its name may be a text that was given in its place."""
    try:
        return path.read_bytes().decode("utf-8")
    except UnicodeDecodeError:
        raise DataError(f"the {which} of --texts is not UTF-8 text") from None
    except (OSError, ValueError):
        raise DataError(
            f"the {which} of --texts cannot be read; name two files with a text each"
        ) from None


def file_settings(path: Path | None) -> AnySettings:
    """Return the settings of a file, by default ``publius.toml`` if it is there.

    The mechanism decides: dp-vae reads the table ``[sentences]``, all others
    ``[words]``.
    """
    if path is not None and not path.is_file():
        raise DataError(f"there is no file {path.name} with settings")
    file = Path("publius.toml") if path is None else path
    words = read_table(file, "words", None)
    name = str(words.get("mechanism", "")).removesuffix(".v1")
    if name != MECHANISM:
        return read_settings({}, file)
    if len(words) > 1:
        raise ParameterError(
            f"the settings of {MECHANISM} stand in [sentences], not in [words]"
        )
    known = {field.name for field in fields(SentenceSettings)}
    chosen: dict[str, Any] = read_table(file, "sentences", known)
    return SentenceSettings(**chosen)


def _lines(result: TextAudit) -> list[str]:
    verdict, advantage = result.verdict, result.advantage
    loss, claim = verdict.epsilon, verdict.claim
    at = f" at δ = {state_bound(result.delta)}" if result.delta else ""
    lines = [
        f"certified loss between the two texts: {_bound(claim)}{at}",
        f"shown: at least {state_floor(loss.low, 5)} (estimate {loss.value:.6g}); "
        f"the {loss.n} releases of the test can show {result.reach:.4g} at most",
        f"advantage of the best test: {advantage.value:.4g}, between "
        f"{advantage.low:.4g} and {advantage.high:.4g}; the claim allows "
        f"{state_bound(result.most_advantage, 4)}",
        f"confidence {loss.confidence:g} each, {verdict.searched} hypotheses",
        f"seen: {verdict.event}",
    ]
    lines += [f"note: {remark}" for remark in result.remarks]
    if result.exact is not None:
        lines.append(f"loss by the mechanism's own law: {_bound(result.exact)}")
    if not result.refutes_claim:
        lines.append(_not_refuted(claim, result.reach))
    return lines


def _not_refuted(claim: float, reach: float) -> str:
    if math.isinf(claim):
        return "nothing is claimed between these texts, so nothing can be refuted"
    if claim >= reach:
        return "not refuted; so few releases could not refute a claim of this size"
    return "not refuted, which is no proof of the claim"


def _bound(value: float) -> str:
    return "no bound" if math.isinf(value) else state_bound(value, 5)
