"""Write: a person with a text sees what it becomes, and what still gives them away."""

import math
from dataclasses import dataclass
from http import HTTPStatus
from importlib import import_module

from starlette.concurrency import run_in_threadpool
from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from publius import autoencoder
from publius.assessment.deniability.explanation import Explanation
from publius.core.config import WordSettings
from publius.core.errors import DataError, ParameterError
from publius.core.guarantee import Guarantee
from publius.core.rng import secure
from publius.core.stating import state_bound
from publius.materials.words.sanitizer import Unit
from publius.reporting.statements import word_statements
from publius.services.explain import explain
from publius.services.prepared import PREPARED
from publius.studio.charts import bars
from publius.studio.desk import Desk
from publius.studio.habits import Chosen, Habit, habits, plain_layout
from publius.studio.laws import settings_at
from publius.studio.pages import Handler, page, told
from publius.studio.problems import Problem
from publius.studio.slider import DEFAULT, STEPS

LONGEST = 200_000
"""Characters of a text; longer ones are released as a file."""

BARS = 12
SIGMA = 1.0
"""Noise of rewritten sentences, as measured for the README."""


@dataclass(frozen=True, slots=True)
class Draft:
    """What the form holds.

    Args:
        text: The secret.
        step: Of the slider.
        chosen: What is changed beside content words.
        is_rewritten: Sentences are written anew instead of words replaced.
    """

    text: str
    step: int
    chosen: Chosen
    is_rewritten: bool

    @classmethod
    def of(cls, form: FormData) -> "Draft":
        """Read the form of the page."""
        text, step = str(form.get("text", "")), str(form.get("step", DEFAULT))
        if len(text) > LONGEST:
            raise DataError("the text is too long for this page; release it as a file")
        if not (step.isascii() and step.isdigit() and int(step) < len(STEPS)):
            raise ParameterError("the slider has no such step")
        flags = Chosen(form.get("protect") == "all", form.get("plain") == "yes")
        return cls(text, int(step), flags, form.get("rewrite") == "yes")

    @property
    def settings(self) -> WordSettings:
        """Return how words are replaced."""
        protect = "all" if self.chosen.protects_all else "content"
        return settings_at(self.step, protect=protect)

    @property
    def prepared(self) -> str:
        """Return the text as it is released: without its layout where that is asked."""
        return plain_layout(self.text) if self.chosen.is_plain else self.text


@dataclass(frozen=True, slots=True)
class Draw:
    """One draw for a draft; holds the secret.

    Args:
        units: Word by word; empty if sentences were rewritten.
        released: What came out.
        guarantee: Of one word or sentence.
        statements: What is guaranteed, in sentences.
        protected: Draws that were made.
    """

    units: tuple[Unit, ...]
    released: str
    guarantee: Guarantee
    statements: list[str]
    protected: int


def draw(draft: Draft) -> Draw:
    """Draw once, with noise of its own."""
    if draft.is_rewritten:
        return _rewritten(draft)
    settings = draft.settings
    cleaner = PREPARED(settings)
    units = cleaner.release_units(draft.prepared, secure())
    return Draw(
        units,
        "".join(unit.gap + unit.released for unit in units),
        cleaner.guarantee(),
        word_statements(cleaner.guarantee(), settings),
        sum(unit.is_protected for unit in units),
    )


def _rewritten(draft: Draft) -> Draw:
    written = autoencoder.SentenceVAE.load(device="cpu").rewrite(
        [draft.prepared], secure(), sigma=SIGMA
    )
    loss = written.guarantee.worst_loss
    bound = "" if math.isinf(loss) else f" by at most e^{state_bound(loss)}"
    return Draw(
        (),
        written.texts[0],
        written.guarantee,
        [
            f"Every sentence was written anew from one noisy vector (σ = {SIGMA:g})"
            f"{bound}; the report of `publius release --mechanism dp-vae` states the "
            "(ε, δ) of a sentence and of the text. The number of sentences shows."
        ],
        int(written.sentences[0]),
    )


def routes(desk: Desk) -> list[Route]:
    """Return the addresses of the page."""
    return [
        Route("/write/preview", told(_preview), methods=["POST"]),
        Route("/write/word", told(_word), methods=["POST"]),
        Route("/write/recognised", told(_recognised), methods=["POST"]),
        Route("/write/release", told(_release(desk)), methods=["POST"]),
        Route("/write/new", told(_new(desk)), methods=["POST"]),
        Route("/write/released/{id}", _download(desk)),
    ]


async def _preview(request: Request) -> Response:
    draft = Draft.of(await request.form())
    return await run_in_threadpool(_previewed, draft)


def _previewed(draft: Draft) -> Response:
    if not draft.text.strip():
        return page("preview.html.j2", draw=None, draft=draft, **_dial(draft))
    return page(
        "preview.html.j2",
        draw=draw(draft),
        draft=draft,
        habits=_told_habits(draft),
        **_dial(draft),
    )


def _told_habits(draft: Draft) -> tuple[Habit, ...]:
    return () if draft.is_rewritten else habits(draft.text, draft.chosen)


def _dial(draft: Draft) -> dict[str, object]:
    """Return what the slider means, in odds."""
    found = PREPARED(draft.settings).guarantee()
    return {
        "epsilon": STEPS[draft.step],
        "near": found.near_bound,
        "odds": f"{math.ceil(math.exp(found.near_bound)):,}",
        "worst": found.worst_loss,
    }


async def _word(request: Request) -> Response:
    form = await request.form()
    draft, word = Draft.of(form), str(form.get("word", ""))
    found = await run_in_threadpool(explain, word, draft.settings, BARS)
    return page("word.html.j2", found=found, chart=bars(_law(found), "probability"))


def _law(found: Explanation) -> list[tuple[str, float]]:
    shares = found.replacements.figures.tolist()
    listed = list(zip(found.replacements.words, shares, strict=True))
    return [*listed, ("any other word", found.others)]


async def _recognised(request: Request) -> Response:
    form = await request.form()
    draft = Draft.of(form)
    others = [str(text) for text in form.getlist("other") if str(text).strip()]
    texts = [draft.text, *others]
    found = await run_in_threadpool(_recognise, texts, draft.settings)
    return page("recognised.html.j2", found=found)


def _recognise(texts: list[str], settings: WordSettings) -> object:
    # Attacks are heavy to import, and the first page needs none.
    return import_module("publius.studio.recognise").recognise(texts, settings)


def _release(desk: Desk) -> Handler:
    async def answer(request: Request) -> Response:
        draft = Draft.of(await request.form())
        if not draft.text.strip():
            raise DataError("there is no text yet")
        made = await run_in_threadpool(draw, draft)
        number = desk.drawn.add(made.released)
        return page(
            "released.html.j2", draw=made, number=number, count=desk.drawn.count
        )

    return answer


def _new(desk: Desk) -> Handler:
    async def answer(_: Request) -> Response:
        desk.drawn.begin()
        return page("new.html.j2")

    return answer


def _download(desk: Desk) -> Handler:
    async def answer(request: Request) -> Response:
        text = desk.drawn.find(request.path_params["id"])
        if text is None:
            raise Problem(HTTPStatus.NOT_FOUND, "this release is not kept any more")
        name = {"Content-Disposition": 'attachment; filename="released.txt"'}
        return PlainTextResponse(text, headers=name)

    return answer
