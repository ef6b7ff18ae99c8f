"""Reports hold the command that would make them again, and no name of the owner's."""

import re
from collections.abc import Callable
from dataclasses import replace
from html import unescape
from pathlib import Path
from shlex import split
from typing import Any

import pytest

from publius.cli import release_command, table_options
from publius.core.errors import ParameterError
from publius.pipeline.release import treatment_of
from publius.pipeline.request import ReleaseRequest
from publius.pipeline.typed import Asked, Names

Command = Callable[..., Any]
WORDS = "body,user,topic\nthe people of the world,ann,a\nthe people said,bob,b\n"
TYPED = [
    ("release", "secret-in.csv"),
    ("release", "secret-in.csv", "--text", "body", "--author", "user", "--limit", 1),
    ("release", "secret-in.csv", "--level", 3, "--as", "bag"),
    ("release", "secret-in.csv", "--plain", "--metric", "hop", "--keep", "topic,user"),
    ("release", "secret-in.csv", "--mechanism", "custext", "--set", "group=7"),
    ("release", "secret-in.csv", "--as", "tf", "--overlap", 1, "--length", 9),
    ("release", "secret-in.csv", "--set", "collocations=false", "--vocabulary", 60),
    ("release", "secret-in.csv", "--block", "secret-list.txt", "--repeats", "1,9"),
    ("release", "secret-in.csv", "--mechanism", "dp-vae", "--sentences", 3),
    ("release", "secret-in.csv", "--mechanism", "dp-vae", "--epsilon", 1e-5),
    ("release", "secret-in.csv", "--mechanism", "retell", "--order", "keep"),
    ("release", "secret-in.csv", "--mechanism", "retell", "--set", "passage=8"),
    ("release", "secret-in.csv", "--mechanism", "retell", "--set", "tidy=false"),
    ("release", "secret-in.csv", "--mechanism", "retell", "--local-model", "secret-m"),
    ("release", "secret-in.csv", "--ledger", "secret.db", "--budget", 50000),
    ("release", "secret-in.csv", "--encoding", "latin-1", "--delimiter", r"\t"),
    ("times", "secret-in.csv", "--column", "wake", "--period", "week", "--local"),
    ("times", "secret-in.csv", "--column", "wake", "--unit", "h", "--missing", "drop"),
    ("places", "secret-in.csv", "--radius", "1.5km", "--mechanism", "vmf"),
    ("places", "secret-in.csv", "--user", "user", "--trajectories", 4),
    ("places", "secret-in.csv", "--points", "secret-places.csv", "--format", "csv"),
]
"""What people type; whatever must not be told is called secret."""


@pytest.fixture
def asked(
    publius: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Callable[..., ReleaseRequest[Any]]:
    """Type a command and return what the pipeline would be asked for."""
    (tmp_path / "secret-in.csv").write_text(WORDS)
    (tmp_path / "secret-list.txt").write_text("money\n")

    def typed(*words: object) -> ReleaseRequest[Any]:
        seen = []

        def stop(request: ReleaseRequest[Any], *_: object) -> None:
            seen.append(request)
            raise ParameterError("stopped before anything is drawn")

        for module in (release_command, table_options):
            monkeypatch.setattr(module, "release", stop)
        told = publius(*words)
        assert "stopped before" in told.err, told.err
        (request,) = seen
        return replace(request, settings=treatment_of(request).settings)

    return typed


@pytest.mark.parametrize("typed", TYPED, ids=lambda typed: " ".join(map(str, typed)))
def test_the_command_asks_for_the_same(
    asked: Callable[..., ReleaseRequest[Any]], typed: tuple[object, ...]
) -> None:
    request = asked(*typed, "-o", "secret-out")
    told = Asked(request).typed(is_private=True)
    again = asked(*split(told)[1:])
    assert again == request


@pytest.mark.parametrize("typed", TYPED, ids=lambda typed: " ".join(map(str, typed)))
def test_the_public_command_names_no_file_and_no_dropped_column(
    asked: Callable[..., ReleaseRequest[Any]], typed: tuple[object, ...]
) -> None:
    request = asked(*typed, "--seed", 4711, "-o", "secret-out")
    told = Asked(request).typed(is_private=False)
    assert "secret" not in told
    assert "4711" not in Asked(request).typed(is_private=True) + told
    is_kept = "user" in request.columns.keep
    assert ("user" in told.replace(",", " ").split()) == is_kept


def test_paths_are_told_by_their_last_part(
    asked: Callable[..., ReleaseRequest[Any]], tmp_path: Path
) -> None:
    folder = tmp_path / "mrs-smith"
    request = asked("release", "secret-in.csv", "-o", folder / "out")
    request = replace(request, path=str(folder / "in.csv"))
    assert "smith" not in Asked(request).typed(is_private=True)
    assert split(Asked(request).typed(is_private=True))[2] == "in.csv"


def test_a_file_that_a_setting_of_another_package_names_is_not_told() -> None:
    for path in ("/srv/mrs-smith/list.txt", r"C:\Users\mrs-smith\list.txt"):
        assert Names(is_private=False).setting("lexicon", path) == "FILE"
        assert Names(is_private=True).setting("lexicon", path) == "list.txt"


def command_in(report: Path) -> str:
    (found,) = re.findall(
        r"<code[^>]*>(publius (?!certify).*?)</code>", report.read_text()
    )
    return unescape(found)


def test_both_reports_hold_the_command(publius: Command, tmp_path: Path) -> None:
    (tmp_path / "in.csv").write_text(WORDS)
    typed = ("--vocabulary", 60, "--author", "user", "--show-examples", "-o", "out")
    assert publius("release", "in.csv", *typed).code == 0
    public = command_in(tmp_path / "out" / "report.html")
    private = command_in(tmp_path / "out" / "report-private.html")
    assert public.startswith("publius release INPUT --text body --author COLUMN ")
    assert private.startswith("publius release in.csv --text body --author user ")
    assert public.endswith("--vocabulary 60 -o OUT")
    assert private.endswith("--vocabulary 60 --show-examples -o out")


def test_a_job_is_told_as_the_command_that_it_stands_for(
    publius: Command, tmp_path: Path
) -> None:
    (tmp_path / "in.csv").write_text(WORDS)
    (tmp_path / "publius.toml").write_text(
        '[job]\ninput = "in.csv"\nout = "out"\nas = "bag"\n[words]\nvocabulary = 60\n'
    )
    assert publius("run").code == 0
    told = command_in(tmp_path / "out" / "report.html")
    assert "--as bag" in told
    assert "--vocabulary 60" in told


def test_parts_hold_the_command(publius: Command, tmp_path: Path) -> None:
    (tmp_path / "texts").mkdir()
    (tmp_path / "texts" / "a.txt").write_text("the people of the world")
    assert publius("release", "texts", "--vocabulary", 60, "-o", "out").code == 0
    told = command_in(tmp_path / "out" / "report.html")
    assert told.startswith("publius release INPUT --text text ")
