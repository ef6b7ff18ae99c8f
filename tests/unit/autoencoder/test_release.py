"""A release of rewritten sentences: figures, files, resumption, refusals."""

import csv
import json
from dataclasses import replace
from pathlib import Path

import pytest

from publius.accounting.gaussian import gaussian_epsilon, guarantee_epsilon
from publius.autoencoder import SentenceVAE
from publius.autoencoder.network import build
from publius.autoencoder.sentence_vae import SHIPPED
from publius.cli.frame import run
from publius.core.errors import ParameterError
from publius.materials.sentences.treatment import sentence_form
from publius.pipeline import ReleaseRequest, SentenceSettings, release
from publius.tables.columns import Columns

ROWS = [
    ("ann", "the movie was good. my dog is bad!", 1),
    ("bob", "", 2),
    ("ann", "the actor was long. the actor is bad. this film was great.", 3),
]


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "in.csv"
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([("user", "body", "stars"), *ROWS])
    return path


def request(
    table: Path, out: Path, stored: Path, **settings: object
) -> ReleaseRequest[SentenceSettings]:
    chosen = {"sigma": 2.0, "model": str(stored), **settings}
    return ReleaseRequest(
        str(table), out, Columns(("body",), "user", ("stars",)),
        SentenceSettings(**chosen), seed=1, format="csv",  # type: ignore[arg-type]
    )  # fmt: skip


def test_the_manifest_states_the_exact_composed_losses(
    table: Path, stored: Path, tmp_path: Path
) -> None:
    release(request(table, tmp_path / "out", stored))
    manifest = json.loads((tmp_path / "out" / "manifest.json").read_text())
    assert manifest["counts"] == {"rows": 3, "words": 5, "longest": 3, "busiest": 5}
    for name, count in (
        ("sentence", 1),
        ("longest_document", 3),
        ("busiest_author", 5),
    ):
        exact = gaussian_epsilon(1e-6, sensitivity=6, sigma=2.0, count=count)
        assert manifest["losses"][name] == pytest.approx(exact, rel=1e-9)
    assert manifest["mechanism"] == "dp-vae.v1"
    assert str(stored.parent) not in json.dumps(manifest)


def test_texts_are_rewritten_and_empty_cells_stay(
    table: Path, stored: Path, tmp_path: Path
) -> None:
    release(request(table, tmp_path / "out", stored))
    lines = list(csv.DictReader((tmp_path / "out/data.csv").read_text().splitlines()))
    assert [line["stars"] for line in lines] == ["1", "2", "3"]
    assert "user" not in lines[0]
    assert lines[1]["body"] == ""
    assert lines[0]["body"]
    assert lines[0]["body"].lower() != ROWS[0][1]


def test_the_report_says_what_is_guaranteed_and_shows_no_secret(
    table: Path, stored: Path, tmp_path: Path
) -> None:
    release(request(table, tmp_path / "out", stored))
    page = (tmp_path / "out" / "report.html").read_text()
    assert "INSECURE" in page
    assert "dp-vae.v1" in page
    assert "How many sentences a text has" in page
    assert "the actor was long" not in page.lower()
    assert "http" not in page.replace("http-equiv", "")


def test_epsilon_decides_the_noise(stored: Path) -> None:
    form = sentence_form(SentenceSettings(epsilon=5.0, delta=1e-6, model=str(stored)))
    spent = gaussian_epsilon(1e-6, sensitivity=6, sigma=form.sigma)
    assert spent == pytest.approx(5.0, rel=1e-5)
    guaranteed = guarantee_epsilon(form.model.guarantee(form.sigma), 1e-6)
    assert spent < guaranteed <= 5.0


def test_a_seed_gives_the_same_release_for_any_device_batch(
    table: Path, stored: Path, tmp_path: Path
) -> None:
    for name in "ab":
        release(request(table, tmp_path / name, stored))
    first, second = ((tmp_path / n / "data.csv").read_bytes() for n in "ab")
    assert first == second


