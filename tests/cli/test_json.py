"""Every command that gives something gives it to machines too."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import click
import numpy as np
import pytest

from publius.cli.frame import cli
from publius.embeddings.like_build import Lexicon
from publius.retelling.assemble import SHIPPED
from publius.services import retelling
from publius.services.embeddings import (
    LikeRequest,
    convert_embedding,
    describe_embedding,
    fetch_embedding,
    known_embeddings,
    make_like,
)

SERVERS = {"serve", "studio"}
"""They answer a browser or programs until they are stopped, and give nothing back."""


def leaves(
    command: click.Command, path: tuple[str, ...], context: click.Context
) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    """Yield every command that does something, with its words."""
    if not isinstance(command, click.Group):
        yield path, command
        return
    for name in command.list_commands(context):
        inner = command.get_command(context, name)
        assert inner is not None
        yield from leaves(inner, (*path, name), click.Context(inner, context))


def test_every_command_but_servers_has_json() -> None:
    without = {
        " ".join(path)
        for path, command in leaves(cli, (), click.Context(cli))
        if all("--json" not in param.opts for param in command.params)
    }
    assert without == SERVERS


def vectors(count: int = 40) -> None:
    rng = np.random.default_rng(0)
    rows = [
        f"w{chr(97 + i // 26)}{chr(97 + i % 26)} "
        + " ".join(f"{v:.4f}" for v in rng.normal(size=8))
        for i in range(count)
    ]
    Path("e.vec").write_text(f"{count} 8\n" + "\n".join(rows) + "\n")
    Path("stop.txt").write_text("waa\n")


def test_what_is_done_to_embeddings_is_told(publius: Callable[..., Any]) -> None:
    vectors()
    for words, call in (
        (("list",), known_embeddings),
        (("get", "glove-50k"), lambda: fetch_embedding("glove-50k")),
        (("info", "glove-50k"), lambda: describe_embedding("glove-50k")),
    ):
        done = publius("embeddings", *words, "--json")
        assert json.loads(done.out) == json.loads(json.dumps(call().to_json()))
    done = publius("embeddings", "convert", "e.vec", "a.publius", "--json")
    said = json.loads(done.out)
    again = convert_embedding(Path("e.vec"), Path("b.publius")).to_json()
    assert said == {**again, "embedding": "a.publius"}
    assert (said["words"], said["dim"], said["has_like"]) == (40, 8, False)


def test_a_like_space_is_told(publius: Callable[..., Any]) -> None:
    vectors()
    asked = ("--stop-words", "stop.txt", "--vocabulary", 40, "--symbols", 20)
    done = publius("embeddings", "like", "e.vec", "-o", "a.publius", *asked, "--json")
    assert done.code == 0, done.err
    lexicon = Lexicon(stop_words=frozenset({"waa"}))
    made = make_like(LikeRequest(Path("e.vec"), Path("b.publius"), lexicon, 40, 20))
    said = json.loads(done.out)
    assert {**made.to_json(), "embedding": "a.publius"} == said
    assert said["has_like"] is True


@pytest.mark.skipif(not SHIPPED.exists(), reason="needs the taught adapter")
def test_the_writer_is_told(publius: Callable[..., Any]) -> None:
    done = publius("retelling", "info", "--json")
    said = json.loads(done.out)
    assert said == retelling.shipped_writer().to_json()
    assert said["model"] == "smollm2-135m"


def test_what_was_fetched_is_told(
    publius: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(retelling, "fetch_language_model", lambda: Path("here"))
    said = json.loads(publius("retelling", "get", "--json").out)
    assert said == {"name": "smollm2-135m", "folder": "here"}


def test_what_was_taught_is_told(
    publius: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    taught = retelling.Taught(Path("a.safetensors"), "0f", {"held_out": "2.1"})
    asked: list[retelling.Lessons] = []

    def teach(lessons: retelling.Lessons, _watch: object) -> retelling.Taught:
        asked.append(lessons)
        return taught

    monkeypatch.setattr("publius.cli.retelling_command.teach_writer", teach)
    words = ("retelling", "train", "-o", "a.safetensors", "--steps", 3)
    assert json.loads(publius(*words, "--json").out) == taught.to_json()
    assert "surprise of held-out passages 2.1 per piece" in publius(*words).out
    assert asked[0] == retelling.Lessons(Path("a.safetensors"), steps=3)


@pytest.mark.slow
def test_a_model_of_sentences_is_told(publius: Callable[..., Any]) -> None:
    pytest.importorskip("torch")
    lines = (f"the {word} was good. it ended!" for word in ("film", "book") * 8)
    Path("in.csv").write_text("body\n" + "\n".join(lines) + "\n")
    sizes = ("--vocabulary", 300, "--width", 8, "--hidden", 8, "--epochs", 1)
    asked = ("in.csv", "--text", "body", "--device", "cpu", *sizes)
    done = publius("autoencoder", "train", *asked, "-o", "m.safetensors", "--json")
    assert done.code == 0, done.err
    said = json.loads(done.out)
    info = json.loads(publius("autoencoder", "info", "m.safetensors", "--json").out)
    del info["epsilon_at_delta_1e-6"]
    assert said == {"file": "m.safetensors", "texts": 16, **info}


def test_a_job_gives_what_its_verb_gives(publius: Callable[..., Any]) -> None:
    Path("in.csv").write_text("body\nthe old house\n")
    Path("publius.toml").write_text(
        '[job]\ninput = "in.csv"\nout = "out"\nseed = 1\n[words]\nvocabulary = 300\n'
    )
    planned = json.loads(publius("run", "--dry-run", "--json").out)
    assert planned["command"][:2] == ["publius", "release"]
    ran = publius("run", "--json")
    assert ran.code == 0, ran.err
    typed = publius(*planned["command"][1:-2], "--force", "--json", "--", "in.csv")
    assert json.loads(typed.out) == json.loads(ran.out)
