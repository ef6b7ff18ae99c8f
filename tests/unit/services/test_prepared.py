"""Sanitizers are built once per settings, and few are kept."""

import numpy as np

from publius.core.config import WordSettings
from publius.core.space import HopSpace
from publius.materials.words.assemble import resolved, sanitizer, word_space
from publius.materials.words.sanitizer import Sanitizer
from publius.mechanisms.words.given import word_settings
from publius.services.prepared import Prepared


def test_equal_settings_share_a_sanitizer_and_few_are_kept() -> None:
    kept = Prepared(most=2)
    settings = [
        resolved(WordSettings(vocabulary=100, epsilon=e)) for e in (2.0, 3.0, 4.0)
    ]
    first = kept(settings[0])
    assert kept(settings[0]) is first
    kept(settings[1])
    kept(settings[2])
    assert len(kept) == 2
    assert kept(settings[0]) is not first


def test_settings_that_name_a_file_are_built_anew() -> None:
    built: list[WordSettings] = []

    def build(settings: WordSettings, _: object) -> Sanitizer:
        built.append(settings)
        return sanitizer(WordSettings(vocabulary=50))

    kept = Prepared(build)
    for _ in range(2):
        kept(word_settings({"wordnet": "somewhere"}))
        kept(WordSettings(vocabulary=60))
    assert [bool(one.own) for one in built] == [True, False, True]


def test_some_balls_are_those_of_the_space() -> None:
    space = word_space(resolved(WordSettings(vocabulary=200)))
    assert isinstance(space, HopSpace)
    every = space.balls(np.arange(200))
    some = np.array([7, 3, 150])
    np.testing.assert_array_equal(every.of(some).bounds, space.balls(some).bounds)
    np.testing.assert_array_equal(every.of(some).points, space.balls(some).points)
    assert len(every.of(some[:0]).points) == 0
