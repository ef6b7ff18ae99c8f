"""By which version, and on which day, a page was made."""

import os
import re
from datetime import UTC, datetime
from importlib.metadata import version


def made() -> str:
    """Say by which version, and on which day, a page was made.

    The day is that of ``SOURCE_DATE_EPOCH`` (seconds since 1970, the convention of
    reproducible builds) where the environment has it: then two runs with one seed
    write equal pages on any two days.
    """
    asked = os.environ.get("SOURCE_DATE_EPOCH", "")
    fixed = re.fullmatch(r"[0-9]{1,11}", asked)
    moment = datetime.fromtimestamp(int(asked), UTC) if fixed else datetime.now(UTC)
    return f"Made by Publius {version('publius')} on {moment:%Y-%m-%d}."
