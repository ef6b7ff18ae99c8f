"""Any model that transformers reads writes from released words, here and alone."""

import json
import re
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")
tokenizers = pytest.importorskip("tokenizers")

from publius.core.errors import DataError, FetchError
from publius.core.rng import seeded
from publius.retelling import assemble
from publius.retelling.assemble import writer_of
from publius.retelling.block_list import BlockList
from publius.retelling.decoder import Sampling
from publius.retelling.local_model import LocalModel, LocalWriter, open_model
from publius.retelling.settings import RetellSettings
from publius.retelling.treatment import public_settings

END, BEGIN = "</s>", "<s>"
LETTERS = [chr(code) for code in range(32, 127)]
TALK = "{% for m in messages %}<s>{{ m['content'] }}</s>{% endfor %}<s>"
"""How some model wants a talk to be written."""
PASSAGES = [["cat", "river"], ["dog"], ["engine", "not", "winter", "letter"]]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write a small Llama with random weights and a piece for every letter."""
    place = tmp_path_factory.mktemp("mrs-smith") / "tiny"
    pieces = {piece: number for number, piece in enumerate([END, BEGIN, *LETTERS])}
    raw = tokenizers.Tokenizer(tokenizers.models.WordLevel(pieces, unk_token=END))
    raw.pre_tokenizer = tokenizers.pre_tokenizers.Split("", "isolated")
    raw.decoder = tokenizers.decoders.Fuse()
    tokenizer = transformers.PreTrainedTokenizerFast(
        tokenizer_object=raw, eos_token=END, bos_token=BEGIN
    )
    torch.manual_seed(0)
    shape = transformers.LlamaConfig(
        vocab_size=len(pieces), hidden_size=32, intermediate_size=48,
        num_hidden_layers=2, num_attention_heads=4, num_key_value_heads=2,
        eos_token_id=0, bos_token_id=1, initializer_range=0.4,
    )  # fmt: skip
    transformers.LlamaForCausalLM(shape).save_pretrained(place)
    tokenizer.save_pretrained(place)
    return place


def writer(folder: Path, candidates: int = 1) -> LocalWriter:
    asked = RetellSettings(
        local_model=str(folder), order="keep", passage=4, candidates=candidates
    )
    made = writer_of(asked)
    assert isinstance(made, LocalWriter)
    return made


def test_passages_are_written_alone(folder: Path) -> None:
    own = writer(folder)
    written = own.write(PASSAGES, seeded(3))
    assert all(written)
    assert written == own.write(PASSAGES, seeded(3)) != own.write(PASSAGES, seeded(4))
    others = [PASSAGES[0], ["house"], ["sea", "sea"]]
    assert own.write(others, seeded(3))[0] == written[0]


def test_pieces_follow_whole_passes_of_the_model(folder: Path) -> None:
    model, cold = open_model(str(folder), "cpu"), Sampling(temperature=1e-6)
    prompt = model.prompt(["cat"], "keep")
    made = model.continued(prompt, np.full(6, 0.5), cold)
    for number, piece in enumerate(made):
        text = torch.tensor([prompt + made[:number]])
        assert int(model.network(text).logits[0, -1].argmax()) == piece


def test_what_would_be_a_blocked_word_is_not_written(folder: Path) -> None:
    own = writer(folder)
    before = own.write(PASSAGES, seeded(3))
    listed = BlockList.of(
        {word for text in before for word in re.findall(r"[^\W\d_]+", text)}
    )
    assert all(map(listed.holds, before))
    steered = replace(own, sampling=replace(own.sampling, blocked=listed))
    made = steered.write(PASSAGES, seeded(3))
    assert not any(map(listed.holds, made))
    assert all(made)


def test_an_end_ends_a_passage(folder: Path) -> None:
    model, cold = open_model(str(folder), "cpu"), Sampling(temperature=1e-6)
    assert model.ends == (0,)
    prompt, chance = model.prompt(["cat"], "keep"), np.full(6, 0.5)
    whole = model.continued(prompt, chance, cold)
    end = next(piece for piece in whole if piece != whole[0])
    other = LocalModel(model.network, model.tokenizer, (end,), "cpu", "tiny")
    assert other.continued(prompt, chance, cold) == whole[: whole.index(end)]


def test_a_model_that_knows_talks_is_asked_in_one(folder: Path) -> None:
    model = open_model(str(folder), "cpu")
    plain = model.prompt(["cat"], "keep")
    assert model.tokenizer.decode(plain[-5:]) == "Text:"
    model.tokenizer.chat_template = TALK
    asked = model.prompt(["cat"], "keep")
    # The marks of the talk, once each, around the request.
    assert [place for place, piece in enumerate(asked) if piece == 1] == [
        0,
        len(asked) - 1,
    ]
    assert asked[-2] == 0
    assert model.tokenizer.decode(asked[-5:-2]) == "cat"


def test_the_best_of_several_texts_is_chosen_by_released_words(folder: Path) -> None:
    written: list[str] = []

    def decode(_: list[int], **__: object) -> str:
        written.append(["nothing", "a cat", "a dog"][len(written)])
        return written[-1]

    several = writer(folder, candidates=3)
    several.model.tokenizer.decode = decode
    assert several.write([["cat"]], seeded(0)) == ["a cat"]
    assert len(written) == 3


def test_no_folder_above_the_model_is_told(folder: Path) -> None:
    settings = RetellSettings(local_model=str(folder))
    own = writer(folder)
    assert own.name == "local:tiny"
    told = json.dumps(public_settings(settings, own.name))
    assert "smith" not in told
    assert '"local_model": "tiny"' in told


def test_a_folder_without_a_model_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"no config\.json"):
        open_model("owner/model-of-a-hub", "cpu")
    (tmp_path / "config.json").write_text('{"model_type": "none-such"}')
    with pytest.raises(DataError, match="cannot read") as told:
        open_model(str(tmp_path), "cpu")
    assert str(tmp_path.parent) not in str(told.value)


def test_weights_that_could_run_are_refused(folder: Path, tmp_path: Path) -> None:
    for file in folder.iterdir():
        if file.suffix == ".json":
            (tmp_path / file.name).write_bytes(file.read_bytes())
    torch.save({}, tmp_path / "pytorch_model.bin")
    with pytest.raises(DataError, match="weights in safetensors"):
        open_model(str(tmp_path), "cpu")


def test_attention_that_would_be_fetched_is_not_asked_for(
    folder: Path, tmp_path: Path
) -> None:
    other = shutil.copytree(folder, tmp_path / "tiny")
    settings = json.loads((other / "config.json").read_text())
    settings["attn_implementation"] = "owner/code-on-a-hub"
    (other / "config.json").write_text(json.dumps(settings))
    written = writer(other).write(PASSAGES, seeded(3))
    assert written == writer(folder).write(PASSAGES, seeded(3))


@pytest.mark.slow
def test_the_library_is_told_to_stay_offline_before_it_is_loaded(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("HF_HUB_OFFLINE")  # what this module's imports have set
    told = "import publius.retelling.local_model, huggingface_hub.constants as c"
    line = f"{told}; assert c.HF_HUB_OFFLINE"
    subprocess.run([sys.executable, "-c", line], check=True)  # noqa: S603 - our own


def test_a_missing_package_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(assemble.importlib.util, "find_spec", lambda _: None)
    with pytest.raises(FetchError, match=r"publius\[local-model\]"):
        writer_of(RetellSettings(local_model="any"))
