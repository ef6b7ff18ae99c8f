"""No law without a law test: every registered name, and the test that would catch it.

A law test compares samples with the stated law and rejects a wrong one at ALPHA. Finite
word mechanisms are compared with their channel by tests/laws/test_word_table.py too,
which runs over the table.
"""

import ast
from dataclasses import replace
from pathlib import Path

import pytest

from publius.core.config import WordSettings
from publius.core.mechanism import Finite
from publius.materials.words.assemble import WORD_MECHANISMS, word_mechanism
from publius.mechanisms import REGISTERED

TESTS = Path(__file__).parents[1]

WORDS = (
    "statistical/test_word_mechanisms.py::test_draws_follow_the_channel",
    "statistical/test_word_mechanisms.py::test_a_parameter_five_percent_off_is_rejected",
)
DIRECTIONS = ("statistical/test_directional.py::test_angle_follows_its_law",)

LAW_TESTS: dict[str, tuple[str, ...]] = {
    "cap-uniform": DIRECTIONS,
    "clipped-laplace": (
        "statistical/test_directional.py::test_clipped_angle_is_clipped_laplace",
    ),
    "custext": WORDS,
    "discrete-circular-laplace": (
        "statistical/test_directional.py::test_residues_follow_the_integer_law",
    ),
    "exponential": ("statistical/test_exponential.py::test_draws_follow_the_channel",),
    "folded-exponential": (
        "unit/mechanisms/test_folded_exponential.py::test_draws_follow_the_channel",
    ),
    "gaussian": (
        "statistical/test_gaussian.py::test_the_distance_to_the_contracted_mean_is_chi",
    ),
    "graded": WORDS,
    "laplace": ("statistical/test_laplace.py::test_radius_is_gamma",),
    "laplace-device": (
        "unit/mechanisms/test_laplace_torch.py::test_noise_has_the_law_of_laplace",
    ),
    "mahalanobis": (
        "statistical/test_word_mechanisms.py::test_whitened_radius_of_mahalanobis_is_gamma",
    ),
    "polar-laplace": DIRECTIONS,
    "projection": (
        "statistical/test_word_mechanisms.py::test_projected_radius_is_gamma_of_the_smaller_dimension",
    ),
    "purkayastha": DIRECTIONS,
    "riemannian_laplace": (
        "statistical/test_hyperbolic.py::test_riemannian_radius_is_beta",
    ),
    "santext-plus": WORDS,
    "santext": WORDS,
    "syntf": ("statistical/test_syntf.py::test_substitutes_follow_the_channel",),
    "tangent_laplace": (
        "statistical/test_hyperbolic.py::test_tangent_radius_is_gamma",
    ),
    "vmf": DIRECTIONS,
    "wrapped-laplace": DIRECTIONS,
}
"""Registered name without its version → tests that compare its samples with its law."""


def source(node: str) -> str:
    """Return the source of a test function, or nothing if there is none."""
    path, _, name = node.partition("::")
    text = (TESTS / path).read_text("utf-8")
    for found in ast.parse(text).body:
        if isinstance(found, ast.FunctionDef) and found.name == name:
            return ast.unparse(found)
    return ""


def has_power(nodes: tuple[str, ...]) -> bool:
    """Say whether tests accept the law and reject another one at the same level."""
    whole = "\n".join(source(node) for node in nodes)
    return "> ALPHA" in whole and "< ALPHA" in whole


@pytest.mark.parametrize("name", sorted(REGISTERED))
def test_every_registered_law_has_a_test_with_power(name: str) -> None:
    law = name.rpartition(".v")[0]
    assert law in LAW_TESTS, f"name the law test of {law} here"
    for node in LAW_TESTS[law]:
        assert source(node), f"there is no test {node}"
    assert has_power(LAW_TESTS[law])


def test_every_word_mechanism_without_a_channel_is_registered(tmp_path: Path) -> None:
    ball = tmp_path / "ball.txt"
    ball.write_text("dog 0.1 0.2\ncat 0.3 -0.1\nthing 0.0 0.01\n")
    for name, entry in WORD_MECHANISMS.items():
        settings = WordSettings(mechanism=name, vocabulary=30)
        if entry.metric == "hyperbolic":
            settings = replace(settings, embedding=str(ball))
        built = word_mechanism(settings)
        assert isinstance(built, Finite) or built.name in REGISTERED


@pytest.mark.parametrize(
    "nodes", [("statistical/test_laplace.py::test_nothing",), WORDS[:1]]
)
def test_a_missing_test_and_one_without_power_are_seen(nodes: tuple[str, ...]) -> None:
    assert not has_power(nodes)
