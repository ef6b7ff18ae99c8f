"""publius release: the main job."""

from collections.abc import Callable
from pathlib import Path

import click

from publius.cli import show
from publius.cli.engine_options import (
    chosen_engine,
    engine_options,
    taken_engine,
)
from publius.cli.input_options import (
    input_options,
    size_of,
    taken_input,
    tell_check,
    told_files,
)
from publius.cli.journal import JOURNAL
from publius.cli.ledger_options import (
    ledger_options,
    ledger_settings,
    tell_charged,
    warn_of_names,
)
from publius.cli.options import (
    column_names,
    escape_option,
    json_option,
    keep_option,
    out_option,
    seed_option,
)
from publius.cli.private import warn_of_private
from publius.cli.retell_options import (
    FIXED_WORDS,
    LENGTH,
    retell_options,
    retell_settings,
)
from publius.cli.sentence_options import (
    release_settings,
    sentence_options,
)
from publius.cli.word_options import (
    policy_options,
    term_options,
    warn_of_metric,
    word_options,
)
from publius.core.config import WordSettings
from publius.core.errors import ParameterError
from publius.engines.workers import workers_for
from publius.pipeline import Measuring, ReleaseRequest, Watch, check, release
from publius.pipeline.release import usual_format
from publius.reporting.sentences import SentenceFacts, sentence_warnings
from publius.reporting.summary import Summary
from publius.reporting.verdict import verdict
from publius.reporting.words import WordFacts
from publius.services.release import measured_by
from publius.tables.columns import Columns
from publius.tables.formats.table import READABLE, WRITABLE


@click.command("release")
@click.argument("path", metavar="INPUT", type=click.Path())
@out_option
@click.option("--text", "text", metavar="COLUMN", help="The column to protect.")
@click.option(
    "--author", metavar="COLUMN", help="Add up losses per value of this column."
)
@keep_option
@word_options
@sentence_options
@retell_options
@click.option(
    "--as",
    "form",
    type=click.Choice(["text", "bag", "tf"]),
    help="Texts, bags of words, or SynTF term-frequency vectors [text].",
)
@click.option(
    "--length",
    type=LENGTH,
    metavar="N|fixed|as-is",
    help="Words of a bag or terms of a vector [bag: the text's own; tf: 100]. retell: "
    f"fixed writes every text from {FIXED_WORDS} content words, as-is from its own.",
)
@term_options
@policy_options
@click.option(
    "--repeats",
    metavar="K,K…",
    help="The report says what a word loses that stands K times [1, 2, 5, 20].",
)
@click.option(
    "--format",
    "file_format",
    type=click.Choice([*WRITABLE, "same"]),
    help="Of the released table; same = as the input, of Word and Excel parquet [txt "
    "for a .txt file of lines, else parquet].",
)
@click.option(
    "--input-format",
    type=click.Choice(READABLE),
    help="If the name of the input does not tell (standard input: txt).",
)
@click.option("--encoding", default="utf-8", show_default=True, help="Of a text input.")
@input_options
@engine_options
@click.option("--resume", is_flag=True, help="Continue an interrupted release.")
@ledger_options
@escape_option
@click.option(
    "--show-examples",
    is_flag=True,
    help="Show original lines, in report-private.html for you alone.",
)
@click.option(
    "--evaluate",
    is_flag=True,
    help="Attack the release and measure its use; the figures stand in "
    "report-private.html, for you alone.",
)
@click.option(
    "--label",
    metavar="COLUMN",
    help="--evaluate: also predict this column (topic, rating) from released texts.",
)
@seed_option
@json_option
def command(path: str, out: Path, text: str | None, author: str | None, keep: str,
            file_format: str | None, input_format: str | None, encoding: str,
            resume: bool, escapes: bool, show_examples: bool, evaluate: bool,
            label: str | None, seed: int | None, dry_run: bool, as_json: bool,
            **flags: object) -> None:  # fmt: skip
    """Release a table or folder of texts.

    INPUT is a .csv, .tsv, .jsonl, .parquet, .txt or .md file (also .gz), a .docx or
    .xlsx file, a folder of tables or texts, s3://bucket/prefix, or - (standard input).
    A .txt file is released line by line, in a folder as one text. Folders, S3 and
    clusters give parts/ in Parquet.

    With --mechanism dp-vae whole sentences are rewritten; --epsilon is then that of one
    sentence at --delta, or give --sigma. --sentences K covers their number too.
    With --mechanism retell a language model writes each text from noisy words.

    Example:  publius release reviews.csv --text body --author user -o out/
    """
    where = taken_engine(flags)
    read = taken_input(flags)
    charged = ledger_settings(flags)
    kept, workers = column_names(keep), workers_for(path, where["workers"])
    JOURNAL.refuse_in(out)
    retelling = retell_settings(flags)
    settings = release_settings(flags) if retelling is None else retelling
    request = ReleaseRequest(
        path=path,
        out=out,
        columns=Columns(() if text is None else (text,), author, kept),
        settings=settings,
        seed=seed,
        workers=workers,
        resume=resume,
        format=file_format or usual_format(path, input_format, settings),
        input_format=input_format,
        encoding=encoding,
        show_examples=show_examples,
        ledger=charged,
        escapes=escapes,
        **read,
    )
    if isinstance(settings, WordSettings):
        warn_of_metric(settings)
    verdicts: list[str] = []
    with show.watching(size_of(path), request.limit) as watch:
        measuring = _measuring(
            evaluate, label, watch, verdicts.extend, tries_forms=_is_usual(settings)
        )
        with chosen_engine(where) as engine:
            if dry_run:
                checked = check(request, watch, engine)
            else:
                summary = release(request, watch, measuring, engine)
    if dry_run:
        # What is shown of the progress has left the terminal by now.
        tell_check(request, checked, as_json=as_json)
        return
    for line in verdicts:
        show.warn(line)
    if as_json:
        show.as_json(summary.to_json())
    elif not JOURNAL.is_quiet:
        _tell(summary, out)
        _tell_of_retelling(settings)
        tell_charged(request.ledger)
    _warn(summary)
    warn_of_names(request.ledger)
    warn_of_private(out)


