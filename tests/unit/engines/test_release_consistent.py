"""Equal words stay equal over shards and workers, and after an interrupted run."""

import shutil
from pathlib import Path

import pyarrow as pa
import pytest
from pyarrow import parquet

from publius.core.config import WordSettings
from publius.core.errors import OutputError, ParameterError
from publius.engines.store import LocalStore
from publius.pipeline import ReleaseRequest, release
from publius.pipeline.folder import ReleaseFolder
from publius.tables.columns import Columns

ROWS = 9000  # three shards


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("consistent") / "in.parquet"
    texts = [f"people said zqx{i % 5} to people" for i in range(ROWS)]
    parquet.write_table(pa.table({"body": texts, "user": texts}), path)
    return path


def run(table: Path, out: Path, scope: str = "corpus", **changes: object) -> list[str]:
    asked: dict[str, object] = {
        "path": str(table),
        "out": out,
        "columns": Columns(("body",)),
        "settings": WordSettings(vocabulary=60, consistent=scope),
    }
    release(ReleaseRequest(**{**asked, **changes}))  # type: ignore[arg-type]
    released = parquet.read_table(out / "data.parquet").column("body").to_pylist()
    return [str(text) for text in released]


def test_a_corpus_has_one_draw_for_each_word(table: Path, tmp_path: Path) -> None:
    rows = [text.split(" ") for text in run(table, tmp_path / "out")]
    assert len({tuple(row[:2]) for row in rows}) == 1
    assert all(row[0] == row[4] for row in rows)
    assert [row[2] for row in rows] == [rows[i % 5][2] for i in range(ROWS)]


def test_texts_draw_for_themselves(table: Path, tmp_path: Path) -> None:
    rows = [text.split(" ") for text in run(table, tmp_path / "out", "text")]
    assert all(row[0] == row[4] for row in rows)
    assert len({row[0] for row in rows}) > 5


@pytest.mark.slow
@pytest.mark.parametrize("scope", ["text", "corpus"])
def test_any_number_of_workers(table: Path, tmp_path: Path, scope: str) -> None:
    one = run(table, tmp_path / "1", scope, seed=5)
    assert run(table, tmp_path / "2", scope, seed=5, workers=2) == one


def interrupt(
    table: Path, out: Path, patch: pytest.MonkeyPatch, **asked: object
) -> None:
    """Let the run stop after its first shard."""
    real = ReleaseFolder.commit

    def commit(self: ReleaseFolder, number: int, *rest: object) -> None:
        if number == 1:
            raise OutputError("power")
        real(self, number, *rest)  # type: ignore[arg-type]

    with patch.context() as changed:
        changed.setattr(ReleaseFolder, "commit", commit)
        with pytest.raises(OutputError, match="power"):
            run(table, out, **asked)  # type: ignore[arg-type]


def test_a_resumed_corpus_begins_anew_with_one_key(
    table: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The key is never written; shards of another would give words a second draw."""
    interrupt(table, tmp_path / "out", monkeypatch)
    assert len(list(tmp_path.glob("out/.partial/shard-*"))) == 1
    rows = [text.split(" ") for text in run(table, tmp_path / "out", resume=True)]
    assert len(rows) == ROWS
    assert len({tuple(row[:2]) for row in rows}) == 1
    assert [row[2] for row in rows] == [rows[i % 5][2] for i in range(ROWS)]


def test_parts_of_a_corpus_that_others_may_have_read_are_not_drawn_again(
    table: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "in").mkdir()
    for name in ("one", "two"):  # so many rows that there are two parts
        shutil.copy(table, tmp_path / "in" / f"{name}.parquet")
    asked = (tmp_path / "in", tmp_path / "out")
    real = LocalStore.put_once

    def put_once(self: LocalStore, name: str, content: bytes) -> bool:
        if name.startswith("parts/") and self.names("parts"):
            raise OutputError("power")
        return real(self, name, content)

    monkeypatch.setattr(LocalStore, "put_once", put_once)
    with pytest.raises(OutputError, match="power"):
        run(*asked)
    seen = (tmp_path / "out" / "parts" / "part-000000.parquet").read_bytes()
    monkeypatch.setattr(LocalStore, "put_once", real)
    with pytest.raises(OutputError, match="a second release"):
        run(*asked, resume=True)
    assert (tmp_path / "out" / "parts" / "part-000000.parquet").read_bytes() == seen


@pytest.mark.parametrize("scope", ["text", "corpus"])
def test_a_resumed_run_with_a_seed_equals_an_uninterrupted_one(
    table: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, scope: str
) -> None:
    interrupt(table, tmp_path / "out", monkeypatch, scope=scope, seed=5)
    again = run(table, tmp_path / "out", scope, seed=5, resume=True)
    assert again == run(table, tmp_path / "whole", scope, seed=5)


def test_a_corpus_guarantees_nothing_about_one_author(
    table: Path, tmp_path: Path
) -> None:
    with pytest.raises(ParameterError, match="--consistent text"):
        run(table, tmp_path / "out", columns=Columns(("body",), "user"))
