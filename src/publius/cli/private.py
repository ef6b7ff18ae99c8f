"""What a release says of files that must not be published with it."""

from pathlib import Path

from publius.cli import show
from publius.reporting.rendering import PRIVATE_REPORT


def warn_of_private(out: Path) -> None:
    """Say where a report lies that shows secrets, if one was asked for."""
    path = out / PRIVATE_REPORT
    if path.exists():
        show.warn(
            f"PRIVATE: {path} shows originals, or what was measured on them. Only you "
            "can read it; move it away before you publish the folder."
        )