def _measuring(
    evaluate: bool,
    label: str | None,
    watch: Watch,
    tell: Callable[[list[str]], None],
    *,
    tries_forms: bool,
) -> Measuring | None:
    """Return how to measure the release, if that is asked for."""
    if evaluate:
        return measured_by(
            label,
            watch,
            lambda measured: tell(verdict(measured)),
            tries_forms=tries_forms,
        )
    if label is not None:
        raise ParameterError("--label is for --evaluate")
    return None


def _is_usual(settings: object) -> bool:
    """Whether the shipped vocabulary fits: other words were not asked for."""
    usual = WordSettings().embedding
    return not isinstance(settings, WordSettings) or settings.embedding == usual


def _warn(summary: Summary[WordFacts] | Summary[SentenceFacts]) -> None:
    """Say that a release is insecure or empty, protects nothing or loses much."""
    if not summary.is_secure:
        show.MESSAGES.print("[red]INSECURE:[/red] made with a seed; do not publish it.")
    if not summary.exposure.rows:
        show.warn("The input has no rows: nothing was released.")
    elif summary.exposure.words == 0:
        show.warn(
            "Nothing here is protected: the texts hold no word that is replaced. Is "
            "this the right column? --protect all replaces stop words too."
        )
    facts = summary.facts
    warned = facts.sums if isinstance(facts, WordFacts) else sentence_warnings(facts)
    for line in warned:
        show.warn(line)


def _tell_of_retelling(settings: object) -> None:
    """Say what hides writers where texts keep all but their content words."""
    is_text = isinstance(settings, WordSettings) and settings.form == "text"
    if is_text and _is_usual(settings):
        show.say(
            "To hide who wrote a text, have it written anew from noisy words: "
            "--mechanism retell; its facts may be wrong."
        )


def _tell(summary: Summary[WordFacts] | Summary[SentenceFacts], out: Path) -> None:
    lines = told_files(out, summary.exposure.rows, list(summary.files))
    report = lines[-2].strip()
    lines += summary.statements
    lines.append(f"Read {report} before you publish.")
    for line in lines:
        show.say(line)
