"""What a writer repeats is taken out of its text."""

import pytest

from publius.retelling.tidy import tidied


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("I ate it. I ate it. I ate it. I ate it.", "I ate it."),
        ("A bar. He went to a bar. It rained. He went to a bar!",
         "A bar. He went to a bar. It rained."),
        ("It goes on and on and on and on and on.", "It goes on and on and on."),
        ("has-he-ever-ever-ever-ever-ever-ever-been", "has-he-ever-ever-been"),
        ("page 31" + "1" * 40, "page 311"),
    ],
)  # fmt: skip
def test_what_is_repeated_is_taken_out(text: str, left: str) -> None:
    assert tidied(text) == left


@pytest.mark.parametrize(
    "text",
    [
        "",
        "A very, very good film. It cost 1,000,000,000 dollars and 1000000 cents.",
        "No, no such thing was said, and I had had enough. No. I had.",
    ],
)
def test_what_people_write_stays(text: str) -> None:
    assert tidied(text) == text
