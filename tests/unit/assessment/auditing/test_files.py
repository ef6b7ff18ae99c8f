from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pa_parquet
import pytest

from publius.assessment.auditing.files import read_channel, read_table
from publius.core.errors import DataError

LAW = np.array([[0.75, 0.25], [0.5, 0.5]])


def test_npz_holds_a_channel_and_its_distance(tmp_path: Path) -> None:
    np.savez(tmp_path / "a.npz", channel=LAW, distance=1 - np.eye(2))
    found = read_channel(tmp_path / "a.npz")
    assert np.array_equal(found.values, LAW)
    assert found.distance is not None
    assert not found.is_log
    np.savez(tmp_path / "b.npz", log_prob=np.log(LAW))
    logs = read_channel(tmp_path / "b.npz")
    assert logs.is_log
    assert logs.distance is None


def test_tables_of_other_programs(tmp_path: Path) -> None:
    np.savetxt(tmp_path / "a.csv", LAW, delimiter=",")
    table = pa.table({"0": LAW[:, 0], "1": LAW[:, 1]})
    pa_parquet.write_table(table, tmp_path / "a.parquet")
    np.save(tmp_path / "a.npy", LAW)
    for name in ("a.csv", "a.parquet", "a.npy"):
        assert np.array_equal(read_channel(tmp_path / name).values, LAW)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.npz", b"no zip", "not an NPZ file"),
        ("a.npy", b"no array", "not an NPY file"),
        ("a.csv", b"1,2\n3\n", "equal rows"),
        ("a.csv", b"1,x\n3,y\n", "column 1 of .* must hold numbers"),
        ("a.parquet", b"no table", "not a Parquet file"),
        ("a.txt", b"1 2", "read from .npz, .csv, .parquet, .npy; got '.txt'"),
    ],
)
def test_files_that_are_no_channels_are_refused(
    tmp_path: Path, name: str, content: bytes, message: str
) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(DataError, match=message):
        read_channel(tmp_path / name)


@pytest.mark.parametrize("name", ["no.npz", "no.csv"])
def test_a_missing_file_is_named(tmp_path: Path, name: str) -> None:
    with pytest.raises(DataError, match="there is no file"):
        read_channel(tmp_path / name)


def test_other_arrays_and_objects_are_refused(tmp_path: Path) -> None:
    np.savez(tmp_path / "a.npz", matrix=LAW)
    with pytest.raises(DataError, match="it holds matrix"):
        read_channel(tmp_path / "a.npz")
    np.savez(tmp_path / "b.npz", channel=np.array([["a"]]))
    with pytest.raises(DataError, match="must hold numbers"):
        read_channel(tmp_path / "b.npz")
    np.save(tmp_path / "c.npy", np.array([{}]), allow_pickle=True)
    with pytest.raises(DataError, match="plain numbers"):
        read_table(tmp_path / "c.npy")


def test_words_must_name_every_secret(tmp_path: Path) -> None:
    np.savez(tmp_path / "a.npz", channel=LAW, words=np.array(["one"]))
    with pytest.raises(DataError, match="each of the 2 secrets"):
        read_channel(tmp_path / "a.npz")


def test_huge_files_are_refused_before_they_are_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    np.savez(tmp_path / "a.npz", channel=LAW)
    np.savetxt(tmp_path / "a.csv", LAW, delimiter=",")
    monkeypatch.setattr("publius.assessment.auditing.files.LARGEST", 16)
    for name in ("a.npz", "a.csv"):
        with pytest.raises(DataError, match="GiB of memory"):
            read_channel(tmp_path / name)
