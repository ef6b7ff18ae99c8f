"""What an ε means on public words, and which ε has a wanted meaning."""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from publius.core.config import WordSettings, own_settings
from publius.core.errors import ParameterError
from publius.core.folded_space import space_of_law
from publius.core.json import finite_number
from publius.core.mechanism import Finite
from publius.core.rng import seeded
from publius.core.space import Space, neighbour_distance
from publius.language.frequency import public_prior
from publius.materials.words.assemble import (
    WordMechanism,
    prepare,
    resolved,
    word_embedding,
    word_mechanism,
    word_space,
)
from publius.mechanisms import prepared
from publius.mechanisms.balance import Calibrator, Progress
from publius.mechanisms.certificate import Certified
from publius.mechanisms.exponential import Exponential
from publius.mechanisms.law import Decay
from publius.mechanisms.point_law import dense_law
from publius.mechanisms.profile import profile, sample_words
from publius.mechanisms.remap import Remapped
from publius.mechanisms.syntf import TermChannel
from publius.mechanisms.utility import Split
from publius.mechanisms.word_utility import Surroundings, typical_words, word_utility
from publius.mechanisms.words.settings import ExponentialSettings
from publius.mechanisms.words.tables import cache_calibration, calibrated, whole_balls
from publius.numerics.root import rising_root
from publius.numerics.scores import as_cells
from publius.storage.cache import cache_folder

SAMPLE = 200
DRAWN_SAMPLE = 40
GOOD = 10
"""Substitutes that count as good in SynTF's utility bounds."""

QUICK_SIZE = 8_000
"""Vocabularies from this size on are searched from calibrations that are at hand; the
ε is then a little larger than the best one."""

LOWEST, HIGHEST = 1e-3, 1e4
CLOSE = 0.02
"""A share is met within this much of its log odds, half a percent at one half."""

Row = dict[str, float | None]


def _silent(_: str) -> None:
    """Discard progress messages."""


@dataclass(frozen=True, slots=True)
class Quantity:
    """A figure that a target may be given for.

    Args:
        key: Where it stands in a row.
        part: Which part of a row it belongs to: losses, hiding or moving.
        is_share: It lies between 0 and 1.
        rises: It grows with ε.
    """

    key: str
    part: str
    is_share: bool = False
    rises: bool = True

    def scale(self, value: float) -> float:
        """Return a value on the scale where it is nearly linear in log ε."""
        if self.is_share:
            value = min(max(value, 1e-9), 1 - 1e-9)
            value = math.log(value) - math.log1p(-value)
        else:
            value = math.log(max(value, 1e-12))
        return value if self.rises else -value


QUANTITIES = {
    "unchanged": Quantity("unchanged", "hiding", is_share=True),
    "near": Quantity("near_share", "moving", is_share=True),
    "cosine": Quantity("cosine", "moving", is_share=True),
    "level": Quantity("level_at_kth_neighbour", "losses"),
    "worst": Quantity("worst_loss", "losses"),
    "beta": Quantity("beta", "losses"),
    "moved": Quantity("moved", "moving", rises=False),
    "outputs": Quantity("distinct_outputs", "hiding", rises=False),
    "explanations": Quantity("explanations", "hiding", rises=False),
}


def measure(settings: WordSettings, progress: Progress = _silent) -> Row:
    """Return what one ε means: losses, deniability and movement of public words.

    Deniability speaks of evenly spread words, movement of words as frequent as the
    public prior says. With a remap, the row also says what it gained.
    """
    settings = resolved(settings)
    # With the balls of all words K_w is exact, and every calibration is faster.
    prepare(settings)
    mechanism = word_mechanism(settings, progress)
    row: Row = {}
    for part in PARTS.values():
        row |= part(mechanism, settings)
    if isinstance(mechanism, Remapped):
        plain = _movement(mechanism.inner, settings)
        for key in ("moved", "cosine", "near_share"):
            row[f"{key}_without_remap"] = plain[key]
    inner = _inner(mechanism)
    if isinstance(inner, TermChannel):
        row |= _term_figures(inner, settings)
    return row


def _inner(mechanism: WordMechanism) -> WordMechanism:
    return mechanism.inner if isinstance(mechanism, Remapped) else mechanism


