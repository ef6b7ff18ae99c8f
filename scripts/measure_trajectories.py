"""Measure how often journeys are linked to their people, by what was done to them.

    python scripts/measure_trajectories.py DATA [COMMIT]

DATA holds geo/foursquare_nyc.csv.gz, geo/gowalla_nyc.csv.gz and
geo/gowalla_world_300users.csv.gz. Writes docs/measurements/trajectories.json. What
Publius does not offer (one draw per place, used again) is made here, to be compared.
"""

import json
import platform
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import csv, parquet

from publius.core.rng import secure
from publius.materials.places.sanitizer import PlaceSanitizer
from publius.materials.places.treatment import PlaceSettings
from publius.services.link import link
from publius.services.release import release_places

OUT = Path(__file__).parents[1] / "docs" / "measurements" / "trajectories.json"
DATE = "2026-11-18"
RADIUS = 200.0
LEAST = 20
"""Records that a person of gowalla_nyc must have."""

FILES = {
    "foursquare_nyc": ("foursquare_nyc.csv.gz", True),
    "gowalla_nyc": ("gowalla_nyc.csv.gz", False),
    "gowalla_world": ("gowalla_world_300users.csv.gz", True),
}
"""File, and whether it says which journeys are known and which attacked."""


def visits(folder: Path, name: str) -> pa.Table:
    """Return one data set with a number for each row."""
    table = csv.read_csv(folder / "geo" / FILES[name][0])
    if not FILES[name][1]:
        counts = pc.value_counts(table["user"])
        many = pc.filter(
            counts.field("values"), pc.greater_equal(counts.field("counts"), LEAST)
        )
        table = table.filter(pc.is_in(table["user"], many))
    return table.append_column("row", pa.array(np.arange(table.num_rows)))


def ways(table: pa.Table) -> Iterator[tuple[dict[str, object], pa.Table]]:
    """Yield every way of release, and what it released."""
    for level in (1.0, 0.1):
        yield {"way": "every record", "level_of_a_place": level}, released(table, level)
        yield {"way": "one draw per place of a person, used again (not offered)",
               "level_of_a_place": level}, memoised(table, level)  # fmt: skip
    for most in (5, 10, 20):
        for level in (1.0, 10.0):
            about = {"way": f"--trajectories {most}", "level_of_a_person": level}
            yield about, released(table, level, most)


def released(table: pa.Table, level: float, most: int | None = None) -> pa.Table:
    """Release by Publius."""
    made = release_places(
        table, level=level, radius=RADIUS, user="user", keep=("row",), trajectories=most
    )
    return made.data  # type: ignore[return-value]


def memoised(table: pa.Table, level: float) -> pa.Table:
    """Draw once for each distinct place of a person."""
    keys = [np.asarray(table[name]).astype(str) for name in ("user", "lat", "lon")]
    joined = np.char.add(np.char.add(keys[0], " "), np.char.add(keys[1], keys[2]))
    _, first, at = np.unique(joined, return_index=True, return_inverse=True)
    law = PlaceSettings(level=level, radius=RADIUS).law()
    lat, lon = (np.asarray(table[name])[first] for name in ("lat", "lon"))
    drawn = PlaceSanitizer(law).release(lat, lon, secure())
    return pa.table({"lat": drawn[0][at], "lon": drawn[1][at], "row": table["row"]})


def linked(table: pa.Table, made: pa.Table, folder: Path, *, split: bool) -> object:
    """Attack what was released: whole persons, and journeys where there are any."""
    file = folder / "released.parquet"
    parquet.write_table(made, file)
    results = {}
    for label, journey in (("person", None), ("journey", "trajectory")):
        if journey is not None and not split:
            continue
        attack = link(
            table, "user", str(file), trajectory=journey, key="row", seed=1,
            split="split" if split else None,
        )  # fmt: skip
        results[f"all_of_a_{label}"] = {
            "attacked": attack.results[0].scores.accuracy.n,
            "people": attack.visits.people,
            **{
                f"{r.target}_{r.knowledge.value}": [
                    round(x, 4)
                    for x in (
                        r.scores.accuracy.value,
                        r.scores.accuracy.low,
                        r.scores.accuracy.high,
                    )
                ]
                for r in attack.results
            },
        }
    return results


def moved(table: pa.Table, made: pa.Table) -> float:
    """Return the median distance between a record and its release, in metres."""
    rows = np.asarray(made["row"])
    lat, lon = (np.radians(np.asarray(table[n])[rows]) for n in ("lat", "lon"))
    to_lat, to_lon = (np.radians(np.asarray(made[n])) for n in ("lat", "lon"))
    half = np.sin((to_lat - lat) / 2) ** 2
    half += np.cos(lat) * np.cos(to_lat) * np.sin((to_lon - lon) / 2) ** 2
    return float(np.median(2 * 6_371_008.8 * np.arcsin(np.sqrt(half))))


def main(folder: Path, commit: str) -> None:
    """Measure everything and write it."""
    rows: list[dict[str, object]] = []
    for name, (_, split) in FILES.items():
        table = visits(folder, name)
        with tempfile.TemporaryDirectory() as place:
            for about, made in ways(table):
                row = {"data": name, **about, "radius_m": RADIUS,
                       "share_of_records_released": made.num_rows / table.num_rows,
                       "median_distance_m": round(moved(table, made)),
                       **linked(table, made, Path(place), split=split)}  # type: ignore[dict-item]  # fmt: skip
                rows.append(row)
                print(json.dumps(row), flush=True)
    said = {
        "what": "Share of persons (or journeys) whose owner was named, with 95 % "
        "intervals [value, low, high]. static: the attacker knows originals of half "
        "of the data; adaptive: who owns the released records of that half. One draw "
        "each.",
        "commit": commit,
        "date": DATE,
        "machine": f"{platform.machine()}, 2 cores, shared with other work",
        "command": "python scripts/measure_trajectories.py DATA",
        "results": rows,
    }
    OUT.write_text(json.dumps(said, indent=1, ensure_ascii=False) + "\n", "utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2] if len(sys.argv) > 2 else "")
