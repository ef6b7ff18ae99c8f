"""What `import publius` gives: names are added or removed on purpose."""

import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pytest
from pyarrow import parquet

import publius as pb

ERRORS = {
    "BudgetError",
    "CancelledError",
    "DataError",
    "FetchError",
    "GuaranteeMismatchError",
    "OutputError",
    "ParameterError",
    "PubliusError",
    "RandomnessError",
    "RefutedError",
    "UnknownNameError",
    "WorkerError",
}

VERBS = {
    "attack",
    "audit",
    "audit_texts",
    "calibrate",
    "certify",
    "compare",
    "evaluate",
    "explain",
    "leakage",
    "link",
    "release",
    "release_places",
    "release_retold",
    "release_times",
    "retell",
    "rewrite",
    "try_text",
}
VALUES = {
    "Embedding",
    "Estimate",
    "Guarantee",
    "Ledger",
    "Loss",
    "Memo",
    "OovPolicy",
    "RetellSettings",
    "Retelling",
    "Sanitizer",
    "SynTFVectorizer",
    "TextObfuscator",
    "Watch",
    "WordSettings",
    "load_embedding",
    "rng",
    "secure",
    "seeded",
}
ROOMS = {
    "accounting",
    "attacks",
    "auditing",
    "autoencoder",
    "core",
    "directional",
    "engines",
    "evaluation",
    "information",
    "mechanisms",
}
"""Rooms that can be walked into from the front door."""


def test_the_names_are_these_and_sorted() -> None:
    assert pb.__all__ == sorted(VERBS | VALUES | ERRORS | ROOMS)
    assert dir(pb) == pb.__all__


def test_every_name_can_be_had() -> None:
    for name in pb.__all__:
        assert getattr(pb, name) is not None, name


def test_all_errors_are_at_the_front_door() -> None:
    assert set(pb.__all__) >= ERRORS
    for name in ERRORS:
        assert issubclass(getattr(pb, name), pb.PubliusError)


def test_the_version_is_that_of_the_package() -> None:
    assert pb.__version__.count(".") == 2


def test_importing_loads_nothing_heavy() -> None:
    heavy = "{'numpy', 'scipy', 'pyarrow', 'sklearn'}"
    code = f"import sys, publius; print(sorted({heavy} & set(sys.modules)))"
    done = subprocess.run(  # noqa: S603 - our own program
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"


RELEASE = """
import sys
from publius.cli.frame import run
path, out, *heavy = sys.argv[1:]
code = run(["release", path, "--text", "text", "-o", out])
print("loaded", code, sorted(set(heavy) & set(sys.modules)))
"""
"""Releases a table and prints which of some modules were loaded for it."""


@pytest.mark.parametrize(
    "suffix",
    [
        "csv",
        pytest.param("jsonl", marks=pytest.mark.slow),
        pytest.param("parquet", marks=pytest.mark.slow),
    ],
)
def test_a_release_loads_neither_pandas_nor_sparse_matrices(
    suffix: str, tmp_path: Path
) -> None:
    path = tmp_path / f"reviews.{suffix}"
    if suffix == "parquet":
        parquet.write_table(pa.table({"text": ["The doctor.", None]}), path)
    else:
        path.write_text(
            {"csv": "text\nA doctor.\n", "jsonl": '{"text": "A"}\n'}[suffix]
        )
    heavy = ["pandas", "scipy.sparse", "scipy.stats", "narwhals", "sklearn", "torch"]
    done = subprocess.run(  # noqa: S603 - our own program
        [sys.executable, "-c", RELEASE, str(path), str(tmp_path / "out"), *heavy],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.splitlines()[-1] == "loaded 0 []"


def test_a_sanitizer_is_built_from_public_names() -> None:
    named = pb.Sanitizer.from_settings(vocabulary=60, epsilon=3)
    given = pb.Sanitizer.from_settings(pb.WordSettings(vocabulary=60, epsilon=3))
    texts = ["The people of the world."]
    released = [one.release(texts, pb.seeded(1)).texts for one in (named, given)]
    assert released[0] == released[1]
    with pytest.raises(pb.ParameterError, match="not both"):
        pb.Sanitizer.from_settings(pb.WordSettings(), epsilon=3)
