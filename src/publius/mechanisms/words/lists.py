"""Lists of words that settings name: a run keeps to what stood in them."""

import hashlib

from publius.core.config import WordSettings
from publius.mechanisms.words.block import list_content
from publius.mechanisms.words.given import flat_settings


def digests_of_lists(settings: WordSettings) -> dict[str, str]:
    """Return a hash of each list of words that the settings name."""
    sensitive = str(flat_settings(settings)["sensitive_words"])
    named = {"block": settings.block, "sensitive_words": sensitive}
    return {
        name: hashlib.sha256(list_content(path).encode()).hexdigest()
        for name, path in named.items()
        if path
    }
