"""Sanitizers and retellings by their settings, built once in every process."""

from functools import lru_cache

from publius.core.config import WordSettings
from publius.core.errors import ParameterError
from publius.materials.words.assemble import resolved, sanitizer
from publius.materials.words.sanitizer import Sanitizer
from publius.retelling.assemble import retelling_of
from publius.retelling.retelling import Retelling
from publius.retelling.settings import RetellSettings


@lru_cache(maxsize=4)
def built(settings: WordSettings) -> Sanitizer:
    """Return the sanitizer of settings; the same object for the same settings.

    Raises:
        ParameterError: The settings are those of bags or vectors.
    """
    if settings.form != "text":
        raise ParameterError(
            f"this adapter releases texts, got form {settings.form!r}; use pb.release "
            "for bags and SynTFVectorizer for vectors"
        )
    return sanitizer(resolved(settings))


@lru_cache(maxsize=2)
def built_retelling(settings: RetellSettings) -> Retelling:
    """Return the retelling of settings; the same object for the same settings."""
    return retelling_of(settings)
