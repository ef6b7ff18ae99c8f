"""The tree explains the system: who may import whom, and what no file may hold."""

import ast
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "publius"

FOUNDATION = {"core", "storage"}
MATERIAL = FOUNDATION | {
    "geometry",
    "text",
    "accounting",
    "corpus",
    "config",
    "information",
}
NOISE = MATERIAL | {"embeddings", "mechanisms", "autoencoder"}
OUTPUT = NOISE | {
    "sanitize",
    "directional",
    "attacks",
    "evaluation",
    "engines",
}
BELOW = OUTPUT | {
    "public_tables",
    "words",
    "reporting",
    "assemble",
    "release",
    "auditing",
    "calibration",
    "explanation",
    "estimators",
    "rng",
    "retelling",
}

LAYERS: dict[str, set[str]] = {
    "core": set(),
    "storage": {"core"},
    **dict.fromkeys(MATERIAL - FOUNDATION, FOUNDATION),
    "embeddings": FOUNDATION | {"geometry"},
    "mechanisms": FOUNDATION | {"geometry"},
    "autoencoder": FOUNDATION | {"geometry"},
    "sanitize": FOUNDATION | {"text", "embeddings", "geometry"},
    "directional": FOUNDATION | {"text", "embeddings", "geometry"},
    "attacks": FOUNDATION | {"text", "embeddings"},
    "evaluation": FOUNDATION | {"text", "embeddings"},
    "engines": FOUNDATION | {"corpus"},
    "reporting": FOUNDATION | {"accounting", "config"},
    "public_tables": NOISE,
    "words": NOISE | {"public_tables"},
    "assemble": OUTPUT | {"public_tables", "words"},
    "retelling": OUTPUT | {"assemble", "words"},
    "release": OUTPUT | {"reporting", "assemble"},
    "auditing": OUTPUT | {"assemble", "release"},
    "calibration": OUTPUT | {"assemble", "public_tables"},
    "explanation": OUTPUT | {"assemble", "words"},
    "estimators": OUTPUT | {"assemble", "words"},
    "rng": {"core"},
    "lab": BELOW,
    "services": BELOW | {"lab"},
    "cli": BELOW | {"services", "lab"},
    "studio": BELOW | {"services"},
}
"""Package → packages that it may import."""

EXCEPTIONS = {
    ("sanitize", "corpus"): "a form takes rows, as the contract of a release says",
    ("directional", "corpus"): "a form takes rows, as the contract of a release says",
    ("embeddings", "text"): "whole documents are compared by their counted words",
    ("autoencoder", "mechanisms"): "a sentence vector gets the Gaussian mechanism",
    ("autoencoder", "text"): "function words are those of the public list",
}
"""Edges that the table lacks, each with the reason why the code needs it."""

PLACES: dict[str, tuple[str, ...]] = {
    "pyarrow": (
        "corpus/", "engines/", "directional/forms.py", "sanitize/forms.py",
        "sanitize/chunks.py",
        "auditing/", "lab/", "release/", "services/",
        "estimators.py",
    ),
    "torch": (
        "autoencoder/", "evaluation/", "attacks/", "embeddings/nearest_torch.py",
        "embeddings/nearest_fused.py", "embeddings/poincare_torch.py",
        "mechanisms/point_torch.py", "retelling/teaching/",
    ),
    "triton": ("embeddings/nearest_fused.py",),
    "faiss": ("embeddings/nearest_faiss.py",),
    "ray": ("engines/",),
    "pyspark": ("engines/",),
    "pandas": (),
    "polars": (),
    "narwhals": ("corpus/memory.py", "directional/", "estimators.py"),
    "sklearn": ("estimators.py", "auditing/", "attacks/", "evaluation/", "lab/"),
    "matplotlib": ("reporting/", "lab/"),
    "jinja2": ("reporting/", "lab/", "studio/"),
    "click": ("cli/",),
    "rich": ("cli/",),
    "randomgen": ("core/rng.py",),
    "subprocess": ("embeddings/packages.py", "auditing/program.py", "engines/"),
    "random": (),
    "pickle": ("engines/local.py",),
    "requests": (),
    "urllib": ("retelling/server.py",),
    "http": ("studio/", "retelling/server.py"),
    "socket": ("studio/",),
}  # fmt: skip
"""Modules that exist only where they are named."""

