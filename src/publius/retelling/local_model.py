"""Write by any language model in a folder of this machine, read by `transformers`.

Nothing is fetched, no code that comes with a model runs, and weights are safetensors.
A passage is written by itself: what is written is a function of its own words and its
own row of random numbers, which are the release's.
"""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

# Read when `transformers` is loaded: whatever a model's settings name, nothing is
# looked for elsewhere.
os.environ.setdefault("HF_HUB_OFFLINE", "1")

import numpy as np
import torch
import transformers

from publius.core.arrays import FloatArray, IdArray, Rng
from publius.core.errors import DataError
from publius.language.models.causal.gguf import Array
from publius.retelling.block_list import BlockList, plain
from publius.retelling.decoder import PIECES, Sampling, drawn_among, likeliest
from publius.retelling.prompt import plain_prompt
from publius.retelling.torch_decoder import chosen
from publius.retelling.writer import best_of


@dataclass(frozen=True, slots=True, eq=False)
class LocalModel:
    """A model that is ready to write.

    Args:
        network: Gives scores of the next piece.
        tokenizer: Its own.
        ends: Pieces that end an answer.
        device: cpu or cuda.
        name: Of its folder, without the folders above.
    """

    network: Any
    tokenizer: Any
    ends: tuple[int, ...]
    device: str
    name: str

    def prompt(self, words: Sequence[str], order: str) -> list[int]:
        """Return the request for a passage, as a turn of a talk where it can talk."""
        text = plain_prompt(words, order)
        if not getattr(self.tokenizer, "chat_template", None):
            return list(self.tokenizer(f"{text}\nText:")["input_ids"])
        turn = [{"role": "user", "content": text}]
        whole = self.tokenizer.apply_chat_template(
            turn, tokenize=False, add_generation_prompt=True
        )
        # The template has written what begins a text already.
        return list(self.tokenizer(whole, add_special_tokens=False)["input_ids"])

    @torch.inference_mode()
    def continued(
        self, prompt: Sequence[int], chance: FloatArray, sampling: Sampling
    ) -> list[int]:
        """Return the pieces after a prompt, by one random number for each."""
        pieces, memory, drawn = list(prompt), None, list[int]()
        for number in chance:
            made = self.network(
                input_ids=torch.tensor([pieces], device=self.device),
                past_key_values=memory,
                use_cache=True,
            )
            scores = made.logits[:, -1].float().cpu().numpy()
            best, value = likeliest(scores)
            if sampling.blocked is not None:
                best, value = self._allowed(best, value, drawn, sampling.blocked)
            piece = int(drawn_among(best, value, np.array([number]), sampling)[0])
            if piece in self.ends:
                break
            drawn.append(piece)
            pieces, memory = [piece], made.past_key_values
        return drawn

    def _allowed(
        self, best: IdArray, value: Array, drawn: list[int], blocked: BlockList
    ) -> tuple[IdArray, Array]:
        """Return likely pieces without those after which a blocked word would stand."""
        decode = self.tokenizer.decode
        before = len(list(blocked.spans(plain(decode(drawn)))))
        kept = [
            piece in self.ends
            or len(list(blocked.spans(plain(decode([*drawn, piece]))))) <= before
            for piece in best[0].tolist()
        ]
        return (best[:, kept], value[:, kept]) if any(kept) else (best, value)


@dataclass(frozen=True, slots=True, eq=False)
class LocalWriter:
    """Ask a model of the owner in plain English.

    Args:
        model: The model.
        sampling: How pieces are drawn.
        order: Of the words.
        candidates: Texts that are written of each passage.
    """

    model: LocalModel
    sampling: Sampling
    order: str
    candidates: int = 1

    @property
    def name(self) -> str:
        """The folder's own name."""
        return f"local:{self.model.name}"

    def write(self, passages: Sequence[Sequence[str]], rng: Rng) -> list[str]:
        """Return of each passage the text that uses most of its words."""
        prompts = [self.model.prompt(words, self.order) for words in passages]
        return best_of(
            passages, [self._answers(prompts, rng) for _ in range(self.candidates)]
        )

    def _answers(self, prompts: Sequence[Sequence[int]], rng: Rng) -> list[str]:
        chance = rng.random((len(prompts), self.sampling.longest))
        written = [
            self.model.continued(prompt, own, self.sampling)
            for prompt, own in zip(prompts, chance, strict=True)
        ]
        decode = self.model.tokenizer.decode
        texts = [decode(own, skip_special_tokens=True) for own in written]
        return [" ".join(text.split()) for text in texts]


def open_model(folder: str, device: str) -> LocalModel:
    """Read a model.

    Raises:
        DataError: The folder holds none, or one that needs code of its own.
    """
    place = Path(folder).expanduser()
    if not (place / "config.json").is_file():
        raise DataError(
            f"{place.name} is not the folder of a model: it has no config.json"
        )
    where = chosen(device)
    told: Any = transformers.utils.logging  # typed in part
    told.set_verbosity_error()
    told.disable_progress_bar()
    rules = {"local_files_only": True, "trust_remote_code": False}
    try:
        tokenizer = transformers.AutoTokenizer.from_pretrained(place, **rules)
        # Settings may name another attention, which is code that would be fetched.
        network = transformers.AutoModelForCausalLM.from_pretrained(
            place,
            use_safetensors=True,
            dtype="auto",
            attn_implementation="eager",
            **rules,
        )
    except (OSError, ValueError, KeyError, ImportError):
        raise DataError(
            f"transformers cannot read {place.name} as a model that writes; it needs "
            "a tokenizer, weights in safetensors, and no code of its own"
        ) from None
    network = cast("Any", network).to(where).eval()
    if network.get_output_embeddings().weight.shape[0] <= PIECES:
        raise DataError(f"{place.name} has too few pieces to write with")
    ends = _ends(network.generation_config.eos_token_id, tokenizer.eos_token_id)
    return LocalModel(network, tokenizer, ends, where, place.name)


def _ends(*named: int | Sequence[int] | None) -> tuple[int, ...]:
    """Return every piece that ends an answer, once."""
    found: set[int] = set()
    for own in named:
        if own is not None:
            found.update([own] if isinstance(own, int) else own)
    return tuple(sorted(found))
