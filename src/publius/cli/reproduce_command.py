"""publius reproduce: a table or figure of the papers, ours beside the published one."""

from pathlib import Path

import click

from publius.assessment.comparison.rows import Row
from publius.assessment.comparison.writing import (
    columns_of,
    render,
    write_json,
    write_tables,
)
from publius.cli import show
from publius.cli.options import completing, json_option
from publius.cli.tables import print_table
from publius.core.errors import OutputError
from publius.papers import Experiment, Outcome, Request, experiment, experiments
from publius.papers.experiment import Shown
from publius.storage.atomic import write_bytes


@click.command("reproduce")
@click.argument("name", required=False, shell_complete=completing(experiments))
@click.option("--list", "is_list", is_flag=True, help="Print every name and stop.")
@click.option(
    "--data",
    "folder",
    type=click.Path(path_type=Path),
    default=Path(),
    help="Folder with authorship/, topic/, utility/, vectors/ … [here].",
)
@click.option("-o", "--out", type=click.Path(path_type=Path), help="Folder to write.")
@click.option("--quick", is_flag=True, help="Reduced sizes: minutes, not hours.")
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True)
@json_option
def command(
    name: str | None,
    is_list: bool,
    folder: Path,
    out: Path | None,
    quick: bool,
    seed: int,
    as_json: bool,
) -> None:
    """Make a table or figure of the papers again.

    Writes NAME.csv, NAME.json, NAME.svg and NAME.html to the folder of -o; published
    numbers stand beside ours, and the notes say how data and method differ.

    Example:  publius reproduce --list

    Example:  publius reproduce fernandes-table1 --data data/ --quick -o out/
    """
    if is_list:
        _list(as_json=as_json)
        return
    if name is None:
        raise click.UsageError("give a NAME, or --list")
    chosen = experiment(name)
    if out is None:
        raise click.UsageError("give a folder to write with -o")
    if out.exists() and not out.is_dir():
        raise OutputError(f"{out} is not a folder")
    with show.stages() as watch:
        request = Request(folder, quick, seed, watch.stage)
        for file in chosen.needs:
            request.path(file)
        outcome = chosen.run(request)
    typed = f"publius reproduce {name} --data DATA" + (" --quick" if quick else "")
    _write(chosen, outcome, out, f"{typed} --seed {seed} -o OUT")
    if as_json:
        show.as_json(_about(chosen, outcome))
        return
    _tell(chosen, outcome, out)


def _list(*, as_json: bool) -> None:
    known = experiments()
    if as_json:
        show.as_json({name: known[name].title for name in sorted(known)})
        return
    width = max(map(len, known))
    for name in sorted(known):
        show.say(f"{name:{width}}  {known[name].title}")


def _about(chosen: Experiment, outcome: Outcome) -> dict[str, object]:
    return {
        "name": chosen.name,
        "title": chosen.title,
        "notes": list(outcome.notes),
        "rows": [dict(row) for row in outcome.rows],
    }


def _write(chosen: Experiment, outcome: Outcome, out: Path, command: str) -> None:
    write_tables(outcome.rows, out, chosen.name, parquet=False)
    write_json(_about(chosen, outcome), out / f"{chosen.name}.json")
    pictures = []
    if outcome.figure:
        write_bytes(out / f"{chosen.name}.svg", outcome.figure.encode())
        pictures.append(("Figure", outcome.figure))
    page = render(chosen.title, outcome.notes, pictures, outcome.rows, command)
    write_bytes(out / f"{chosen.name}.html", page.encode())


def _tell(chosen: Experiment, outcome: Outcome, out: Path) -> None:
    columns = columns_of(outcome.rows)
    shown = outcome.shown or tuple(Shown(name, name) for name in columns)
    cells = [[_value(row, column) for column in shown] for row in outcome.rows]
    print_table([column.heading for column in shown], cells)
    for note in outcome.notes:
        show.say(f"- {note}")
    show.say(f"{out / chosen.name}.html")


def _value(row: Row, column: Shown) -> str:
    value, low, high = (row.get(f"{column.name}{end}") for end in ("", " low", " high"))
    if not isinstance(value, float) or column.digits is None:
        return _cell(value)
    text = f"{value:.{column.digits}f}"
    if column.has_interval and isinstance(low, float) and isinstance(high, float):
        text += f" ({low:.{column.digits}f}–{high:.{column.digits}f})"
    beside = row.get(column.beside)
    return f"{text} / {beside:.{column.digits}f}" if isinstance(beside, float) else text


def _cell(value: object) -> str:
    if isinstance(value, float):
        return show.figure(value)
    return "" if value is None else str(value)
