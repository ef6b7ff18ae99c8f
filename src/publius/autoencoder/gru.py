"""Recurrent encoder and decoder, as in the thesis."""

import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import pack_padded_sequence

from publius.autoencoder.architecture import Architecture
from publius.autoencoder.layers import Dropout

State = tuple[Tensor, ...]
"""What a decoder remembers of each row; the rows are the first axis of every part."""


class GruEncoder(nn.Module):
    """Bidirectional GRU whose last states of both directions sum up a sentence."""

    def __init__(self, shape: Architecture, rate: float) -> None:
        super().__init__()
        self.size = 2 * shape.hidden
        self.thin = Dropout(rate)
        self.recurrent = nn.GRU(
            shape.width,
            shape.hidden,
            shape.encoder_layers,
            batch_first=True,
            bidirectional=True,
        )

    def forward(self, vectors: Tensor, lengths: Tensor) -> Tensor:
        """Return one summary per row."""
        packed = pack_padded_sequence(
            self.thin(vectors), lengths.cpu(), batch_first=True, enforce_sorted=False
        )
        _, last = self.recurrent(packed)
        return torch.cat([last[-2], last[-1]], dim=-1)


class GruDecoder(nn.Module):
    """GRU that starts from the condition and sees it again at every step."""

    def __init__(self, shape: Architecture, rate: float) -> None:
        super().__init__()
        self.layers, self.hidden = shape.decoder_layers, shape.hidden
        self.first = nn.Linear(shape.condition, self.layers * self.hidden)
        self.thin = Dropout(rate)
        self.recurrent = nn.GRU(
            shape.width + shape.condition, self.hidden, self.layers, batch_first=True
        )
        self.last = nn.Linear(self.hidden + shape.condition, shape.width)

    def start(self, condition: Tensor) -> State:
        """Return the state before the first step."""
        memory = torch.tanh(self.first(condition))
        return memory.reshape(len(condition), self.layers, self.hidden), condition

    def advance(self, vectors: Tensor, state: State) -> tuple[Tensor, State]:
        """Read some more vectors; return an output for each of them."""
        memory, condition = state
        seen = condition[:, None].expand(-1, vectors.shape[1], -1)
        joined = torch.cat([self.thin(vectors), seen], dim=-1)
        out, memory = self.recurrent(joined, memory.transpose(0, 1).contiguous())
        out = self.last(torch.cat([self.thin(out), seen], dim=-1))
        return out, (memory.transpose(0, 1), condition)
