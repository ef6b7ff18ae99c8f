"""File names of tables that depend on public things only."""

import json
from dataclasses import asdict

from publius.core.config import WordSettings
from publius.core.space import fingerprint
from publius.embeddings.embedding import Embedding


def cache_key(settings: WordSettings, embedding: Embedding, extra: str) -> str:
    """Return a file name for a table that depends on public things only."""
    handled = {
        name: value
        for name, value in asdict(settings).items()
        if name
        not in (
            "oov",
            "protect",
            "collocations",
            "function_words",
            "form",
            "length",
            "remap",
        )
    }
    text = json.dumps(handled, sort_keys=True, default=float)
    return fingerprint(text, embedding.fingerprint, extra)
