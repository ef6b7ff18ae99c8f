"""Released texts are found by column, order, key, or as vectors of terms."""

import json
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

from publius.assessment.comparison.tables import (
    Released,
    class_names,
    numbers,
    read_table,
)
from publius.core.errors import DataError


def _table(tmp_path: Path) -> pa.Table:
    path = tmp_path / "t.csv"
    path.write_text("id,body,out\n7,one,eno\n8,two,owt\n9,three,eerht\n", "utf-8")
    return read_table(str(path), "body", ["id", "out"])


def test_a_long_name_is_that_of_a_column() -> None:
    assert Released("out" * 100).column == "out" * 100


def test_a_column_of_the_same_table(tmp_path: Path) -> None:
    assert Released("out").texts(_table(tmp_path), "body") == ["eno", "owt", "eerht"]


def test_a_file_in_the_same_order(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    path.write_text("".join(json.dumps({"body": w}) + "\n" for w in "abc"), "utf-8")
    assert Released(str(path)).texts(_table(tmp_path), "body") == ["a", "b", "c"]


def test_another_number_of_rows_needs_a_key(tmp_path: Path) -> None:
    path = tmp_path / "r.csv"
    path.write_text("id,body\n9,c\n7,a\n", "utf-8")
    table = _table(tmp_path)
    with pytest.raises(DataError, match="--id"):
        Released(str(path)).texts(table, "body")
    assert Released(str(path), "id").texts(table, "body") == ["a", None, "c"]


def test_a_key_must_tell_rows_apart(tmp_path: Path) -> None:
    path = tmp_path / "r.csv"
    path.write_text("id,body\n7,c\n7,a\n8,b\n", "utf-8")
    with pytest.raises(DataError, match="holds a value twice"):
        Released(str(path), "id").texts(_table(tmp_path), "body")


def test_keys_must_meet(tmp_path: Path) -> None:
    path = tmp_path / "r.csv"
    path.write_text("id,body\n1,c\n2,a\n", "utf-8")
    with pytest.raises(DataError, match="stands in both tables"):
        Released(str(path), "id").texts(_table(tmp_path), "body")


@pytest.mark.parametrize("suffix", ["parquet", "jsonl"])
def test_vectors_of_terms_become_bags(tmp_path: Path, suffix: str) -> None:
    folder = tmp_path / "out"
    folder.mkdir()
    (folder / "vocabulary.txt").write_text("cat\ndog\nowl\n", "utf-8")
    rows = {"body_terms": [[0, 2], [1], []], "body_counts": [[2, 1], [3], []]}
    if suffix == "parquet":
        parquet.write_table(pa.table(rows), folder / "data.parquet")
    else:
        lines = [
            json.dumps({name: values[i] for name, values in rows.items()})
            for i in range(3)
        ]
        (folder / "data.jsonl").write_text("\n".join(lines) + "\n", "utf-8")
    found = Released(str(folder)).texts(_table(tmp_path), "body")
    assert found == ["cat cat owl", "dog dog dog", ""]


def test_terms_beyond_the_vocabulary_are_refused(tmp_path: Path) -> None:
    (tmp_path / "vocabulary.txt").write_text("cat\n", "utf-8")
    rows = {"body_terms": [[0], [1], [0]], "body_counts": [[1], [1], [1]]}
    parquet.write_table(pa.table(rows), tmp_path / "data.parquet")
    with pytest.raises(DataError, match="does not name"):
        Released(str(tmp_path / "data.parquet")).texts(_table(tmp_path), "body")


def test_parts_are_read_in_order_once_their_manifest_is_there(tmp_path: Path) -> None:
    (tmp_path / "parts").mkdir()
    for number, words in enumerate((["a", "b"], ["c"])):
        path = tmp_path / f"parts/part-{number:06d}.parquet"
        parquet.write_table(pa.table({"body": words}), path)
    with pytest.raises(DataError, match="unfinished release"):
        Released(str(tmp_path)).texts(_table(tmp_path), "body")
    (tmp_path / "manifest.json").write_text("{}")
    assert Released(str(tmp_path)).texts(_table(tmp_path), "body") == ["a", "b", "c"]


def test_a_table_in_memory_is_joined_by_its_key(tmp_path: Path) -> None:
    released = pa.table({"id": ["9", "7"], "body": ["c", "a"]})
    found = Released(released, "id").texts(_table(tmp_path), "body")
    assert found == ["a", None, "c"]


def test_a_folder_without_a_release_is_refused(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(DataError, match="holds no release"):
        Released(str(tmp_path / "empty")).texts(_table(tmp_path), "body")


@pytest.mark.parametrize("values", [[0.5, 1.0], ["0.5", "a"], [1.0, None]])
def test_fractions_are_no_classes(values: list[object]) -> None:
    with pytest.raises(DataError, match="numbers with fractions"):
        class_names(pa.chunked_array([pa.array(values)]), "label")


def test_numbers_and_gaps() -> None:
    found = numbers(pa.chunked_array([["1.5", "", None, "2"]]), "score")
    assert np.isnan(found).tolist() == [False, True, True, False]
    with pytest.raises(DataError, match="row 2 does not"):
        numbers(pa.chunked_array([["1", "high"]]), "score")
