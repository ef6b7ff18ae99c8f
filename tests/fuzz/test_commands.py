"""Commands of a grammar: documented exit codes, no traceback, no canary in sight."""

import importlib.util
import os
import shutil
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from pyarrow import parquet

from publius.cli.frame import run

CHUNK = 100
RUNS = int(os.environ.get("FUZZ_RUNS", CHUNK))
CODES = {0, 1, 2, 3}


def _grammar() -> ModuleType:
    path = Path(__file__).with_name("command_grammar.py")
    spec = importlib.util.spec_from_file_location("command_grammar", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


GRAMMAR = _grammar()


def written(out: Path | None) -> str:
    """Return all that lies in a released folder, as text."""
    texts = []
    for path in sorted(out.rglob("*")) if out is not None and out.exists() else ():
        texts.append(path.name)
        if path.suffix == ".parquet":
            file = parquet.ParquetFile(path)
            texts += [str(file.metadata.metadata), str(file.read().to_pylist())]
            file.close()
        elif path.is_file():
            texts.append(path.read_bytes().decode("utf-8", errors="replace"))
    return "\n".join(texts)


def assert_polite(code: int, out: str, err: str) -> None:
    assert code in CODES, err
    assert "Traceback" not in out + err
    assert "fault of the program" not in err, err
    if code != 0:
        lines = [line for line in err.splitlines() if line.startswith("publius: ")]
        assert len(lines) == 1, err


@pytest.mark.slow
@pytest.mark.parametrize("chunk", range(-(-RUNS // CHUNK)))
def test_commands_end_as_documented(
    chunk: int,
    tmp_path: Path,
    capfd: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    done = 0
    for number in range(CHUNK):
        shutil.rmtree("out", ignore_errors=True)
        rng = np.random.default_rng([7, chunk, number])
        command = GRAMMAR.make_command(rng, tmp_path)
        capfd.readouterr()
        code = run(command.arguments)
        said = capfd.readouterr()
        assert_polite(code, said.out, said.err)
        done += code in (0, 3)
        shown = said.out + said.err + written(command.out)
        for canary in GRAMMAR.CANARIES:
            assert canary.lower() not in shown.lower(), command.arguments
    # A command that is refused at once tests little.
    assert done >= CHUNK / 2


@pytest.mark.parametrize(
    ("code", "err"),
    [
        (139, ""),
        (1, ""),
        (1, "publius: one\npublius: two\n"),
        (1, "Traceback (most recent call last)\npublius: x\n"),
        (1, "publius: failed with KeyError; this is a fault of the program\n"),
    ],
)
def test_what_is_not_polite_is_noticed(code: int, err: str) -> None:
    assert_polite(1, "", "publius: there is no column 'x'\n")
    with pytest.raises(AssertionError):
        assert_polite(code, "", err)


def test_a_canary_in_a_released_table_is_noticed(tmp_path: Path) -> None:
    command = GRAMMAR.make_command(np.random.default_rng([7, 0, 0]), tmp_path)
    assert command.arguments
    rows = [{"body": GRAMMAR.SECRET}]
    for kind in ("parquet", "csv", "jsonl"):
        desk = GRAMMAR.Desk(np.random.default_rng(0), tmp_path)
        GRAMMAR.write_table(desk, rows, kind)
        assert GRAMMAR.SECRET in written(tmp_path)
        (tmp_path / f"in.{kind}").unlink()
