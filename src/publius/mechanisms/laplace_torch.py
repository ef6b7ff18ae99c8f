"""Laplace noise on word vectors from word ids to word ids on a torch device."""

from dataclasses import dataclass, field, replace

import numpy as np
import torch
from numpy.typing import ArrayLike

from publius.core.arrays import UNKNOWN, IdArray, Rng, word_ids
from publius.core.brief import brief_mechanism
from publius.core.errors import ParameterError
from publius.core.guarantee import Guarantee
from publius.embeddings.nearest_torch import DeviceNearest
from publius.mechanisms.chacha_torch import KEY_BYTES, DeviceStream
from publius.mechanisms.grid_torch import on_grid
from publius.mechanisms.laplace import Laplace
from publius.mechanisms.nearest_word import NearestWord

NAME = "laplace-device.v1"
CHUNK = {"cuda": 1 << 17, "cpu": 1 << 10}
"""Tokens that are perturbed at a time, each run of them under a key of its own."""


@dataclass(frozen=True, slots=True, eq=False)
class DeviceWords:
    """The law of `Laplace` and the nearest word, drawn where the table is.

    Ids go to the device, and ids come back; points, and the few that are compared once
    more in doubles, never leave it before they are noisy. The key of each run of tokens
    is drawn from the host's stream, so that equal rows draw equal noise.

    Args:
        host: The same mechanism on the host: its guarantee is this one's.
        device: ``cuda``, ``cuda:1`` or ``cpu``.
    """

    __repr__ = brief_mechanism

    host: NearestWord
    device: str
    _rows: torch.Tensor = field(init=False, repr=False)
    _search: DeviceNearest = field(init=False, repr=False)

    def __post_init__(self) -> None:
        if self.device.startswith("cuda") and not torch.cuda.is_available():
            raise ParameterError(
                f"there is no {self.device!r} here; leave device out, or use a machine "
                "with a GPU"
            )
        vectors = self.host.vectors.astype(np.float64)
        # ⊥ stands in the last row: UNKNOWN is -1.
        rows = np.vstack([vectors, vectors.mean(axis=0, dtype=np.float64)])
        object.__setattr__(self, "_rows", torch.from_numpy(rows).to(self.device))
        search = DeviceNearest(self.host.vectors, self.device)
        object.__setattr__(self, "_search", search)

    @property
    def name(self) -> str:
        """Name of the law, with its order of draws."""
        return NAME

    @property
    def size(self) -> int:
        """Number of words."""
        return self.host.size

    def guarantee(self) -> Guarantee:
        """Return the guarantee of the noise, which has the law of the host's."""
        guarantee = self.host.guarantee()
        told = (
            "The device computes logarithms, sines and cosines of doubles within four "
            "units of the last place, as its maker states; this was not measured here.",
        )
        scope = guarantee.scope
        return replace(
            guarantee, scope=replace(scope, assumptions=(*scope.assumptions, *told))
        )

    def perturb(self, x: ArrayLike, rng: Rng) -> IdArray:
        """Draw a replacement for each id."""
        ids = word_ids(x, self.size)
        flat, drawn = ids.ravel(), np.empty(ids.size, dtype=np.int64)
        step = CHUNK[self.device.partition(":")[0]]
        for start in range(0, len(flat), step):
            bits = DeviceStream(rng.bytes(KEY_BYTES), self.device)
            part = torch.from_numpy(flat[start : start + step]).to(self.device)
            drawn[start : start + step] = self._search(self.points(part, bits))
        return drawn.reshape(ids.shape)

    def points(self, ids: torch.Tensor, bits: DeviceStream) -> torch.Tensor:
        """Return a noisy point on the device for each id that lies there."""
        noise = _noise(self.host)
        at = self._rows[torch.where(ids == UNKNOWN, self.size, ids)]
        scale = 1 / (noise.epsilon * noise.spacing)
        return on_grid(at, scale, noise.spacing, bits)


def device_words(host: NearestWord, device: str) -> DeviceWords:
    """Return a mechanism of Laplace noise on a device.

    Args:
        host: Laplace noise and the nearest word.
        device: Name of a torch device.
    """
    _noise(host)
    return DeviceWords(host, device)


def _noise(host: NearestWord) -> Laplace:
    if not isinstance(host.noise, Laplace):
        raise ParameterError("only Euclidean Laplace noise is drawn on a device")
    return host.noise