def _losses(mechanism: WordMechanism, settings: WordSettings) -> Row:
    inner, guarantee = _inner(mechanism), mechanism.guarantee()
    near = neighbour_distance(space_of_law(word_space(settings)), settings.neighbours)
    return {
        "epsilon": settings.rate,
        "beta": inner.certificate.beta if isinstance(inner, Certified) else None,
        "certified_epsilon": (
            inner.certificate.epsilon if isinstance(inner, Certified) else None
        ),
        "neighbours": float(settings.neighbours),
        "kth_neighbour": near,
        "level_at_kth_neighbour": finite_number(guarantee.at(near).pure),
        "level_at_10th_neighbour": finite_number(guarantee.near_level),
        "worst_loss": finite_number(guarantee.worst_loss),
        "unknown_loss": finite_number(guarantee.landmarks.unknown_loss),
    }


def _deniability(mechanism: WordMechanism, settings: WordSettings) -> Row:
    size = word_embedding(settings).size
    ids = sample_words(size, _sample_size(mechanism))
    word_profile = profile(mechanism, ids, size, seeded(0))
    return {
        **as_cells("unchanged", word_profile.mean_unchanged()),
        "unchanged_max": float(word_profile.unchanged.max()),
        **as_cells("distinct_outputs", word_profile.mean_outputs()),
        "distinct_outputs_min": float(word_profile.outputs.min()),
        **as_cells("explanations", word_profile.mean_explanations()),
        "explanations_min": float(word_profile.explanations.min()),
        **as_cells("hartley_bits", word_profile.mean_hartley()),
        **as_cells("min_entropy_bits", word_profile.mean_min_entropy()),
        "min_entropy_bits_min": float(word_profile.min_entropy.min()),
        "words": float(len(word_profile.ids)),
        "draws_per_word": float(word_profile.n),
    }


def _sample_size(mechanism: WordMechanism) -> int:
    return SAMPLE if isinstance(mechanism, Finite) else DRAWN_SAMPLE


def _movement(mechanism: WordMechanism, settings: WordSettings) -> Row:
    embedding = word_embedding(settings)
    around = Surroundings(word_space(settings), embedding.vectors, settings.neighbours)
    prior = public_prior(embedding.vocabulary.words, settings.prior)
    ids = typical_words(prior, _sample_size(mechanism))
    utility = word_utility(mechanism, ids, around, seeded(0))
    share = utility.near_share()
    return {
        **as_cells("moved", utility.mean_moved()),
        **as_cells("cosine", utility.mean_cosine()),
        **as_cells("near_share", share),
    }


PARTS: dict[str, Callable[[WordMechanism, WordSettings], Row]] = {
    "losses": _losses,
    "hiding": _deniability,
    "moving": _movement,
}


def _term_figures(channel: TermChannel, settings: WordSettings) -> Row:
    """Return SynTF's three losses and its utility at the ten best substitutes."""
    syntf = channel.syntf
    ids = sample_words(channel.size, SAMPLE)
    ratings = syntf.ratings.rows(ids)
    good = min(GOOD, channel.size)
    threshold = np.sort(ratings, axis=1)[:, -good]
    exact = np.exp(channel.channel(ids)) * (ratings >= threshold[:, None])
    pairs = zip(ratings, threshold.tolist(), strict=True)
    splits = [Split.of(row, least, 1.0) for row, least in pairs]
    bounds = np.array([split.bounds(settings.rate) for split in splits])
    needed = np.array([split.needed(0.5) for split in splits])
    losses = syntf.losses
    return {
        "loss_naive": losses.naive,
        "loss_alternative": losses.alternative,
        "loss_tight": losses.tight,
        "terms": float(syntf.length),
        "vector_loss": losses.best * syntf.length,
        "good_substitutes": float(good),
        "good_probability": float(exact.sum(axis=1).mean()),
        "good_probability_lower": float(bounds[:, 0].mean()),
        "good_probability_upper": float(bounds[:, 1].mean()),
        "epsilon_necessary": float(np.median(needed[:, 0])),
        "epsilon_sufficient": finite_number(float(np.median(needed[:, 1]))),
    }


