"""The table of mechanisms: complete, honest about its status, open to others."""

import json
import re
from dataclasses import dataclass, replace
from importlib.metadata import EntryPoint
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import publius as pb
from publius.cli.frame import run
from publius.core import plugins as core_plugins
from publius.core.config import WordSettings, own_settings
from publius.core.errors import ParameterError, UnknownNameError
from publius.core.guarantee import Linear
from publius.materials.places.treatment import LAWS, PlaceSettings
from publius.materials.words.assemble import word_mechanism
from publius.mechanisms import REGISTERED
from publius.mechanisms.exponential import Exponential
from publius.mechanisms.registry import About, Material
from publius.mechanisms.words import plugins as plugin_module
from publius.mechanisms.words.entry import WordEntry, WordMechanism
from publius.mechanisms.words.finite import exponential
from publius.mechanisms.words.given import flat_settings, read_settings
from publius.mechanisms.words.settings import CusTextSettings
from publius.mechanisms.words.table import WORD_MECHANISMS, word_entry
from publius.services.mechanisms import mechanisms

ROOT = Path(__file__).parents[3]
SMALL = WordSettings(vocabulary=60, mechanism="theirs")


@dataclass(frozen=True)
class Theirs:
    """Parameters of a mechanism of another package."""

    strength: float = 1.0


ENTRY = WordEntry("discrete", exponential, about=About("theirs.v1", settings=Theirs))


def registered(monkeypatch: pytest.MonkeyPatch, name: str, found: object) -> None:
    point = SimpleNamespace(
        name=name, load=lambda: found, dist=SimpleNamespace(name="their-package")
    )
    monkeypatch.setattr(core_plugins, "entry_points", lambda **_: [point])


def test_every_mechanism_has_a_card_and_a_registered_law() -> None:
    # Laws of words and places are registered by their line in a table.
    tables = (*WORD_MECHANISMS.values(), *LAWS.values())
    lines = {entry.about.law for entry in tables}
    known = {*REGISTERED, *lines, "dp-vae.v1", "retell.v3"}
    for one in mechanisms().listed:
        assert (ROOT / one.about.card).is_file(), one.name
        assert one.about.law in known, one.name
        assert re.search(r"[a-z]\.v[0-9]+$", one.about.law), one.name


def test_parameters_of_the_table_are_those_of_the_settings() -> None:
    settings = WordSettings()
    for name, entry in WORD_MECHANISMS.items():
        own = own_settings(settings, entry.about.settings)
        assert own == entry.about.settings(), name


def test_a_sub_table_sets_one_mechanism_only(tmp_path: Path) -> None:
    written = '[words]\nmechanism = "custext"\n[words.custext]\ngroup = 7\n'
    (tmp_path / "publius.toml").write_text(written)
    chosen = read_settings({}, tmp_path)
    assert own_settings(chosen, CusTextSettings).group == 7
    others = read_settings({"mechanism": "laplace"}, tmp_path)
    assert flat_settings(others)["group"] == 20


def test_a_sub_table_with_an_unknown_name_is_refused(tmp_path: Path) -> None:
    written = '[words]\nmechanism = "custext"\n[words.custext]\ngroops = 7\n'
    (tmp_path / "publius.toml").write_text(written)
    with pytest.raises(UnknownNameError, match="group"):
        word_mechanism(read_settings({"vocabulary": 60}, tmp_path))


def test_a_foreign_mechanism_says_that_nobody_certified_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    registered(monkeypatch, "theirs", ENTRY)
    built = word_mechanism(SMALL)
    assert any("not certified" in line for line in built.guarantee().scope.uncovered)
    assert any("their-package" in line for line in built.guarantee().scope.uncovered)
    status = {one.name: one.status for one in mechanisms().listed}
    assert status["theirs"] == "not certified by Publius"
    assert status["exponential"] == "certified"
    assert not isinstance(built, Exponential)


