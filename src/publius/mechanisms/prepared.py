"""Calibrations kept on disk: decay, weights and certificate of a public space.

They depend on the public embedding alone; nothing about a protected text is in them.
"""

import json
import os
import re
import zipfile
import zlib
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import numpy as np

from publius.core.arrays import shortest
from publius.core.errors import DataError, PubliusError
from publius.core.stating import add_up
from publius.mechanisms.certificate import Certificate
from publius.mechanisms.law import Decay

LOG_ERROR = 1e-12
"""More than the rounding of all logarithms of a certificate."""

SHIPPED = Path(__file__).parent / "shipped"

Calibration = tuple[Decay, Certificate]

LAYERED = "exponential.v1"
"""The law of the space that is shipped."""

DAMAGES = (
    OSError,
    EOFError,
    KeyError,
    TypeError,
    ValueError,
    NotImplementedError,
    zipfile.BadZipFile,
    zlib.error,
)
"""What reading a file that is no calibration, or no longer one, may raise."""


def file_name(
    space_id: str,
    epsilon: float,
    *,
    balanced: bool,
    mechanism: str = LAYERED,
) -> str:
    """Return the file of a calibration."""
    space = re.sub(r"[^\w.=@-]+", "-", space_id)
    kind = "balanced" if balanced else "plain"
    return f"{mechanism}_{space}_{kind}_{shortest(epsilon)}.npz"


def known_epsilons(
    space_id: str, folders: Iterable[Path], mechanism: str = LAYERED
) -> list[float]:
    """Return every ε for which a balanced calibration of a space is at hand."""
    pattern = file_name(space_id, 1.0, balanced=True, mechanism=mechanism)
    head = pattern.removesuffix("1.npz")
    found = set()
    for folder in folders:
        for path in folder.glob(f"{head}*.npz"):
            value = path.name.removeprefix(head).removesuffix(".npz")
            if re.fullmatch(r"\d+(\.\d+)?(e[-+]?\d+)?", value):
                found.add(float(value))
    return sorted(found)


def save(folder: Path, name: str, calibration: Calibration) -> None:
    """Write a calibration atomically."""
    decay, certificate = calibration
    folder.mkdir(parents=True, exist_ok=True)
    partial = folder / f".{name}.{os.getpid()}"
    meta = json.dumps(certificate.to_json(), sort_keys=True).encode()
    try:
        with partial.open("wb") as file:
            np.savez_compressed(
                file,
                weights=decay.weights,
                certificate=np.frombuffer(meta, dtype=np.uint8),
            )
        partial.replace(folder / name)
    finally:
        partial.unlink(missing_ok=True)


def load(path: Path) -> Calibration:
    """Read a calibration; a damaged file raises DataError."""
    try:
        # np.load would not close a file of its own that is no archive.
        with path.open("rb") as file, np.load(file, allow_pickle=False) as arrays:
            meta = json.loads(bytes(arrays["certificate"]))
            certificate = Certificate.from_json(meta)
            return Decay(certificate.beta, arrays["weights"]), certificate
    except DAMAGES as error:
        raise DataError(f"{path.name} is not a calibration") from error


def _rounded_up(certificate: Certificate) -> Certificate:
    """Add what the shipped losses against ⊥ lack: the error of their logarithms."""
    return replace(
        certificate, unknown_loss=add_up(certificate.unknown_loss, LOG_ERROR)
    )


def find(name: str, size: int, folders: Iterable[Path]) -> Calibration | None:
    """Return the first readable calibration of that name, or None."""
    for folder in folders:
        path = folder / name
        if not path.is_file():
            continue
        try:
            decay, certificate = load(path)
            if folder == SHIPPED:
                certificate = _rounded_up(certificate)
            return decay.checked(size), certificate
        except PubliusError:
            continue  # a damaged cache entry is calibrated again
    return None