RANDOM_TYPES = {"Generator", "BitGenerator", "SeedSequence"}
SEEDED = {"autoencoder", "lab"}
"""Training and experiments on public texts; no noise of a release is drawn there."""

# Written in pieces, so that this file does not hold what it looks for.
MACHINE = re.compile(r"(?<![\w.])/(?:" + "work|home|root|Users|tmp|private" + r")/\w")
INVENTED = {"tests/unit/reporting/test_summary.py"}
"""Files with a path of nobody, planted to see that a report leaves it out."""

REGISTRIES = re.compile(
    r"py" r"pi\.org|python" r"hosted\.org|npm" r"js\.(?:org|com)|index" r"-url"
    r"|\"resol" r"ved\":"
)  # fmt: skip


def modules() -> list[Path]:
    return sorted(SOURCE.rglob("*.py"))


def relative(path: Path) -> str:
    return path.relative_to(SOURCE).as_posix()


def package_of(name: str) -> str:
    return name.split("/", maxsplit=1)[0].removesuffix(".py")


def imported(tree: ast.AST) -> Iterator[str]:
    """Yield the dotted names that a module imports."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            source = "." * node.level + (node.module or "")
            yield from (f"{source}.{alias.name}" for alias in node.names)


def bad_imports(name: str, tree: ast.AST) -> list[str]:
    """Return what a module imports against the tables."""
    package, found = package_of(name), []
    for target in imported(tree):
        first, _, rest = target.partition(".")
        if target.startswith("."):
            found.append(f"{name}: relative import of {target}")
        elif first == "publius" and package != "__init__":
            other = rest.split(".", maxsplit=1)[0]
            allowed = LAYERS[package] | {package}
            if other not in allowed and (package, other) not in EXCEPTIONS:
                found.append(f"{name}: {package} may not import {other}")
        elif first in PLACES and not name.startswith(PLACES[first] or ("-",)):
            found.append(f"{name}: {first} has no place here")
    return found


def fault(node: ast.AST) -> str:
    """Return what is wrong with a node in any module, or nothing."""
    match node:
        case ast.Assert():
            return "assert"
        case ast.Raise(
            exc=ast.Name(id="NotImplementedError")
            | ast.Call(func=ast.Name(id="NotImplementedError"))
        ):
            return "a stub that raises"
        case ast.ExceptHandler(type=None):
            return "a bare except"
        case ast.Global():
            return "a global statement"
    return ""


def bad_code(name: str, tree: ast.AST) -> list[str]:
    """Return what a module does that it may not do."""
    package, found = package_of(name), []
    allowed = RANDOM_TYPES | ({"default_rng"} if package in SEEDED else set())
    for node in ast.walk(tree):
        what = fault(node)
        match node:
            case ast.Call(func=ast.Name(id="print")) if package != "cli":
                what = "print outside cli"
            case ast.Attribute(
                value=ast.Attribute(value=ast.Name(id="np"), attr="random"), attr=attr
            ) if attr not in allowed:
                what = f"np.random.{attr}"
        if what:
            found.append(f"{name}:{getattr(node, 'lineno', 0)}: {what}")
    return found + late_imports(name, tree)


def late_imports(name: str, tree: ast.AST) -> list[str]:
    """Return imports inside functions."""
    functions = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
    return [
        f"{name}:{inner.lineno}: import inside a function"
        for outer in ast.walk(tree)
        if isinstance(outer, functions)
        for inner in ast.walk(outer)
        if isinstance(inner, ast.Import | ast.ImportFrom)
    ]


def test_every_package_has_a_layer() -> None:
    packages = {package_of(relative(path)) for path in modules()} - {"__init__"}
    assert packages <= set(LAYERS), "add the new package to LAYERS"


def test_imports_go_down() -> None:
    found = [
        problem
        for path in modules()
        for problem in bad_imports(relative(path), ast.parse(path.read_text("utf-8")))
    ]
    assert not found, "\n".join(found)


def test_no_file_does_what_no_file_may_do() -> None:
    found = [
        problem
        for path in modules()
        for problem in bad_code(relative(path), ast.parse(path.read_text("utf-8")))
    ]
    assert not found, "\n".join(found)


def test_the_table_has_no_circles() -> None:
    done: set[str] = set()
    while rest := set(LAYERS) - done:
        ready = {name for name in rest if LAYERS[name] & set(LAYERS) <= done}
        assert ready, f"circle among {sorted(rest)}"
        done |= ready


def test_the_surfaces_do_not_know_each_other() -> None:
    surfaces = {"cli", "studio"}
    for package in surfaces:
        assert not LAYERS[package] & surfaces
    assert not {("studio", "cli"), ("cli", "studio")} & set(EXCEPTIONS)


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("core/loss.py", "from publius.mechanisms import laplace"),
        ("core/loss.py", "import publius.text.tokenizer"),
        ("core/loss.py", "from publius import cli"),
        ("mechanisms/laplace.py", "from publius.text.tokenizer import Tokenizer"),
        ("sanitize/sanitizer.py", "from publius.mechanisms.laplace import Laplace"),
        ("lab/assess.py", "from publius.cli.frame import main"),
        ("text/casing.py", "from . import tokenizer"),
        ("core/space.py", "import torch.nn"),
        ("mechanisms/laplace.py", "from pyarrow import csv"),
        ("embeddings/nearest.py", "import faiss"),
        ("core/rng.py", "import random"),
    ],
)
def test_planted_imports_are_caught(name: str, code: str) -> None:
    assert bad_imports(name, ast.parse(code))


@pytest.mark.parametrize(
    "code",
    [
        "assert x",
        "print(x)",
        "raise NotImplementedError",
        "raise NotImplementedError('later')",
        "np.random.seed(1)",
        "rng = np.random.default_rng()",
        "x = np.random.normal",
        "try:\n    f()\nexcept:\n    pass",
        "def f():\n    import json",
        "def f():\n    global x\n    x = 1",
    ],
)
def test_planted_code_is_caught(code: str) -> None:
    assert bad_code("core/loss.py", ast.parse(code))


def test_honest_code_is_cleared() -> None:
    code = (
        "import numpy as np\nfrom publius.core.loss import Loss\nnp.random.Generator(b)"
    )
    assert not bad_imports("mechanisms/laplace.py", ast.parse(code))
    assert not bad_code("mechanisms/laplace.py", ast.parse(code))
    assert not bad_code("cli/show.py", ast.parse("print(x)"))


def tracked_texts() -> Iterator[tuple[str, str]]:
    """Yield every tracked text file."""
    git = shutil.which("git")
    if git is None or not (ROOT / ".git").exists():
        pytest.skip("not a checkout")
    listed = subprocess.run(  # noqa: S603 - a fixed command
        [git, "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True
    )
    for name in listed.stdout.decode().split("\0"):
        path = ROOT / name
        if name and path.is_file():
            content = path.read_bytes()
            if b"\0" not in content[:8192]:
                yield name, content.decode("utf-8", errors="replace")


@pytest.mark.parametrize("pattern", [MACHINE, REGISTRIES], ids=["paths", "registries"])
def test_no_tracked_file_names_a_machine_or_a_registry(
    pattern: re.Pattern[str],
) -> None:
    found = [
        f"{name}: {match.group()}"
        for name, text in tracked_texts()
        if name not in INVENTED
        for match in pattern.finditer(text)
    ]
    assert not found, "\n".join(found)


def test_planted_addresses_are_caught() -> None:
    assert MACHINE.search("open('/" + "home/someone/corpus.csv')")
    assert MACHINE.search("cd /" + "work/main")
    assert REGISTRIES.search("https://py" + "pi.org/simple")
    assert REGISTRIES.search("--extra-index" + "-url x")
    assert not MACHINE.search("https://example.org/home/x")
    assert not MACHINE.search("src/work/x")
