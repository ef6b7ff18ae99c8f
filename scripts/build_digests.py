"""Write the digests of the files that ship with the package into the code.

python scripts/build_digests.py
"""

import re
from pathlib import Path

from publius.storage import shipped

SOURCE = Path(__file__).parents[1] / "src" / "publius"
KINDS = {".npz", ".safetensors"}


def digests() -> list[str]:
    """Return the digest of every file, sorted."""
    files = [path for path in SOURCE.glob("*/shipped/*") if path.suffix in KINDS]
    return sorted(shipped.digest(path.name, path.read_bytes()) for path in files)


def main() -> None:
    """Replace the table in the code."""
    path = Path(shipped.__file__)
    lines = "".join(f'        "{digest}",\n' for digest in digests())
    code = path.read_text("utf-8")
    table = re.compile(r"(frozenset\(\n    \{\n).*?(    \}\n)", re.DOTALL)
    path.write_text(table.sub(rf"\g<1>{lines}\g<2>", code), "utf-8")


if __name__ == "__main__":
    main()
