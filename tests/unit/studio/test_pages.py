"""Pages: every job from start to end, and nothing of a text where it must not be."""

import time

import pytest
from starlette.testclient import TestClient

from publius.studio.desk import Desk
from publius.studio.habits import Chosen, habits, plain_layout
from publius.studio.jobs import Job, State
from publius.studio.pages import page

TEXT = (
    "However, the old doctor came to London -- as he always did -- in the winter of "
    "1987!!  Nobody knew why; nobody asked him about Margaret, about the xyzzyq house."
)
SCRIPT = "<script>alert(1)</script>"
TABLE = f"body,{SCRIPT}\n" + "the old house by the river,x\n" * 5


@pytest.mark.parametrize("path", ["/", "/explore", "/release"])
def test_pages_hold_no_inline_code(browser: TestClient, path: str) -> None:
    answer = browser.get(path)
    assert answer.status_code == 200
    assert "<style" not in answer.text
    assert " style=" not in answer.text
    assert "onclick" not in answer.text


def test_a_preview_marks_words_and_escapes(browser: TestClient) -> None:
    given = {"text": f"{TEXT} {SCRIPT}", "step": "6"}
    answer = browser.post("/write/preview", data=given)
    assert 'data-word="doctor"' in answer.text
    assert '<span class="pass">the</span>' in answer.text
    assert "preview, not for publication" in answer.text
    assert "<script" not in answer.text


@pytest.mark.parametrize(
    "given", [{"text": "x", "step": "99"}, {"text": "x", "step": SCRIPT}]
)
def test_bad_input_is_told_in_the_page(
    browser: TestClient, given: dict[str, str]
) -> None:
    answer = browser.post("/write/preview", data=given)
    assert 'role="alert"' in answer.text
    assert "script" not in answer.text


def test_a_second_draw_says_what_it_costs(desk: Desk, browser: TestClient) -> None:
    given = {"text": TEXT, "step": "6", "tab": "a"}
    assert "draw 2" not in browser.post("/write/release", data=given).text
    second = browser.post("/write/release", data=given | {"text": TEXT + "!"}).text
    assert "This is draw 2" in second
    assert "no longer holds" in second
    assert TEXT not in repr(desk.drawn)


def test_a_draw_counts_by_tab_and_by_text(browser: TestClient) -> None:
    def drawn(text: str, tab: str) -> bool:
        given = {"text": text, "step": "6", "tab": tab}
        return "This is draw" in browser.post("/write/release", data=given).text

    assert not drawn("the old house", "a")
    assert not drawn("a young doctor", "b")  # another tab, another text
    assert drawn("The old  house", "c")  # the same text after a reload
    browser.post("/write/new", data={"tab": "a"})
    assert not drawn("the river", "a")
    assert drawn("the old house", "a")  # begun anew, yet the same text


def test_a_release_can_be_downloaded_by_its_number(browser: TestClient) -> None:
    shown = browser.post("/write/release", data={"text": TEXT, "step": "6"}).text
    path = shown.partition('href="')[2].partition('"')[0]
    answer = browser.get(path)
    assert "attachment" in answer.headers["content-disposition"]
    assert browser.get("/write/released/x").status_code == 404


def test_habits_are_told_and_mended() -> None:
    told = {habit.name: habit for habit in habits(TEXT)}
    assert told["Punctuation"].is_clear
    assert told["Punctuation"].is_left
    assert "xyzzyq" in told["Rare spellings"].told
    assert "1987" in told["Numbers"].told
    assert "Margaret" in told["Names"].told
    mended = {h.name: h for h in habits(TEXT, Chosen(protects_all=True, is_plain=True))}
    assert not mended["Punctuation"].is_left
    assert not mended["Stop-word habits"].is_left
    assert habits("too short") == ()


def test_plain_layout_leaves_words_and_full_stops() -> None:
    assert plain_layout("He  said:\n\n“Well-known -- isn't it?!” (Yes)") == (
        "He said Well-known isn't it. Yes"
    )


def finished(browser: TestClient, path: str) -> str:
    """Return a fragment once its job is over."""
    for _ in range(1200):
        text = browser.get(path).text
        if "hx-trigger" not in text:
            return text
        time.sleep(0.05)
    pytest.fail("the job does not end")


def test_explore_answers_with_table_plot_files_and_command(
    browser: TestClient,
) -> None:
    given = {"word": "house", "epsilon": "3", "vocabulary": "300"}
    begun = browser.post("/explore/explain", data=given).text
    path = (
        "/explore/jobs/"
        + (begun.partition("/explore/jobs/")[2].partition("/")[0].partition('"')[0])
    )
    text = finished(browser, path)
    assert "publius explain house --vocabulary 300 --epsilon 3" in text
    assert "<svg" in text
    assert browser.get(f"{path}/table.csv").text.startswith("word,probability")
    assert browser.get(f"{path}/plot.svg").text.startswith("<svg")


@pytest.mark.slow
def test_a_release_runs_from_a_file_to_its_report(browser: TestClient) -> None:
    sent = {"file": ("../../x.csv", TABLE.encode())}
    columns = browser.post("/release/file", files=sent).text
    assert "<script" not in columns
    assert "the old house" not in columns
    number = columns.partition('name="file" value="')[2].partition('"')[0]
    given = {"file": number, "material": "release", "text": "body", "epsilon": "4"}
    begun = browser.post("/release/start", data=given)
    path = begun.headers["hx-redirect"]
    text = finished(browser, f"{path}/state")
    assert "Done: 5 rows" in text
    report = browser.get(f"{path}/report")
    assert "sandbox" in report.headers["content-security-policy"]
    assert browser.get(f"{path}/all.zip").content.startswith(b"PK")
    assert browser.get(f"{path}/publius.toml").text == (
        '[job]\nverb = "release"\ninput = "TABLE.csv"\ntext = "body"\nepsilon = 4\n'
        'format = "same"\nout = "released"\n'
    )
    whole = browser.get(path).text
    assert "publius release TABLE.csv --text body --epsilon 4" in whole


@pytest.mark.parametrize(
    "given",
    [
        {},
        {"material": "release"},
        {"material": "release", "file": "x"},
        {"material": SCRIPT, "file": "x"},
    ],
)
def test_a_bad_release_is_told_in_the_page(
    browser: TestClient, given: dict[str, str]
) -> None:
    answer = browser.post("/release/start", data=given)
    assert 'role="alert"' in answer.text
    assert "script" not in answer.text


@pytest.mark.parametrize("fragment", ["progress.html.j2", "state.html.j2"])
def test_a_job_that_ends_while_its_page_is_written_is_shown_as_running(
    fragment: str,
) -> None:
    job = Job("explain", state=State.RUNNING)
    state = job.state
    job.state = State.DONE  # in its own thread, a moment later
    shown = page(fragment, job=job, state=state, facts={}, path="/explore/jobs")
    assert b"hx-trigger" in bytes(shown.body)
