"""The tree explains the system: who may import whom, and what no file may hold."""

import ast
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "publius"

FLOORS = (
    "core",  # values and contracts
    "numerics",  # pure mathematics
    "storage",  # files on this machine
    "tables",  # tables as streams, one module per format
    "language",  # words, casing, stop words, WordNet, language models
    "embeddings",  # vocabularies and vectors
    "accounting",  # what is lost, per subject
    "information",  # channels and leakage
    "mechanisms",  # noise, laws, certificates
    "autoencoder",  # networks that rewrite sentences
    "reporting",  # what is said about a release
    "materials",  # words, sentences, times, places: how each is treated
    "retelling",  # passages written anew from noisy words
    "engines",  # where the work runs
    "pipeline",  # one release, whatever the material
    "assessment",  # attack, audit, use, compare
    "directional",  # the front door for arrays of times and places
    "services",  # the verbs
    "adapters",  # tools that people already have
    "papers",  # reproductions
    "studio",  # the page and the HTTP service
    "cli",  # the command line
)
"""The order of imports: a room may use only the rooms before it."""

APART = {("studio", "papers"), ("adapters", "papers")}
"""Rooms that do not know each other although their floors would allow it."""

BLIND = {
    "mechanisms/": {"language", "tables"},
    "materials/words/sanitizer.py": {"mechanisms"},
    "accounting/": {"language", "tables"},
    "engines/": {"language", "mechanisms", "materials"},
    "assessment/attacks/": {"mechanisms", "pipeline", "accounting"},
}
"""What some modules must not see: a mechanism no string, an accountant no data."""

SIGHTED = ("mechanisms/words/",)
"""Builders of mechanisms, which read a public vocabulary."""

LATE = {
    "publius.reporting.figures",
    "publius.assessment.comparison.measure",
    "publius.embeddings.nearest_fused",
    "publius.mechanisms.chacha_fused",
    "publius.engines.ray",
    "publius.engines.s3",
    "publius.engines.spark",
    "publius.embeddings.poincare_torch",
    "publius.materials.sentences.treatment",
    "publius.materials.words.assemble",
    "publius.materials.words.treatment",
    "publius.mechanisms.laplace_torch",
    "publius.mechanisms.point_torch",
    "publius.retelling.eight_bits.decoder",
    "publius.retelling.local_model",
    "publius.retelling.torch_decoder",
    "publius.retelling.treatment",
    "publius.mechanisms.words.given",
    "publius.retelling.teaching.train",
    "publius.studio.recognise",
    "publius.tables.formats.frames",
    "publius.tables.formats.office",
    "publius.studio.server",
    "publius.studio.warming",
}
"""Modules that are imported when they are needed, because they are heavy."""

PLACES: dict[str, tuple[str, ...]] = {
    "pyarrow": (
        "tables/", "engines/", "materials/", "pipeline/", "assessment/auditing/",
        "assessment/comparison/", "services/", "adapters/", "papers/",
        "retelling/treatment.py",
    ),
    "torch": (
        "autoencoder/", "language/models/", "assessment/", "retelling/",
        "embeddings/nearest_torch.py",
        "embeddings/nearest_fused.py", "embeddings/poincare_torch.py",
        "mechanisms/chacha_fused.py", "mechanisms/chacha_torch.py",
        "mechanisms/grid_torch.py",
        "mechanisms/laplace_torch.py", "mechanisms/point_torch.py",
        "retelling/teaching/", "retelling/torch_decoder.py",
    ),
    "onnxruntime": ("retelling/eight_bits/",),
    "triton": ("embeddings/nearest_fused.py", "mechanisms/chacha_fused.py"),
    "faiss": ("embeddings/nearest_faiss.py",),
    "ray": ("engines/",),
    "pyspark": ("engines/",),
    "boto3": ("engines/s3.py",),
    "pandas": (),
    "polars": (),
    "narwhals": ("tables/formats/frames.py", "materials/", "adapters/"),
    "sklearn": ("adapters/", "assessment/", "papers/"),
    "matplotlib": ("reporting/", "assessment/comparison/", "papers/"),
    "jinja2": ("reporting/", "assessment/comparison/", "studio/"),
    "presidio_anonymizer": ("adapters/presidio.py",),
    "presidio_analyzer": ("adapters/presidio_analyzer.py",),
    "spacy": ("adapters/spacy.py", "adapters/presidio_analyzer.py"),
    "docx": ("tables/formats/office.py",),
    "openpyxl": ("tables/formats/office.py",),
    "tqdm": ("adapters/notebook.py",),
    "click": ("cli/",),
    "rich": ("cli/",),
    "randomgen": ("core/rng.py",),
    "subprocess": (
        "storage/packages.py", "assessment/auditing/program.py", "engines/",
    ),
    "random": (),
    "pickle": (
        "engines/local.py", "engines/shipped.py", "engines/spark.py",
        "pipeline/part_task.py",
    ),
    "requests": (),
    "urllib": ("retelling/server.py",),
    "http": ("studio/", "retelling/server.py"),
    "socket": ("studio/", "engines/reach.py"),
}  # fmt: skip
"""Modules that exist only where they are named."""

RANDOM_TYPES = {"Generator", "BitGenerator", "SeedSequence"}
SEEDED = ("autoencoder/", "assessment/comparison/", "papers/")
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
    first = name.split("/", maxsplit=1)[0].removesuffix(".py")
    return "cli" if first == "__main__" else first