def test_kinds_without_a_guarantee_make_no_release(
    tiny: SentenceVAE, tmp_path: Path
) -> None:
    shape = replace(tiny.shape, kind="dp-aae", authors=2)
    replace(tiny, network=build(shape, seed=0)).save(tmp_path / "aae")
    with pytest.raises(ParameterError, match="guarantees nothing end to end"):
        sentence_form(SentenceSettings(sigma=1.0, model=str(tmp_path / "aae")))


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({}, "say how much noise"),
        ({"sigma": 1.0, "epsilon": 1.0}, "not both"),
        ({"sigma": -1.0}, "sigma must be"),
        ({"epsilon": 0.0}, "epsilon must be"),
        ({"sigma": 1.0, "delta": 1.0}, r"delta must lie in \(0, 1\)"),
        ({"epsilon": 1.0, "delta": 0.0}, r"delta must lie in \(0, 1\)"),
    ],
)
def test_bad_noise_is_refused(settings: dict[str, float], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        SentenceSettings(**settings)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        (["--mechanism", "dp-vae", "--sigma", "1", "--level", "2"], "--level has no"),
        (["--mechanism", "dp-vae", "--sigma", "1", "--as", "bag"], "leave --as out"),
        (["--sigma", "1"], "--sigma is for --mechanism dp-vae"),
        (["--mechanism", "dp-vae", "--sigma", "0"], "sigma must be"),
    ],
)
def test_the_command_refuses_what_has_no_meaning(
    table: Path, tmp_path: Path, flags: list[str], message: str,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    out = tmp_path / "out"
    assert run(["release", str(table), "--text", "body", "-o", str(out), *flags]) == 1
    assert message in capsys.readouterr().err
    assert not out.exists()


def test_the_command_releases(
    table: Path, stored: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    asked = [
        "release",
        str(table),
        "--text",
        "body",
        "--author",
        "user",
        "-o",
        str(out),
    ]
    noise = ["--mechanism", "dp-vae", "--epsilon", "5", "--model", str(stored)]
    assert run([*asked, *noise]) == 0
    told = capsys.readouterr()
    assert "in one sentence and in nothing" in told.out
    assert "facts in them are invented" in told.err
    assert (out / "data.parquet").is_file()


def test_the_autoencoder_commands(
    table: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model = tmp_path / "own.safetensors"
    sizes = ["--width", "16", "--hidden", "16", "--latent", "4", "--vocabulary", "270"]
    trained = ["autoencoder", "train", str(table), "--text", "body", "-o", str(model)]
    short = ["--epochs", "1", "--device", "cpu"]
    assert run([*trained, *sizes, *short]) == 0
    assert model.with_suffix(".log.csv").read_text().startswith("epoch,loss")
    assert run(["autoencoder", "info", str(model), "--json"]) == 0
    told = capsys.readouterr().out
    assert '"kind": "dp-vae"' in told
    said = [
        "autoencoder",
        "rewrite",
        "one two. three four.",
        "--model",
        str(model),
        "--json",
    ]
    assert run([*said, "--sigma", "1", "--seed", "0"]) == 0
    out = json.loads(capsys.readouterr().out)
    assert out["longest"] == 2
    assert out["epsilon_sentence"] == pytest.approx(45.785905948, rel=1e-8)


def test_the_shipped_model_is_small_and_reads() -> None:
    model = SentenceVAE.load(device="cpu")
    assert model.shape.kind == "dp-vae"
    assert "public" in model.source
    assert SHIPPED.stat().st_size <= 16_000_000


WORDS = '[words]\nmechanism = "dp-vae"\n[sentences]\n'


@pytest.mark.parametrize(
    ("written", "flags", "expected"),
    [
        (f"{WORDS}sigma = 2.0", "", 2.0),
        (f"{WORDS}epsilon = 5", "--sigma 3", 3.0),
        ("[words]\nepsilon = 9.0\n[sentences]\nsigma = 4.0", "--mechanism dp-vae", 4.0),
    ],
)
def test_the_settings_file_chooses_sentences(  # noqa: PLR0917 - fixtures and cases
    table: Path, stored: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    written: str, flags: str, expected: float,
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    (tmp_path / "publius.toml").write_text(f'{written}\nmodel = "{stored}"\n')
    asked = ["release", str(table), "--text", "body", "-o", "out"]
    assert run([*asked, *flags.split()]) == 0
    manifest = json.loads((tmp_path / "out" / "manifest.json").read_text())
    assert manifest["settings"]["sigma"] == expected


def test_words_settings_beside_sentences_are_refused(
    table: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    (tmp_path / "publius.toml").write_text(
        '[words]\nmechanism = "dp-vae"\nepsilon = 5.0\n'
    )
    assert run(["release", str(table), "--text", "body", "-o", "out"]) == 1
    assert "its settings stand in [sentences]" in capsys.readouterr().err
