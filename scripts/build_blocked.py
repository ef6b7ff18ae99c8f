"""Write the digests of words that a retelling never uses.

    python scripts/build_blocked.py [--packages FOLDER]

The words are those of the package better-profanity, without plain words.
"""

import argparse
from pathlib import Path

from like_lists import PLAIN_WORDS, PROFANITY, member
from publius.retelling import wording

LIST = "better_profanity/profanity_wordlist.txt"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--packages", type=Path)
    options = parser.parse_args()
    lines = member(PROFANITY, LIST, options.packages).decode().splitlines()
    words = {line.strip().lower() for line in lines} - PLAIN_WORDS
    marks = sorted({wording.mark_of(word) for word in words if word.isalpha()})
    path = Path(wording.__file__).parent / "blocked.txt"
    path.write_text("\n".join(marks) + "\n", "ascii")
    print(f"{len(marks)} words")


if __name__ == "__main__":
    main()