def imported(tree: ast.AST) -> Iterator[str]:
    """Yield the dotted names that a module imports."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            source = "." * node.level + (node.module or "")
            yield from (f"{source}.{alias.name}" for alias in node.names)


def is_allowed(package: str, other: str) -> bool:
    """Say whether a room may import another."""
    if package == other:
        return True
    if other not in FLOORS or (package, other) in APART:
        return False
    return FLOORS.index(other) < FLOORS.index(package)


def is_blind(name: str, other: str) -> bool:
    """Say whether a module must not see a room."""
    if name.startswith(SIGHTED):
        return False
    return any(name.startswith(start) and other in no for start, no in BLIND.items())


def bad_imports(name: str, tree: ast.AST) -> list[str]:
    """Return what a module imports against the tables."""
    package, found = package_of(name), []
    for target in imported(tree):
        first, _, rest = target.partition(".")
        if target.startswith("."):
            found.append(f"{name}: relative import of {target}")
        elif first == "publius" and package != "__init__":
            other = rest.split(".", maxsplit=1)[0]
            if not is_allowed(package, other) or is_blind(name, other):
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
    allowed = RANDOM_TYPES | ({"default_rng"} if name.startswith(SEEDED) else set())
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


def test_every_room_has_a_floor() -> None:
    rooms = {package_of(relative(path)) for path in modules()} - {"__init__"}
    assert rooms <= set(FLOORS), "add the new room to FLOORS"
    assert len(rooms) <= 22, "the tree must fit on a page"


def test_every_room_says_in_one_line_what_it_is() -> None:
    for room in {package_of(relative(path)) for path in modules()} - {"__init__"}:
        text = ast.get_docstring(ast.parse((SOURCE / room / "__init__.py").read_text()))
        assert text, room


def test_imports_go_down() -> None:
    found = [
        problem
        for path in modules()
        for problem in bad_imports(relative(path), ast.parse(path.read_text("utf-8")))
    ]
    assert not found, "\n".join(found)


def test_modules_that_are_imported_late_are_listed() -> None:
    found = set()
    for path in modules():
        text = path.read_text("utf-8")
        found |= set(re.findall(r"import_module\(\s*\"(publius\.[a-z0-9_.]+)\"", text))
    assert found == LATE


HEAVY = (
    "matplotlib",
    "pandas",
    "polars",
    "publius.engines.ray",
    "publius.engines.spark",
    "pyspark",
    "ray",
    "spacy",
    "torch",
)
"""Packages that a release on this machine starts without, where they are installed."""


def test_a_release_starts_without_heavy_packages() -> None:
    program = (
        "import sys, publius.cli.release_command; "
        f"print(*sorted(set(sys.modules) & set({HEAVY})))"
    )
    done = subprocess.run(  # noqa: S603 - our own program
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == []


LOADED = """
import sys
from importlib import import_module
import_module(sys.argv[1])
print(sum(name.startswith("publius.embeddings") for name in sys.modules))
"""
"""Prints how many modules of embeddings an import has loaded."""


def embeddings_after(module: str) -> int:
    done = subprocess.run(  # noqa: S603 - our own program
        [sys.executable, "-c", LOADED, module],
        capture_output=True,
        text=True,
        check=True,
    )
    return int(done.stdout)


@pytest.mark.slow
@pytest.mark.parametrize(
    "module",
    [
        "publius.cli.times_command",
        "publius.cli.places_command",
        "publius.services.release",
        "publius.directional",
    ],
)
def test_times_and_places_load_no_embeddings(module: str) -> None:
    assert embeddings_after(module) == 0


RELEASED = """
import sys
import pyarrow as pa
import publius as pb
secrets = {"wake": ["07:00"], "lat": [40.7], "lon": [-74.0], "body": ["We met."]}
verb, out, given = sys.argv[1], sys.argv[2], dict(a.split("=") for a in sys.argv[3:])
if "radius" in given:
    given["level"] = 1.0
getattr(pb, verb)(pa.table(secrets), out=out, **given)
print(sum(name.startswith("publius.embeddings") for name in sys.modules))
"""
"""Prints how many modules of embeddings a whole release has loaded."""


def embeddings_released(verb: str, out: Path, *columns: str) -> int:
    done = subprocess.run(  # noqa: S603 - our own program
        [sys.executable, "-c", RELEASED, verb, str(out), *columns],
        capture_output=True,
        text=True,
        check=True,
    )
    return int(done.stdout)


@pytest.mark.parametrize(
    ("verb", "columns"),
    [
        ("release_times", ["column=wake", "radius=30min"]),
        ("release_places", ["lat=lat", "lon=lon", "radius=200m"]),
    ],
)
def test_a_whole_release_of_times_or_places_loads_no_embeddings(
    verb: str, columns: list[str], tmp_path: Path
) -> None:
    assert embeddings_released(verb, tmp_path / "out", *columns) == 0


@pytest.mark.slow
def test_a_release_of_words_loads_embeddings(tmp_path: Path) -> None:
    assert embeddings_released("release", tmp_path / "out", "text=body") > 0


def test_embeddings_that_are_loaded_are_counted() -> None:
    assert embeddings_after("publius.cli.try_command") > 0


@pytest.mark.slow
def test_no_file_does_what_no_file_may_do() -> None:
    found = [
        problem
        for path in modules()
        for problem in bad_code(relative(path), ast.parse(path.read_text("utf-8")))
    ]
    assert not found, "\n".join(found)


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("core/loss.py", "from publius.mechanisms import laplace"),
        ("core/loss.py", "import publius.language.tokenizer"),
        ("core/loss.py", "from publius import cli"),
        ("mechanisms/laplace.py", "from publius.language.tokenizer import Tokenizer"),
        (
            "materials/words/sanitizer.py",
            "from publius.mechanisms.laplace import Laplace",
        ),
        ("assessment/scores.py", "from publius.cli.frame import main"),
        ("language/casing.py", "from . import tokenizer"),
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
