"""Write the digests of words that a retelling never uses.

    python scripts/build_blocked.py [--packages FOLDER]

The words are those of the package better-profanity and their plurals, without plain
words. Digits may stand for letters in them. What the like space never writes is its own
law and is not decided here: a word freed here may be written by the language model.
"""

import argparse
from pathlib import Path

from like_lists import PLAIN_WORDS, PROFANITY, _words, member
from publius.retelling import wording

WRITTEN = frozenset({"prostitutes"})
"""Plurals that the like space writes."""
HARMLESS = frozenset(
    _words(
        "cowgirl cowgirls flange flanges foobar foobars ganja ganjas gonad gonads "
        "hoar hoars hooch hooches hookah hookahs humped jerked len lens leper "
        "lepers loins mams masochist masochists menses menstruate menstruates "
        "menstruation menstruations nappies omg omgs opiate opiates ovum ovums "
        "pasties pasty pcp pcps perversion perversions peyote peyotes prude prudes "
        "puss pusses reefer reefers sadism sadisms sadist sadists sandbar sandbars "
        "sodom sodoms souse soused souses tampon tampons teat teats testes testis "
        "tinkle tinkles titi titis undies urinal urinals valium valiums vixen "
        "vixens voyeur voyeurs wedgie wedgies willies"
    )
)
"""Words that the list holds and that offend nobody: of medicine, drugs, food, clothes,
animals, tools and music. "lens" was taken for the plural of a name that it holds."""
LIST = "better_profanity/profanity_wordlist.txt"


def plural(word: str) -> str:
    """Return the regular plural of a word, or the word where it has none."""
    if word.endswith("s") or not word.isalpha():
        return word
    if word.endswith("y") and word[-2:-1] not in "aeiou":
        return f"{word[:-1]}ies"
    return f"{word}es" if word.endswith(("ch", "sh", "x", "z")) else f"{word}s"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--packages", type=Path)
    options = parser.parse_args()
    lines = member(PROFANITY, LIST, options.packages).decode().splitlines()
    words = {line.strip().lower() for line in lines} - PLAIN_WORDS
    words = {word for word in words if word.isalnum()}
    words |= {plural(word) for word in words} - PLAIN_WORDS - WRITTEN
    words -= HARMLESS
    marks = sorted({wording.mark_of(word) for word in words})
    path = Path(wording.__file__).parent / "blocked.txt"
    path.write_text("\n".join(marks) + "\n", "ascii")
    print(f"{len(marks)} words")


if __name__ == "__main__":
    main()
