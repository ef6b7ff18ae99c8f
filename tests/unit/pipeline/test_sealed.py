"""Names on their way through an engine."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from publius.core.errors import OutputError
from publius.core.rng import RunKey
from publius.pipeline.sealed import charge_digest, seal, subject_digest, summed, unseal

KEY = RunKey.from_seed(1)
OTHER = RunKey.from_seed(2)


@given(st.one_of(st.none(), st.text(min_size=1)))
def test_what_is_sealed_is_opened_by_its_key_alone(name: str | None) -> None:
    sealed = seal(KEY, name)
    assert sealed == seal(KEY, name), "an engine groups by it"
    assert unseal(KEY, sealed) == name
    assert sealed.startswith(subject_digest(KEY, name))
    with pytest.raises(OutputError, match="not of this run"):
        unseal(OTHER, sealed)


@pytest.mark.parametrize("name", ["A. Hamilton", "\0", "", "ünï"])
def test_no_name_shows_and_lengths_hardly(name: str) -> None:
    sealed = seal(KEY, name)
    assert name.encode() not in sealed or not name.strip("\0")
    assert len(sealed) == 48
    assert sealed != seal(OTHER, name)


def test_a_changed_byte_is_noticed() -> None:
    sealed = bytearray(seal(KEY, "A. Hamilton"))
    sealed[20] ^= 1
    with pytest.raises(OutputError):
        unseal(KEY, bytes(sealed))


def test_a_charge_tells_who_and_how_much() -> None:
    costs = summed(["a", "b", "a"], [1, 2, 3])
    assert costs == {"a": 4, "b": 2}
    told = charge_digest(KEY, costs)
    assert told == charge_digest(KEY, {"b": 2, "a": 4})
    assert told != charge_digest(KEY, {"a": 2, "b": 4})
    assert told != charge_digest(OTHER, costs)
