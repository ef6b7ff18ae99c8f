"""The release itself: what its figures say and what it refuses."""

from collections.abc import Callable
from pathlib import Path

import pytest

from publius.core.config import WordSettings
from publius.core.errors import DataError, ParameterError
from publius.pipeline import PlaceSettings, ReleaseRequest, Watch, release
from publius.tables.columns import Columns

SMALL = WordSettings(vocabulary=60)


def request(folder: Path, **changes: object) -> ReleaseRequest:
    path = folder / "in.csv"
    path.write_text("body,who\nThe people,a\nworld,b\npeople and world,a\n")
    asked: dict[str, object] = {
        "path": str(path),
        "out": folder / "out",
        "columns": Columns(("body",)),
        "settings": SMALL,
        "seed": 1,
    }
    return ReleaseRequest(**{**asked, **changes})  # type: ignore[arg-type]


def test_exposure_counts_protected_words(tmp_path: Path) -> None:
    told = release(request(tmp_path, columns=Columns(("body",), "who"))).exposure
    assert (told.rows, told.words, told.longest, told.busiest) == (3, 4, 2, 3)


@pytest.mark.parametrize(
    "settings",
    [
        WordSettings(vocabulary=60, form="tf"),
        WordSettings(vocabulary=60, form="bag", length=2),
    ],
)
def test_whole_texts_cost_one_guarantee_each(
    tmp_path: Path, settings: WordSettings
) -> None:
    told = release(
        request(tmp_path, settings=settings, columns=Columns(("body",), "who"))
    )
    assert (told.exposure.words, told.exposure.longest) == (None, None)
    assert told.exposure.busiest == 2
    assert told.facts.author_loss == pytest.approx(2 * told.guarantee.worst_loss)
    said = " ".join(told.guarantee.scope.uncovered)
    assert "missing; an empty text is drawn for" in said
    assert "How many texts the author" in said


def test_what_the_table_tells_is_said(tmp_path: Path) -> None:
    told = release(request(tmp_path, columns=Columns(("body",), "who", ("who",))))
    said = " ".join(told.guarantee.scope.uncovered)
    for part in ("which cells were empty", "order", "author with most", "kept: who"):
        assert part in said
    plain = release(request(tmp_path, out=tmp_path / "plain"))
    assert "author" not in " ".join(plain.guarantee.scope.uncovered)


def test_vectors_name_what_drew_them(tmp_path: Path) -> None:
    told = release(request(tmp_path, settings=WordSettings(vocabulary=60, form="tf")))
    assert (told.facts.settings.mechanism, told.facts.settings.metric) == ("syntf", "")
    assert told.facts.settings.length == 100
    assert told.mechanism == "syntf.v1"


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        (WordSettings(form="tf", mechanism="laplace"), "--mechanism"),
        (WordSettings(form="tf", metric="hop"), "--metric"),
        (WordSettings(form="tf", level=1.0), "--level"),
    ],
)
def test_vectors_refuse_settings_they_would_ignore(
    tmp_path: Path, settings: WordSettings, said: str
) -> None:
    with pytest.raises(ParameterError, match=said):
        release(request(tmp_path, settings=settings))
    assert not (tmp_path / "out").exists()


def test_progress_tells_stages_and_rows_only(tmp_path: Path) -> None:
    stages: list[str] = []
    rows: list[int] = []
    release(
        request(tmp_path), Watch(stages.append, lambda count, _: rows.append(count))
    )
    assert rows == [3]
    assert "releasing" in stages
    assert not any("people" in stage for stage in stages)


def test_a_failed_run_leaves_no_folder(tmp_path: Path) -> None:
    asked = request(tmp_path)
    (tmp_path / "in.csv").write_text("body,who\nx,1\nbroken\n")
    with pytest.raises(DataError, match="row 3"):
        release(asked)
    assert not (tmp_path / "out").exists()
    (tmp_path / "out").mkdir()
    with pytest.raises(DataError, match="row 3"):
        release(asked)


@pytest.mark.parametrize("change", [Path.unlink, Path.touch], ids=["gone", "written"])
def test_an_input_that_changes_meanwhile_is_not_released(
    tmp_path: Path, change: Callable[[Path], None]
) -> None:
    path = tmp_path / "in.csv"
    path.write_text("lat,lon\n" + "52.5,13.4\n" * 100)
    asked: ReleaseRequest[PlaceSettings] = ReleaseRequest(
        str(path),
        tmp_path / "out",
        Columns(("lat", "lon")),
        PlaceSettings(level=1.0, radius=200.0),
    )
    # While the rows are read: the first count of rows is told after them.
    watch = Watch(rows=lambda *_: change(path))
    with pytest.raises(DataError, match="the input was changed while it was being"):
        release(asked, watch)
    assert not list((tmp_path / "out").rglob("manifest.json"))
    assert not list((tmp_path / "out").rglob("shard-*"))
