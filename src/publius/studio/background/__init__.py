"""Public writers whom a person is compared with: presidents and their addresses."""

import gzip
import json
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path

FILE = Path(__file__).parent / "addresses.json.gz"


@lru_cache(maxsize=1)
def public_texts() -> Mapping[str, tuple[str, ...]]:
    """Return pieces of about 300 words by writer; in the public domain."""
    read = json.loads(gzip.decompress(FILE.read_bytes()))
    return {str(name): tuple(pieces) for name, pieces in read.items()}
