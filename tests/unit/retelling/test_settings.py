"""Options of the command become settings of a retelling."""

import pytest

from publius.cli.retell_options import FIXED_WORDS, retell_settings
from publius.core.errors import ParameterError
from publius.retelling.settings import RetellSettings, under
from publius.retelling.treatment import RetellTreatment

NONE = dict.fromkeys(
    ("order", "words", "most_words", "skip_common", "adapter", "candidates",
     "use_words", "server", "server_model", "local_model", "allow_remote", "epsilon",
     "length")
)  # fmt: skip


def test_a_fixed_length_hides_how_many_words_there_are() -> None:
    made = retell_settings(NONE | {"mechanism": "retell", "length": "fixed"})
    assert made is not None
    assert made.words == FIXED_WORDS
    chosen = {"mechanism": "retell", "length": "fixed", "words": 20}
    own = retell_settings(NONE | chosen)
    assert own is not None
    assert own.words == 20


def test_the_own_length_is_the_default() -> None:
    made = retell_settings(NONE | {"mechanism": "retell", "length": "as-is"})
    assert made == retell_settings(NONE | {"mechanism": "retell"})
    assert made is not None
    assert made.words is None


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        ({"mechanism": "exponential", "length": "fixed"}, "is for --mechanism retell"),
        ({"mechanism": "retell", "length": "as-is", "words": 9}, "exclude each other"),
        ({"mechanism": "retell", "length": 100}, "--words 100 retells"),
        ({"mechanism": "exponential", "candidates": 2}, "is for --mechanism retell"),
        ({"mechanism": "exponential", "skip_common": 9}, "is for --mechanism retell"),
        ({"mechanism": "retell", "most_words": 9, "words": 9}, "leave out most_words"),
        ({"mechanism": "retell.v2", "use_words": 0.0}, "a strength above 0"),
        ({"mechanism": "retell", "use_words": -1.0}, "use_words"),
        (
            {"mechanism": "retell", "use_words": 1.0, "adapter": "none"},
            "for the taught writer",
        ),
        (
            {"mechanism": "retell", "use_words": 2.0, "server": "http://localhost:1"},
            "for the taught writer",
        ),
        (
            {"mechanism": "retell", "local_model": "a", "adapter": "none"},
            "one model writes",
        ),
    ],
)
def test_what_does_not_fit_is_refused(flags: dict[str, object], said: str) -> None:
    with pytest.raises(ParameterError, match=said):
        retell_settings(NONE | flags)


@pytest.mark.parametrize(
    ("flags", "law"),
    [
        ({"mechanism": "retell"}, "retell.v3"),
        ({"mechanism": "retell.v3"}, "retell.v3"),
        ({"mechanism": "retell.v2"}, "retell.v2"),
        ({"mechanism": "retell.v1"}, "retell.v1"),
        ({"mechanism": "retell", "use_words": 0.0}, "retell.v1"),
        ({"mechanism": "retell", "server": "http://localhost:1"}, "retell.v1"),
        ({"mechanism": "retell", "adapter": "none"}, "retell.v1"),
        ({"mechanism": "retell", "local_model": "folder"}, "retell.v1"),
    ],
)
def test_the_name_of_a_law_says_whether_words_are_favoured(
    flags: dict[str, object], law: str
) -> None:
    made = retell_settings(NONE | flags)
    assert made is not None
    assert made.law == law


def test_earlier_laws_draw_with_a_seed_what_they_drew() -> None:
    jobs = {
        name: RetellTreatment.of(under(RetellSettings(), name), resumes=False).job()
        for name in ("retell.v1", "retell.v2", "retell.v3")
    }
    told = {name: "tidy" in str(job) for name, job in jobs.items()}
    assert told == {"retell.v1": False, "retell.v2": False, "retell.v3": True}


def test_a_job_names_fewer_words_only_where_they_were_asked_for() -> None:
    plain, fewer = (
        RetellTreatment.of(settings, resumes=False).job()["settings"]
        for settings in (
            RetellSettings(),
            RetellSettings(most_words=24, skip_common=2000),
        )
    )
    assert isinstance(plain, dict)
    assert isinstance(fewer, dict)
    assert not {"most_words", "skip_common"} & set(plain)
    assert (fewer["most_words"], fewer["skip_common"]) == (24, 2000)
