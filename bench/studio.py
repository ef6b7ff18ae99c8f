"""The studio beside the library: CPU time of the server process, errors, memory.

python -m bench studio
RECORD=docs/measurements/studio.json python -m bench studio
"""

import json
import os
import platform
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from http.client import HTTPConnection
from pathlib import Path
from statistics import median
from urllib.parse import urlencode

import publius as pb
from publius.studio.background import public_texts
from publius.studio.slider import DEFAULT, STEPS

CLIENTS = 20
REQUESTS = 1000
TURNS = 40
TICK = os.sysconf("SC_CLK_TCK")
CODE = "from publius.cli import main; main()"


def text_of(words: int) -> str:
    """Return the beginning of public addresses."""
    pieces = " ".join(piece for one in public_texts().values() for piece in one)
    return " ".join(pieces.split()[:words])


@dataclass(frozen=True, slots=True)
class Server:
    """``publius serve`` in a process of its own."""

    process: "subprocess.Popen[str]"
    began: float
    port: int
    token: str = field(repr=False)

    def cpu(self) -> float:
        """Return the seconds of CPU time that the process has used."""
        parts = Path(f"/proc/{self.process.pid}/stat").read_text("ascii").split()
        return (int(parts[13]) + int(parts[14])) / TICK

    def megabytes(self) -> float:
        """Return the memory that the process holds."""
        status = Path(f"/proc/{self.process.pid}/status").read_text("ascii")
        line = next(one for one in status.splitlines() if one.startswith("VmRSS"))
        return int(line.split()[1]) / 1e3

    def settle(self) -> None:
        """Wait until the background has warmed what it warms."""
        quiet = 0
        while quiet < 3:
            before = self.cpu()
            time.sleep(2)
            quiet = quiet + 1 if self.cpu() - before < 0.03 else 0

    def client(self) -> HTTPConnection:
        """Return a connection that stays open."""
        return HTTPConnection("127.0.0.1", self.port, timeout=120)

    def post(
        self, client: HTTPConnection, path: str, body: str, kind: str
    ) -> tuple[int, bytes]:
        """Send one body, as a program does."""
        headers = {"Authorization": f"Bearer {self.token}", "Content-Type": kind}
        client.request("POST", path, body, headers)
        answer = client.getresponse()
        return answer.status, answer.read()


@contextmanager
def served() -> Iterator[Server]:
    """Start a server; stop it in the end."""
    began = time.perf_counter()
    process = subprocess.Popen(  # noqa: S603 - our own command
        [sys.executable, "-u", "-c", CODE, "serve"], stdout=subprocess.PIPE, text=True
    )
    try:
        stdout = process.stdout
        lines = [] if stdout is None else [stdout.readline() for _ in range(2)]
        words = " ".join(lines).split()
        address = next(word for word in words if word.startswith("http"))
        token = next(word for word in reversed(words) if len(word) >= 40)
        port = int(address.partition("/?")[0].rpartition(":")[2])
        yield Server(process, began, port, token)
    finally:
        process.terminate()
        process.wait(30)


def previews(server: Server, steps: list[int]) -> list[float]:
    """Return the CPU milliseconds of a preview of 300 words, step by step."""
    client, spent = server.client(), []
    for step in steps:
        form = urlencode({"text": text_of(300), "step": str(step)})
        before = server.cpu()
        for _ in range(TURNS):
            server.post(
                client, "/write/preview", form, "application/x-www-form-urlencoded"
            )
        spent.append(1e3 * (server.cpu() - before) / TURNS)
    return spent


