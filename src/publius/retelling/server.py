"""Write by an OpenAI-compatible server: llama.cpp, vLLM, Ollama and others.

A request holds the released words of one passage, a sentence that asks for a text, and
public settings. No proxy is used and no redirection followed: what is sent goes to the
address that was given.
"""

import http.client
import ipaddress
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import SplitResult, urlsplit

from publius.core.arrays import Rng
from publius.core.errors import DataError, FetchError, ParameterError
from publius.retelling.decoder import Sampling
from publius.retelling.prompt import plain_prompt
from publius.retelling.writer import best_of

PATIENCE_S = 600
LARGEST_ANSWER = 1 << 20
SEEDS = 1 << 31


@dataclass(frozen=True, slots=True)
class ServerWriter:
    """Ask a server for each passage, one after the other, once for every candidate.

    Args:
        address: Such as ``http://localhost:8080``; checked by ``local_address``.
        model: Its name for the model.
        sampling: Sent along.
        order: Of the words.
        candidates: Texts that are asked for of each passage.
    """

    address: str
    model: str
    sampling: Sampling
    order: str
    candidates: int = 1

    @property
    def name(self) -> str:
        """The model, without address and folders, which may tell about a person."""
        return f"server:{without_folder(self.model)}"

    def write(self, passages: Sequence[Sequence[str]], rng: Rng) -> list[str]:
        """Return of each passage the answer that uses most of its words."""
        return best_of(
            passages, [self._answers(passages, rng) for _ in range(self.candidates)]
        )

    def _answers(self, passages: Sequence[Sequence[str]], rng: Rng) -> list[str]:
        seeds = rng.integers(0, SEEDS, size=len(passages)).tolist()
        return [
            self._ask(plain_prompt(words, self.order), seed)
            for words, seed in zip(passages, seeds, strict=True)
        ]

    def _ask(self, prompt: str, seed: int) -> str:
        body = {
            "model": self.model,
            "messages": [{"role": "user", "content": prompt}],
            "temperature": self.sampling.temperature,
            "top_p": self.sampling.share,
            "max_tokens": self.sampling.longest,
            "seed": seed,
        }
        answer = _post(urlsplit(self.address), json.dumps(body).encode())
        try:
            text = json.loads(answer)["choices"][0]["message"]["content"]
        except (ValueError, LookupError, TypeError):
            text = None
        if not isinstance(text, str):
            raise DataError(
                "the server did not answer in the OpenAI format; check its address "
                "and that it offers /v1/chat/completions"
            )
        return " ".join(text.split())


def _post(address: SplitResult, body: bytes) -> bytes:
    kind = (
        http.client.HTTPSConnection
        if address.scheme == "https"
        else http.client.HTTPConnection
    )
    connection = kind(address.hostname or "", address.port, timeout=PATIENCE_S)
    try:
        path = f"{address.path.rstrip('/')}/v1/chat/completions"
        headers = {"Content-Type": "application/json"}
        connection.request("POST", path, body, headers)
        response = connection.getresponse()
        if response.status != http.client.OK:
            raise FetchError(f"the server answered with status {response.status}")
        return response.read(LARGEST_ANSWER)
    except (OSError, http.client.HTTPException):
        raise FetchError(
            "the server did not answer; check that it runs and its address"
        ) from None
    finally:
        connection.close()


def without_folder(model: str) -> str:
    """Return the name of a model; of one that is the path of a file, its last part.

    Servers call a model by the path that they were started with. A name such as
    ``owner/model`` is public and stays.
    """
    is_path = model.startswith(("/", "~", ".")) or "\\" in model or model.count("/") > 1
    return re.split(r"[/\\]", model.rstrip("/\\"))[-1] if is_path else model


def checked_address(address: str, *, allow_remote: bool) -> str:
    """Return an address on this machine, or elsewhere where that is allowed.

    Raises:
        ParameterError: It is no address, or one elsewhere and that was not allowed.
    """
    try:
        parts = urlsplit(address)
        host, _ = parts.hostname or "", parts.port
    except ValueError:
        host, parts = "", urlsplit("")
    if parts.scheme not in ("http", "https") or not host or parts.username:
        raise ParameterError(
            "the server must be an address such as http://localhost:8080"
        )
    if is_elsewhere(address) and not allow_remote:
        raise ParameterError(
            "the server is on another machine: the released words would leave this "
            "one. They are covered by the guarantee, as all that is released; add "
            "--allow-remote if they may leave before you have read them"
        )
    return address


def is_elsewhere(address: str) -> bool:
    """Say whether an address is one of another machine."""
    host = urlsplit(address).hostname or ""
    if host == "localhost":
        return False
    try:
        return not ipaddress.ip_address(host).is_loopback
    except ValueError:
        return True
