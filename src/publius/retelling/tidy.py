"""Take out what a writer repeats: runs of words or letters, and whole sentences.

What stays is a function of the written text alone: post-processing.
"""

import re

TWICE = 2
"""So often may words stand in a row."""
LONGEST = 8
"""Words of a run that is looked for."""
LEAST_RUN = 20
"""Letters and signs of a run inside a word; shorter ones may be numbers."""
LEAST_SENTENCE = 3
"""Words of a sentence that may stand once only."""
_RUN = re.compile(r"(\S{1,12}?)\1{4,}")
_SENTENCE = re.compile(r"(?<=[.!?])\s+")
_SIGNS = re.compile(r"\W+")


def tidied(text: str) -> str:
    """Return a text without what it repeats."""
    short = _RUN.sub(_shorter, text)
    return _without_again(" ".join(_without_runs(short.split())))


def _shorter(run: re.Match[str]) -> str:
    whole = run.group()
    return whole if len(whole) < LEAST_RUN else run.group(1) * TWICE


def _without_runs(words: list[str]) -> list[str]:
    """Leave two of what stands in a row more often."""
    made: list[str] = []
    forms: list[str] = []
    for word in words:
        made.append(word)
        forms.append(_form(word))
        for size in range(1, LONGEST + 1):
            last = forms[-size:]
            before = forms[-(TWICE + 1) * size : -size]
            if before == last * TWICE:
                # The last of them stays: it may end a sentence.
                del made[-2 * size : -size], forms[-2 * size : -size]
                break
    return made


def _without_again(text: str) -> str:
    """Leave out sentences that stood before."""
    seen: set[str] = set()
    made = []
    for sentence in _SENTENCE.split(text):
        form = _form(sentence)
        if form in seen and len(form.split()) >= LEAST_SENTENCE:
            continue
        seen.add(form)
        made.append(sentence)
    return " ".join(made)


def _form(text: str) -> str:
    return _SIGNS.sub(" ", text.lower()).strip()