def crowd(server: Server, text: str) -> dict[str, float]:
    """Let 20 clients ask at once; return errors, rates and memory."""
    body = json.dumps({"text": text})

    def ask(count: int) -> int:
        client = server.client()
        asked = (
            server.post(client, "/v1/try", body, "application/json")
            for _ in range(count)
        )
        return sum(status != 200 for status, _ in asked)

    with ThreadPoolExecutor(CLIENTS) as pool:
        errors = sum(pool.map(ask, [5] * CLIENTS))
        early, cpu, clock = server.megabytes(), server.cpu(), time.perf_counter()
        errors += sum(pool.map(ask, [REQUESTS // CLIENTS] * CLIENTS))
    return {
        "errors": errors,
        "requests_per_cpu_second": REQUESTS / (server.cpu() - cpu),
        "requests_per_second": REQUESTS / (time.perf_counter() - clock),
        "megabytes_after_100": early,
        "megabytes_after_1100": server.megabytes(),
    }


def library(text: str) -> dict[str, float]:
    """Return how often the library answers the same in one process."""
    for _ in range(20):
        pb.try_text(text).to_json()
    cpu, clock = time.process_time(), time.perf_counter()
    for _ in range(REQUESTS // 5):
        pb.try_text(text).to_json()
    return {
        "requests_per_cpu_second": REQUESTS / 5 / (time.process_time() - cpu),
        "requests_per_second": REQUESTS / 5 / (time.perf_counter() - clock),
    }


def first_page(server: Server) -> dict[str, float]:
    """Return the seconds until a page and a first preview came back."""
    client = server.client()
    client.request("GET", "/", headers={"Authorization": f"Bearer {server.token}"})
    client.getresponse().read()
    page, spent = time.perf_counter() - server.began, server.cpu()
    form = urlencode({"text": text_of(300)})
    server.post(client, "/write/preview", form, "application/x-www-form-urlencoded")
    return {
        "page_seconds": page,
        "page_cpu_seconds": spent,
        "preview_seconds": time.perf_counter() - server.began,
        "preview_cpu_seconds": server.cpu(),
    }


def record(figures: Mapping[str, object]) -> None:
    """Write the figures, and where they come from, where RECORD says."""
    path = os.environ.get("RECORD")
    if path:
        whole = {**provenance(), **figures}
        Path(path).write_text(json.dumps(whole, indent=1) + "\n", "utf-8")


def provenance() -> dict[str, object]:
    """Return what was measured, when, on what and how."""
    commit = subprocess.run(
        ["git", "rev-parse", "--short=12", "HEAD"],  # noqa: S607
        cwd=Path(__file__).parent,
        capture_output=True,
        text=True,
        check=False,
    ).stdout.strip()
    return {
        "commit": commit,
        "date": f"{datetime.now(UTC):%Y-%m-%d}",
        "machine": f"{platform.machine()}, {os.cpu_count()} cores, "
        f"load {os.getloadavg()[0]:.1f} at the end",
        "command": "RECORD=docs/measurements/studio.json python -m bench studio",
        "epsilon": STEPS[DEFAULT],
    }


def main() -> None:
    """Measure and print."""
    text = text_of(120)
    with served() as server:
        start = first_page(server)
        server.settle()
        same = previews(server, [DEFAULT] * 3)
        moved = previews(server, list(range(len(STEPS))))
        many = crowd(server, text)
    own = library(text)
    ratio = many["requests_per_cpu_second"] / own["requests_per_cpu_second"]
    # fmt: off
    print(f"first page {start['page_seconds']:.1f} s by the clock, "
          f"{start['page_cpu_seconds']:.1f} s of CPU time; first preview "
          f"{start['preview_seconds']:.1f} s, {start['preview_cpu_seconds']:.1f} s")
    print(f"preview of 300 words: {median(same):.0f} ms of CPU time of the server")
    print(f"slider, any step: {max(moved):.0f} ms at most, {median(moved):.0f} median")
    print(f"{CLIENTS} clients of /v1/try, 120 words: {many['errors']:.0f} errors of "
          f"{REQUESTS}, {ratio:.2f} of the library per CPU second")
    print(f"memory after 100 and 1,100 requests: {many['megabytes_after_100']:.0f} and "
          f"{many['megabytes_after_1100']:.0f} MB")
    # fmt: on
    record(
        {
            "first": start,
            "preview_cpu_ms": same,
            "slider_cpu_ms": dict(zip(map(str, STEPS), moved, strict=True)),
            "crowd": many,
            "library": own,
            "ratio_of_cpu_rates": ratio,
        }
    )