def find_target(
    settings: WordSettings, name: str, wanted: float, progress: Progress = _silent
) -> Row:
    """Return the row of the ε at which a quantity has the wanted value.

    Raises:
        ParameterError: The quantity does not exist, or no ε reaches the value.
    """
    if name not in QUANTITIES:
        raise ParameterError(
            f"a target is one of {', '.join(QUANTITIES)}, got {name!r}"
        )
    quantity = QUANTITIES[name]
    if not (wanted > 0 and math.isfinite(wanted)) or (
        quantity.is_share and wanted >= 1
    ):
        allowed = "lie between 0 and 1" if quantity.is_share else "be a number > 0"
        raise ParameterError(f"the target {name} must {allowed}, got {wanted:g}")
    settings = resolved(replace(settings, level=None))
    prepare(settings)
    if name == "level":
        near = neighbour_distance(
            space_of_law(word_space(settings)), settings.neighbours
        )
        settings = replace(settings, epsilon=wanted / near)
    quick = _quick_search(settings, name, wanted, progress)
    if quick is not None:
        return measure(replace(settings, epsilon=quick), progress)

    def value(log_epsilon: float) -> float:
        tried = replace(settings, epsilon=_printed(log_epsilon))
        progress(f"trying ε = {tried.epsilon:g}")
        part = PARTS[quantity.part](word_mechanism(tried, progress), tried)
        measured = part[quantity.key]
        if measured is None:
            raise ParameterError(
                f"{settings.mechanism} has no {name}; choose another target, such as "
                "unchanged=0.5"
            )
        return quantity.scale(measured) - quantity.scale(wanted)

    slack = CLOSE if quantity.is_share else CLOSE / 4
    best = _root(value, math.log(settings.rate), slack)
    return measure(replace(settings, epsilon=_printed(best)), progress)


def _printed(log_epsilon: float) -> float:
    """Return ε with four digits: what is measured is what is printed."""
    return float(f"{math.exp(log_epsilon):.4g}")


def _root(value: Callable[[float], float], start: float, slack: float) -> float:
    """Return the logarithm of a positive parameter where a rising function is 0."""
    bounds = math.log(LOWEST), math.log(HIGHEST)
    root = rising_root(value, start, slack, bounds)
    if root is None:
        raise ParameterError("no ε reaches the target")
    return root


def _quick_search(
    settings: WordSettings, name: str, wanted: float, progress: Progress
) -> float | None:
    """Find ε for a share of unchanged words from one calibration and one certificate.

    Where calibrations are at hand for several ε, the one closest to the target gives
    the weights; only its decay is varied, and what is found is certified once and
    saved, rounded up, so that the printed ε names exactly this mechanism.
    """
    plain = settings.mechanism.startswith("exponential") and settings.remap == "none"
    balanced = own_settings(settings, ExponentialSettings).balanced
    if name != "unchanged" or not plain or not balanced:
        return None
    space = word_space(settings)
    if space.size < QUICK_SIZE or space_of_law(space) is not space:
        return None
    cache = cache_folder() / "calibrations"
    law = Exponential.named(space)
    known = prepared.known_epsilons(space.id, (prepared.SHIPPED, cache), law)
    if len(known) < 2:
        return None
    ids = sample_words(space.size, SAMPLE)
    scale = QUANTITIES[name].scale

    def miss(decay: Decay) -> float:
        """Say how far a decay is from the target; it is looked at, not released."""
        log_prob = dense_law(space, decay).log_prob(ids)
        kept = np.exp(log_prob[np.arange(len(ids)), ids]).mean()
        return scale(float(kept)) - scale(wanted)

    decays = {e: calibrated(space, e)[0] for e in known}
    missed = {epsilon: miss(decay) for epsilon, decay in decays.items()}
    anchor = min(known, key=lambda epsilon: abs(missed[epsilon]))
    if abs(missed[anchor]) <= CLOSE:
        return anchor
    progress("looking for the decay")
    decay = decays[anchor]
    beta = _root(
        lambda log_beta: miss(decay.steeper(math.exp(log_beta))),
        math.log(decay.beta),
        CLOSE,
    )
    progress("certifying")
    calibrator = Calibrator.of(space, whole_balls(space, only_cached=True))
    return _save(space, calibrator, decay.steeper(math.exp(beta)))


def _save(space: Space, calibrator: Calibrator, decay: Decay) -> float:
    """Certify a decay and save it under its ε, rounded up to four digits."""
    certificate = calibrator.certify(decay)
    epsilon = math.ceil(certificate.epsilon * 1e4) / 1e4
    name = prepared.file_name(
        space.id, epsilon, balanced=True, mechanism=Exponential.named(space)
    )
    cache_calibration(name, (decay, certificate))
    return epsilon
