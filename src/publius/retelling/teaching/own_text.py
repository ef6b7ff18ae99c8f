"""Text that the base model writes itself: broad, and free of anybody's rights.

It is asked for many kinds of short texts about pairs of common words, all public. What
it writes is cut into passages like any other text of the lesson.
"""

import re
from collections.abc import Sequence

from publius.core.arrays import Rng
from publius.retelling.content import DROPPED
from publius.retelling.decoder import Sampling
from publius.retelling.writer import Decoder, asked

KINDS = (
    "a post to an internet forum",
    "a question to a newsgroup",
    "an answer to somebody's question",
    "a short review of a film",
    "a review of a product",
    "an e-mail to a colleague",
    "a message to a friend",
    "a short news report",
    "a request to a help desk",
    "a page of a diary",
    "a letter to the editor",
    "an opinion that you argue for",
    "a complaint",
    "a short story",
    "some practical advice",
)
COMMONEST = 6000
"""Words of the vocabulary that a text may be asked about."""
SAMPLING = Sampling(temperature=0.8, longest=160)
_TALK = re.compile(
    r"^(here|sure|certainly|subject|title|dear)\b[^\n]*\n", re.IGNORECASE
)
_PLAIN = re.compile(r"[^A-Za-z0-9 ,.;:'\"!?()$%&/-]")


def requests(words: Sequence[str], count: int, rng: Rng) -> list[str]:
    """Return what the model is asked: a kind of text about two common words."""
    common = [
        word for word in words[:COMMONEST] if word.isalpha() and word not in DROPPED
    ]
    kinds = rng.integers(0, len(KINDS), count).tolist()
    pairs = rng.integers(0, len(common), (count, 2)).tolist()
    return [
        f"Write {KINDS[kind]} about {common[one]} and {common[other]}, in plain text."
        for kind, (one, other) in zip(kinds, pairs, strict=True)
    ]


def own_texts(
    decoder: Decoder, words: Sequence[str], count: int, rng: Rng
) -> list[str]:
    """Return texts that the model wrote, without what it says around them."""
    lines = requests(words, count, rng)
    prompts = [asked(decoder.tokenizer, line) for line in lines]
    return [_text(own) for own in decoder.write(prompts, SAMPLING, rng)]


def _text(written: str) -> str:
    if "http" in written or "www." in written:
        return ""
    lines = _TALK.sub("", written.strip()).split("\n")
    # The last sentence was cut where the pieces ended.
    plain = _PLAIN.sub(" ", " ".join(lines))
    return re.sub(r"[^.!?]*$", "", " ".join(plain.split())).strip(' "')
