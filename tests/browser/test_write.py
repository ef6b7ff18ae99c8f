"""A person with a text, from pasting it to a release."""

import re
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.browser

TEXT = (
    "However, the old doctor came to London -- as he always did -- in the winter of "
    "1987!!  Nobody knew why; nobody asked him about Margaret, nor about the house."
)
LONG = " ".join([TEXT.replace("doctor", w) for w in ("doctor", "sailor", "judge")] * 2)


def write(page: Any, text: str = TEXT) -> None:
    """Paste a text and wait for its preview."""
    page.fill("#text", text)
    page.wait_for_selector(".sides")


def test_from_a_text_to_its_release(watched: Any) -> None:
    page = watched.page
    assert "token" not in page.url
    write(page)
    assert re.search(r"at most [\d,.]+ to 1", page.inner_text(".dial"))
    assert "preview, not for publication" in page.inner_text("#sides-title")
    page.click("text=Draw the release")
    page.wait_for_selector("#released-text")
    released = page.input_value("#released-text")
    kept = watched.downloaded("a:has-text('Download')").decode()
    assert kept == released
    page.click("text=Draw the release")
    page.wait_for_selector("text=This is draw 2")
    assert "no longer holds" in page.inner_text(".final")
    page.click("text=Begin another text")
    page.wait_for_selector("text=counts as the first")
    assert "doctor" not in page.url
    watched.check()
    assert watched.axe() == []


def test_a_preview_has_noise_of_its_own(watched: Any) -> None:
    page = watched.page
    write(page, LONG)
    preview = page.inner_text(".drawn")
    page.click("text=Draw the release")
    page.wait_for_selector("#released-text")
    assert page.input_value("#released-text").split() != preview.split()


@pytest.mark.parametrize("how", ["hover", "focus"])
def test_a_word_shows_its_law(watched: Any, how: str) -> None:
    page = watched.page
    write(page)
    getattr(page.locator(".word[data-word=doctor]"), how)()
    page.wait_for_selector("text=What becomes of “doctor”")
    panel = page.inner_text("#word")
    assert "words could have given this output" in panel
    assert "Near words: " in panel
    label = page.get_attribute("#word svg", "aria-label") or ""
    shares = [float(one) for one in re.findall(r"([\d.]+) %", label)]
    assert sum(shares) == pytest.approx(100, abs=1.0)
    watched.check()


def test_leaving_the_text_draws_no_other_preview(watched: Any) -> None:
    page, asked = watched.page, list[str]()
    write(page)
    page.on("request", lambda request: asked.append(request.url))
    page.locator(".word[data-word=doctor]").focus()
    page.wait_for_selector("#word .law")
    assert [url.rpartition("/")[2] for url in asked] == ["word"]


def test_the_slider_speaks_in_odds(watched: Any) -> None:
    page = watched.page
    write(page)
    told = []
    for step in ("2", "6", "9"):
        page.locator("#step").fill(step)
        page.wait_for_function(
            "seen => document.querySelector('.dial').innerText !== seen",
            arg=told[-1] if told else "",
        )
        page.wait_for_timeout(400)
        told.append(page.inner_text(".dial"))
    odds = [
        float(re.search(r"most ([\d,.]+) to 1", t)[1].replace(",", "")) for t in told
    ]
    assert odds == sorted(set(odds))


@pytest.mark.parametrize(
    ("button", "box"),
    [
        ("Protect all words", "#protect"),
        ("Drop layout", "#plain"),
        ("Rewrite sentences", "#rewrite"),
    ],
)
def test_a_button_mends_what_gives_a_writer_away(
    watched: Any, button: str, box: str
) -> None:
    page = watched.page
    write(page, LONG)
    page.locator(f".habits button:has-text('{button}')").first.click()
    assert page.is_checked(box)
    page.wait_for_function(
        "label => ![...document.querySelectorAll('.habits button')]"
        ".some(b => b.innerText === label)",
        arg=button,
    )
    watched.check()


def test_am_i_still_recognised(watched: Any) -> None:
    page = watched.page
    write(page, LONG)
    page.click("text=Look for me")
    page.wait_for_selector("#recognised [role=alert]")
    page.fill("#other-1", LONG.replace("winter", "summer"))
    page.click("text=Look for me")
    page.wait_for_selector("#recognised table")
    told = page.inner_text("#recognised")
    assert "95 % interval" in told
    assert "as they are" in told
    assert "released with these settings" in told
    watched.check()
    assert watched.axe() == []


def test_a_retelling_is_made_or_said_to_be_missing(watched: Any) -> None:
    page = watched.page
    write(page, "The old doctor came to London in winter.")
    page.click("#retell")
    page.click("text=Preview once")
    page.wait_for_selector("#preview [role=alert], .sides")
    told = page.inner_text("#preview")
    assert "publius retelling get" in told or "Release" in told
    watched.check()


def test_copy_and_print(watched: Any) -> None:
    page = watched.page
    watched.context.grant_permissions(["clipboard-read", "clipboard-write"])
    write(page)
    page.click("text=Draw the release")
    page.click("button:has-text('Copy')")
    page.wait_for_selector("text=Copied.")
    released = page.input_value("#released-text")
    assert page.evaluate("navigator.clipboard.readText()") == released
    page.evaluate("window.print = () => { window.printed = true; }")
    page.click("button:has-text('Print')")
    assert page.evaluate("window.printed")
    page.emulate_media(media="print")
    shown = page.evaluate("document.body.innerText")
    assert " ".join(released.split()) in " ".join(shown.split())
    assert not page.is_visible("#preview")  # the original is not printed
    assert not page.is_visible("#text")


def test_a_file_is_opened(watched: Any, tmp_path: Path) -> None:
    path = tmp_path / "own.txt"
    path.write_text(TEXT, "utf-8")
    watched.page.set_input_files("#open", path)
    watched.page.wait_for_selector(".sides")
    assert watched.page.input_value("#text") == TEXT


def test_by_keyboard_alone(watched: Any) -> None:
    page = watched.page
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    reach(page, "document.activeElement.id === 'text'")
    page.keyboard.insert_text(TEXT)
    page.wait_for_selector(".sides")
    reach(page, "document.activeElement.id === 'step'")
    before = page.get_attribute("#step", "aria-valuetext")
    page.keyboard.press("ArrowLeft")
    assert page.get_attribute("#step", "aria-valuetext") != before
    page.wait_for_selector("text=ε = 2.5 ")
    reach(page, "document.activeElement.classList.contains('word')")
    first = page.evaluate("document.activeElement.dataset.word")
    page.keyboard.press("ArrowRight")
    assert page.evaluate("document.activeElement.dataset.word") != first
    page.wait_for_selector(".law")
    outline = "getComputedStyle(document.activeElement).outlineStyle"
    assert page.evaluate(outline) == "solid"
    reach(page, "document.activeElement.innerText === 'Draw the release'")
    page.keyboard.press("Enter")
    page.wait_for_selector("#released-text")
    watched.check()


def reach(page: Any, condition: str) -> None:
    """Press Tab until something has the focus."""
    for _ in range(60):
        if page.evaluate(condition):
            return
        page.keyboard.press("Tab")
    pytest.fail(f"the keyboard does not reach: {condition}")
