"""Sanitizers and retellings by their settings, built once in every process."""

from functools import lru_cache

from publius.core.config import WordSettings
from publius.core.errors import ParameterError
from publius.materials.words.assemble import resolved, sanitizer
from publius.materials.words.consistent import Consistency
from publius.materials.words.sanitizer import Sanitizer
from publius.mechanisms.words.lists import digests_of_lists
from publius.retelling.assemble import retelling_of, word_settings
from publius.retelling.retelling import Retelling
from publius.retelling.settings import RetellSettings

Lists = tuple[tuple[str, str], ...]


def built(settings: WordSettings) -> Sanitizer:
    """Return the sanitizer of settings; the same object for the same settings.

    A list of words whose content changed gives another one.

    Raises:
        ParameterError: The settings are those of bags or vectors.
    """
    if settings.form != "text":
        raise ParameterError(
            f"this adapter releases texts, got form {settings.form!r}; use pb.release "
            "for bags and SynTFVectorizer for vectors"
        )
    return _built(settings, lists_of(settings))


def built_of_texts(settings: WordSettings) -> Sanitizer:
    """Return the same for a host that hands over a few texts at a time.

    Raises:
        ParameterError: Equal words of all texts are to be drawn once.
    """
    if settings.consistent == Consistency.CORPUS:
        raise ParameterError(
            'consistent="corpus" needs all texts at once, and here every call would be '
            'a corpus of its own; use consistent="text", or pb.release for the whole'
        )
    return built(settings)


def lists_of(settings: WordSettings) -> Lists:
    """Return the names of the lists of words that settings name, and their digests."""
    return tuple(sorted(digests_of_lists(settings).items()))


@lru_cache(maxsize=4)
def _built(settings: WordSettings, _lists: Lists) -> Sanitizer:
    return sanitizer(resolved(settings))


def built_retelling(settings: RetellSettings) -> Retelling:
    """Return the retelling of settings; the same object for the same settings.

    A list of words whose content changed gives another one.
    """
    return _retelling(settings, lists_of(word_settings(settings)))


@lru_cache(maxsize=2)
def _retelling(settings: RetellSettings, _lists: Lists) -> Retelling:
    return retelling_of(settings)
