"""Checkpoints of a training: one file, written whole, refused by another training."""

import json
from dataclasses import asdict
from pathlib import Path

import numpy as np

from publius.core.errors import DataError
from publius.embeddings.poincare_pairs import Hierarchy
from publius.embeddings.poincare_training import State, TrainingPlan
from publius.storage.archive import open_arrays, pack_arrays
from publius.storage.atomic import write_bytes


def save_checkpoint(
    path: Path, state: State, plan: TrainingPlan, hierarchy: Hierarchy
) -> None:
    """Write the state of a training."""
    members = {
        "points": state.points,
        "squares": state.squares,
        "counts": state.counts,
        "epoch": np.array([state.epoch], dtype=np.int64),
        "training": np.frombuffer(_mark(plan, hierarchy), dtype=np.uint8),
    }
    write_bytes(path, pack_arrays(members))


def load_checkpoint(path: Path, plan: TrainingPlan, hierarchy: Hierarchy) -> State:
    """Read the state of this very training.

    Raises:
        DataError: The file is damaged, or of other pairs or settings.
    """
    with open_arrays(path) as members:
        mark = members["training"].tobytes()
        if mark != _mark(plan, hierarchy):
            raise DataError(
                f"{path.name} belongs to other pairs or settings; remove it or train "
                "with the settings it was made with"
            )
        return State(
            np.asarray(members["points"], dtype=np.float64),
            np.asarray(members["squares"], dtype=np.float64),
            np.asarray(members["counts"], dtype=np.int64),
            int(members["epoch"][0]),
        )


def _mark(plan: TrainingPlan, hierarchy: Hierarchy) -> bytes:
    values = {"pairs": hierarchy.fingerprint, **asdict(plan)}
    return json.dumps(values, sort_keys=True).encode()
