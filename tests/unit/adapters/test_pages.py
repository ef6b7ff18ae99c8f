"""The pages about other tools do what they say: their code is run as it stands."""

import re
import warnings
from pathlib import Path
from typing import Any

import pytest

import publius as pb

PAGES = Path(__file__).parents[3] / "docs" / "how-to"
TEXTS = ["The people said: vote!", "the government of the world", "people people"] * 5
KEY = bytes(range(32))


def blocks(page: str) -> list[str]:
    """Return the Python blocks of a page."""
    text = (PAGES / f"{page}.md").read_text("utf-8")
    return re.findall(r"```python\n(.*?)```", text, flags=re.DOTALL)


def function(name: str) -> Any:
    """Return the recipe of that name."""
    space: dict[str, Any] = {"pb": pb}
    code = next(block for block in blocks("lazy-tables") if f"def {name}(" in block)
    exec(code, space)  # noqa: S102 - our own page
    return space[name]


def memo(epsilon: float = 0.01) -> pb.Memo:
    return pb.Memo(KEY, pb.WordSettings(vocabulary=200, epsilon=epsilon))


def expected(texts: list[str | None]) -> list[str | None]:
    return memo().release(texts, list(range(len(texts))))


@pytest.mark.parametrize(
    ("page", "needs"),
    [
        ("presidio", "presidio_analyzer"),
        ("spacy", "spacy"),
        ("scikit-learn", "pandas"),
    ],
)
def test_pages_run(page: str, needs: str) -> None:
    pytest.importorskip(needs, reason=f"needs {needs}", exc_type=ImportError)
    space: dict[str, Any] = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        for code in blocks(page):
            exec(code, space)  # noqa: S102 - our own page
    assert space["released" if page != "presidio" else "result"] is not None


def test_polars_draws_a_row_once() -> None:
    pl = pytest.importorskip("polars")
    release = function("release_polars")
    frame = pl.LazyFrame({"id": range(16), "body": [*TEXTS, None]})
    lazy = release(frame, memo())
    first, second = lazy.collect(), lazy.collect()
    assert first.equals(second)
    assert first["body"].to_list() == expected([*TEXTS, None])
    some = lazy.filter(pl.col("id") % 2 == 0).collect()["body"].to_list()
    assert some == first["body"].to_list()[::2]


def test_duckdb_draws_a_row_once() -> None:
    duckdb = pytest.importorskip("duckdb", reason="needs publius[lazy]")
    connection = duckdb.connect()
    connection.execute("CREATE TABLE letters (id BIGINT, body VARCHAR)")
    rows = list(enumerate([*TEXTS, None]))
    connection.executemany("INSERT INTO letters VALUES (?, ?)", rows)
    function("release_duckdb")(connection, memo())
    query = "SELECT released(id, body) FROM letters ORDER BY id"
    first = [row[0] for row in connection.execute(query).fetchall()]
    assert first == [row[0] for row in connection.execute(query).fetchall()]
    assert first == expected([*TEXTS, None])
    connection.close()


def test_dask_draws_a_row_once() -> None:
    dd = pytest.importorskip("dask.dataframe", reason="needs publius[lazy]")
    pd = pytest.importorskip("pandas")
    table = pd.DataFrame({"id": range(16), "body": [*TEXTS, None]})
    lazy = function("release_dask")(dd.from_pandas(table, npartitions=3), memo())
    first = lazy.compute(scheduler="synchronous")
    second = lazy.repartition(npartitions=1).compute(scheduler="threads")
    assert first["body"].equals(second["body"])
    assert first["body"].fillna("").tolist() == [
        text or "" for text in expected([*TEXTS, None])
    ]


def test_hugging_face_draws_a_row_once_and_keeps_originals_in_its_cache(
    tmp_path: Path,
) -> None:
    datasets = pytest.importorskip("datasets", reason="needs publius[lazy]")
    datasets.disable_progress_bars()
    source = tmp_path / "letters.csv"
    lines = [f'{place},"{text}"' for place, text in enumerate(TEXTS)]
    source.write_text("\n".join(["id,body", *lines]))
    given = datasets.load_dataset(
        "csv", data_files=str(source), split="train", cache_dir=str(tmp_path / "cache")
    )
    release = function("release_datasets")
    first, second = release(given, memo()), release(given, memo())
    assert list(first["body"]) == list(second["body"]) == expected(TEXTS)
    fresh = given.map(
        lambda rows: {"body": memo().release(list(rows["body"]), list(rows["id"]))},
        batched=True,
        load_from_cache_file=False,
    )
    assert list(fresh["body"]) == expected(TEXTS)
    kept = b"".join(Path(one["filename"]).read_bytes() for one in given.cache_files)
    assert TEXTS[0].encode() in kept  # what the page warns of


@pytest.mark.parametrize(
    "name", ["release_polars", "release_duckdb", "release_dask", "release_datasets"]
)
def test_every_recipe_is_on_the_page(name: str) -> None:
    assert sum(f"def {name}(" in block for block in blocks("lazy-tables")) == 1


def test_other_content_has_independent_noise() -> None:
    """Rows that differ in their last word share no noise in the words before it."""
    same = "people " * 40
    one, other = memo().release([same + "vote", same + "world"], [1, 1])
    assert one is not None
    assert other is not None
    equal = [a == b for a, b in zip(one.split(), other.split(), strict=True)]
    assert sum(equal) < 10  # 40 words of 200; shared noise would make all 40 equal
