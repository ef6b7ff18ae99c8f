"""Where a release lies, said in few lines however many parts it has."""

from pathlib import Path

from publius.cli.input_options import told_files


def test_many_parts_share_a_line() -> None:
    parts = [f"parts/part-{i:06d}.parquet" for i in range(4000)]
    lines = told_files(Path("out"), 65_000_000, parts)
    assert lines == [
        "65,000,000 rows → out",
        "  out/parts/part-000000.parquet … parts/part-003999.parquet (4000 files)",
        "  out/report.html",
        "  out/manifest.json",
    ]


def test_an_address_in_s3_is_written_as_it_was_given() -> None:
    lines = told_files(Path("s3://bucket/out"), 1, ["parts/part-000000.parquet"])
    assert lines[0] == "1 row → s3://bucket/out"
    assert lines[2] == "  s3://bucket/out/report.html"
