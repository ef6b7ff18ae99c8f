"""publius linkage: whose places are these?"""

import click

from publius.cli import show
from publius.cli.options import json_option, knowledge_option
from publius.cli.tables import print_table
from publius.services.link import Linking, link


@click.command("linkage")
@click.argument("table", metavar="TABLE", type=click.Path())
@click.option("--lat", default="lat", show_default=True, metavar="COLUMN",
              help="Latitudes in degrees.")  # fmt: skip
@click.option("--lon", default="lon", show_default=True, metavar="COLUMN",
              help="Longitudes in degrees.")  # fmt: skip
@click.option("--user", metavar="COLUMN", required=True, help="Whose record a row is.")
@click.option(
    "--released",
    metavar="FILE|LAT,LON",
    type=click.Path(),
    required=True,
    help="Released places: a file or release folder, row by row, or two columns.",
)
@click.option("--trajectory", metavar="COLUMN",
              help="Tells journeys of a person apart [all records].")  # fmt: skip
@knowledge_option("Learn from released copies or from originals")
@click.option("--split", metavar="COLUMN",
              help="Says train or test [first half of each person].")  # fmt: skip
@click.option("--least", type=click.IntRange(min=2), default=2, show_default=True,
              help="Records that a person must have.")  # fmt: skip
@click.option("--id", "key", metavar="COLUMN",
              help="Names records in both tables if some were left out.")  # fmt: skip
@click.option("--input-format", help="If the name of the table does not tell.")
@click.option("--seed", type=click.IntRange(min=0), help="Of the intervals.")
@json_option
def command(as_json: bool, **asked: object) -> None:
    """Link released places to people and say how often that succeeds.

    The attacker knows whose records one part is and guesses the person of every other
    journey, by the grid cells it has in common with what is known. An adaptive attacker
    learns from copies that went through the same mechanism.

    Example:  publius linkage visits.csv --user id --trajectory day --released out/
    """
    with show.stages() as watch:
        linking = link(watch=watch, **asked)
    if as_json:
        show.as_json(linking.to_json())
        return
    _tell(linking)


def _tell(linking: Linking) -> None:
    visits, results = linking.visits, linking.results
    show.left_out(visits.excluded)
    rows = []
    for row in results:
        scores = row.scores
        rows.append(
            (
                "(originals)" if row.target == "original" else row.knowledge.value,
                f"{show.figure(row.side_m)} m",
                *map(show.stacked, (scores.accuracy, scores.macro_f1, scores.mcc)),
                show.stacked(scores.top[10]) if 10 in scores.top else "",
            )
        )
    print_table(("attacker", "cell", "accuracy", "macro-F1", "MCC", "top 10"), rows)
    base = results[0].scores
    show.say(
        f"{base.accuracy.n:,} journeys of {base.classes} people; chance "
        f"{base.chance:.4f}, most frequent person {base.majority:.4f}."
    )