def test_the_channel_that_another_package_states_is_recomputed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    registered(monkeypatch, "theirs", ENTRY)
    ours = pb.certify(replace(SMALL, mechanism="exponential", metric="discrete"))
    stated = pb.certify(SMALL)
    # Ours adds what rounding may cost; theirs is the channel as it is written down.
    assert 0 <= ours.epsilon - stated.epsilon < 1e-6
    assert stated.certificate.worst_loss == pytest.approx(ours.certificate.worst_loss)
    assert stated.certificate.unknown_loss == pytest.approx(
        ours.certificate.unknown_loss
    )


def test_a_channel_that_loses_more_than_its_package_says_is_refuted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def boastful(*asked: Any) -> WordMechanism:
        built = ENTRY.build(*asked)
        less = replace(built.guarantee(), terms=(Linear(1.0),))
        monkeypatch.setattr(type(built), "guarantee", lambda _: less)
        return built

    registered(monkeypatch, "theirs", replace(ENTRY, build=boastful))
    with pytest.raises(pb.RefutedError, match="above 1"):
        pb.certify(SMALL)


def test_names_of_publius_cannot_be_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    registered(monkeypatch, "exponential", ENTRY)
    with pytest.raises(ParameterError, match="name that is taken"):
        word_entry("exponential")


def test_an_entry_point_must_give_an_entry(monkeypatch: pytest.MonkeyPatch) -> None:
    registered(monkeypatch, "theirs", object())
    with pytest.raises(ParameterError, match="no WordEntry"):
        word_entry("theirs")


def test_options_of_a_foreign_mechanism_reach_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    registered(monkeypatch, "theirs", ENTRY)
    written = '[words]\nmechanism = "theirs"\n[words.theirs]\nstrength = 2.5\n'
    (tmp_path / "publius.toml").write_text(written)
    assert own_settings(read_settings({}, tmp_path), Theirs) == Theirs(2.5)


def test_entry_points_are_looked_up_by_group() -> None:
    assert plugin_module.GROUP == "publius.mechanisms"
    assert EntryPoint("x", "json:dumps", plugin_module.GROUP).load()


FIELDS = {
    "name", "material", "law", "metric", "guarantee", "status", "parameters", "card",
    "package",
}  # fmt: skip


def test_the_command_tells_every_field(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["mechanisms", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)["mechanisms"]
    assert all(set(row) == FIELDS for row in rows)
    assert {row["material"] for row in rows} == {*Material}
    assert run(["mechanisms"]) == 0
    printed = capsys.readouterr().out
    for row in rows:
        assert f"name: {row['name']}\nmaterial: {row['material']}\n" in printed
        assert f"card: {row['card']}\n" in printed


def test_what_chooses_a_mechanism_is_no_parameter_of_it() -> None:
    told = {one.name: set(one.about.parameters) for one in mechanisms().listed}
    assert told["vmf"] == {"level", "radius", "points", "trajectories"}
    assert not told["discrete-circular"] & {"mechanism", "is_dropping"}


@pytest.mark.parametrize("name", ["vmf", "vmf.v1", "von-mises-fisher"])
def test_a_law_for_places_has_one_name_however_it_is_written(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert PlaceSettings(level=1, radius=200, mechanism=name).mechanism == "vmf"
    (tmp_path / "here.csv").write_text("lat,lon\n40.7,-74.0\n")
    asked = ("--radius", "500km", "--seed", "1", "-o", str(tmp_path / "out"))
    assert run(["places", str(tmp_path / "here.csv"), "--mechanism", name, *asked]) == 0
    assert "vmf.v1" in (tmp_path / "out" / "manifest.json").read_text()
    capsys.readouterr()


def test_a_law_for_places_that_there_is_not_is_refused() -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'vmf'"):
        PlaceSettings(level=1, radius=200, mechanism="vfm")
    with pytest.raises(ParameterError, match="publius places draws it"):
        word_entry("von_mises_fisher")
