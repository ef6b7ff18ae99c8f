"""Calibrations as files: decay, weights and certificate of a public space.

They depend on the public embedding alone; nothing about a protected text is in them.
"""

import io
import json
import re
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import numpy as np

from publius.core.arrays import shortest
from publius.core.errors import DataError, PubliusError
from publius.core.stating import add_up
from publius.mechanisms.certificate import Certificate
from publius.mechanisms.law import WEIGHT_LIMIT, Decay
from publius.storage.archive import Expected, open_arrays
from publius.storage.shipped import shipped_bytes

LOG_ERROR = 1e-12
"""More than the rounding of all logarithms of a certificate."""

SHIPPED = Path(__file__).parent / "shipped"

Calibration = tuple[Decay, Certificate]

LAYERED = "exponential.v1"
"""The law of the space that is shipped."""


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
    epsilons = set()
    for folder in folders:
        for path in folder.glob(f"{head}*.npz"):
            value = path.name.removeprefix(head).removesuffix(".npz")
            if re.fullmatch(r"\d+(\.\d+)?(e[-+]?\d+)?", value):
                epsilons.add(float(value))
    return sorted(epsilons)


def pack(calibration: Calibration) -> bytes:
    """Return the bytes of a calibration."""
    decay, certificate = calibration
    meta = json.dumps(certificate.to_json(), sort_keys=True).encode()
    packed = io.BytesIO()
    np.savez_compressed(
        packed, weights=decay.weights, certificate=np.frombuffer(meta, dtype=np.uint8)
    )
    return packed.getvalue()


def unpack(name: str, content: bytes, size: int) -> Calibration:
    """Return the calibration of so many words; damage raises DataError."""
    try:
        with open_arrays(Path(name), content) as arrays:
            meta = json.loads(bytes(arrays["certificate"]))
            weights = np.asarray(arrays["weights"])
            Expected("iu", (size,), 1, WEIGHT_LIMIT).check(name, weights)
            certificate = Certificate.from_json(meta)
            return Decay(certificate.beta, weights), certificate
    except PubliusError as error:
        raise DataError(f"{name} is not a calibration of {size} words") from error


def shipped(name: str, size: int) -> Calibration | None:
    """Return a calibration that comes with the package, or None.

    Raises:
        DataError: The file in the package is damaged.
    """
    path = SHIPPED / name
    if not path.is_file():
        return None
    decay, certificate = unpack(name, shipped_bytes(path), size)
    return decay, _rounded_up(certificate)


def _rounded_up(certificate: Certificate) -> Certificate:
    """Add what the shipped losses against ⊥ lack: the error of their logarithms."""
    return replace(
        certificate, unknown_loss=add_up(certificate.unknown_loss, LOG_ERROR)
    )
