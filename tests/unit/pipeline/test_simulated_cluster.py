"""Retries and speculation draw nothing twice; the former rule is seen to do so."""

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

SCRIPT = Path(__file__).parents[3] / "scripts" / "simulate_cluster.py"


@pytest.fixture(scope="module")
def cluster() -> ModuleType:
    spec = importlib.util.spec_from_file_location("simulate_cluster", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def test_nothing_is_drawn_twice_however_often_it_is_tried(
    cluster: ModuleType, seed: int
) -> None:
    told = cluster.simulated(cluster.by_rows, cluster.Faults(), 300, 20, seed)
    assert told.attempts > 300 + 5
    assert told.lost > 0
    assert told.speculative > 0
    assert (told.parts_drawn_twice, told.noises_of_two_parts) == (0, 0)
    former = cluster.simulated(cluster.by_number, cluster.Faults(), 300, 20, seed)
    assert (former.attempts, former.seconds) == (told.attempts, told.seconds)
    assert former.parts_drawn_twice > 0  # the simulation can tell
    assert former.noises_of_two_parts > 0


def test_without_a_fault_the_former_rule_was_right(cluster: ModuleType) -> None:
    calm = cluster.Faults(lost=0, slow=0, speculates=False)
    told = cluster.simulated(cluster.by_number, calm, 300, 20, 1)
    assert told.attempts == 300
    assert (told.parts_drawn_twice, told.noises_of_two_parts) == (0, 0)


def test_speculation_shortens_a_run_with_stragglers(cluster: ModuleType) -> None:
    slow = cluster.Faults(lost=0, slow=0.05, slowness=20, speculates=False)
    fast = cluster.Faults(lost=0, slow=0.05, slowness=20)
    waits = [cluster.simulated(cluster.by_rows, f, 300, 20, 1) for f in (slow, fast)]
    assert waits[1].seconds < waits[0].seconds
