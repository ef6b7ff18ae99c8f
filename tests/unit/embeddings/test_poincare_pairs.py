"""Reading and checking hierarchies."""

import gzip
from pathlib import Path

import numpy as np
import pytest

from publius.core.errors import DataError
from publius.embeddings.poincare_pairs import Hierarchy, read_pairs

CHAIN = Hierarchy.of(["a", "b", "c"], ["b", "c", "d"])


def pairs_of(hierarchy: Hierarchy) -> set[tuple[str, str]]:
    graph = hierarchy.ancestors.tocoo()
    names = hierarchy.names
    return {(names[i], names[j]) for i, j in zip(graph.row, graph.col, strict=True)}


def test_repeated_pairs_count_once() -> None:
    hierarchy = Hierarchy.of(["a", "a", "c"], ["b", "b", "b"])
    assert hierarchy.names == ("a", "b", "c")
    assert (hierarchy.size, hierarchy.pairs) == (3, 2)
    assert (hierarchy.ancestors.data == 1).all()


def test_closing_and_its_inverse() -> None:
    closed = CHAIN.closed()
    assert pairs_of(closed) == {
        ("a", "b"), ("a", "c"), ("a", "d"), ("b", "c"), ("b", "d"), ("c", "d"),
    }  # fmt: skip
    assert closed.closed().pairs == closed.pairs
    direct = closed.direct()
    assert (direct.toarray() == CHAIN.ancestors.toarray()).all()


def test_self_loops_are_refused() -> None:
    with pytest.raises(DataError, match="1 names are paired with themselves"):
        Hierarchy.of(["a", "b"], ["b", "b"])


@pytest.mark.parametrize(
    ("lower", "upper", "count"),
    [("ab", "ba", 2), ("abcx", "bcaa", 3)],
)
def test_cycles_are_refused(lower: str, upper: str, count: int) -> None:
    with pytest.raises(DataError, match=f"circles through {count} names"):
        Hierarchy.of(list(lower), list(upper))


def test_unconnected_parts_are_refused() -> None:
    with pytest.raises(DataError, match="2 unconnected parts, the largest of 3 names"):
        Hierarchy.of(["a", "b", "x"], ["r", "r", "y"])


def test_no_pairs_are_refused(tmp_path: Path) -> None:
    empty = tmp_path / "pairs.csv"
    empty.write_text("id1,id2\n")
    with pytest.raises(DataError, match="no pairs"):
        read_pairs(empty)
    with pytest.raises(DataError, match="lower names"):
        Hierarchy.of(["a"], [])


@pytest.mark.parametrize("header", ["", "id1,id2\n", "Child,Parent\n"])
def test_reading_with_and_without_a_header(tmp_path: Path, header: str) -> None:
    path = tmp_path / "pairs.csv"
    path.write_text(f'{header}a,b\n\n"b, c",b\n')
    assert read_pairs(path).names == ("a", "b", "b, c")


def test_reading_tabs_and_gzip(tmp_path: Path) -> None:
    path = tmp_path / "pairs.tsv.gz"
    path.write_bytes(gzip.compress("ä\tb\nc\tb\n".encode()))
    assert read_pairs(path).names == ("b", "c", "ä")


@pytest.mark.parametrize("line", ["a", "a,b,c", "a,", ",b"])
def test_broken_lines_are_named(tmp_path: Path, line: str) -> None:
    path = tmp_path / "pairs.csv"
    path.write_text(f"a,b\n{line}\n")
    with pytest.raises(DataError, match=r"line 2 of pairs\.csv"):
        read_pairs(path)


@pytest.mark.parametrize("content", [b"\xff\xfe\x00", b"\x1f\x8bbroken", None])
def test_unreadable_files_are_one_error(tmp_path: Path, content: bytes | None) -> None:
    path = tmp_path / "pairs.csv"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(DataError, match="cannot read"):
        read_pairs(path)


def test_fingerprints_tell_hierarchies_apart() -> None:
    other = Hierarchy.of(["a", "b", "b"], ["b", "c", "d"])
    assert CHAIN.fingerprint != other.fingerprint
    assert (
        CHAIN.fingerprint == Hierarchy.of(["c", "b", "a"], ["d", "c", "b"]).fingerprint
    )


def test_storing_keeps_everything_and_refuses_damage() -> None:
    graph = CHAIN.ancestors
    bounds, above = graph.indptr.astype(np.int64), graph.indices.astype(np.int64)
    again = Hierarchy.stored(CHAIN.names, bounds, above)
    assert again.fingerprint == CHAIN.fingerprint
    with pytest.raises(DataError, match="damaged"):
        Hierarchy.stored(CHAIN.names, bounds[:-1], above)
    with pytest.raises(DataError, match="square"):
        Hierarchy((*CHAIN.names, "e"), graph)


@pytest.mark.shared
def test_the_mammals_are_a_hierarchy(shared: Path) -> None:
    hierarchy = read_pairs(shared / "data" / "wordnet" / "mammal_closure.csv.gz")
    assert (hierarchy.size, hierarchy.pairs) == (1182, 6542)
    assert hierarchy.closed().pairs == hierarchy.pairs
    assert np.diff(hierarchy.ancestors.indptr).min() == 0


def test_a_root_joins_a_forest(tmp_path: Path) -> None:
    path = tmp_path / "verbs.csv"
    path.write_text("run,move\nwalk,move\nsing,sound\n")
    with pytest.raises(DataError, match="--root NAME"):
        read_pairs(path)
    joined = read_pairs(path, "verb")
    assert joined.size == 6
    above = joined.ancestors[:, [joined.names.index("verb")]].toarray().ravel()
    assert [n for n, a in zip(joined.names, above, strict=True) if a] == [
        "move",
        "sound",
    ]
    assert read_pairs(path, "move").size == 5
    with pytest.raises(DataError, match="above it"):
        read_pairs(path, "run")


def test_cycles_are_opened_only_if_asked(tmp_path: Path) -> None:
    path = tmp_path / "verbs.csv"
    path.write_text("restrain,inhibit\ninhibit,restrain\ncurb,restrain\nrun,move\n")
    with pytest.raises(DataError, match="--open-cycles"):
        read_pairs(path, "verb")
    opened = read_pairs(path, "verb", opens_cycles=True)
    assert opened.names == ("curb", "move", "restrain", "run", "verb")
    assert opened.pairs == 4
