"""Starts of `detourage run` on an overloaded machine, each of which must write its article.

python -m benchmarks.operations.starts [--starts N] [--load N] [--minutes N]

``--load`` processes compute without a pause, at normal priority. Each start reads one page. A start
that has not finished when the time for all starts is up counts as failed.
"""

import argparse
import multiprocessing
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.documents import table
from tests.pages import site_messages
from worker.settings import PREFIX


def burn() -> None:
    """Keep a processor core busy until the process is killed."""
    while True:
        pass


def start(directory: Path, number: int, seconds: float) -> str:
    """Run `detourage run` on a page; return one line about the failure, or an empty string."""
    pages, output = directory / "pages.jsonl", directory / f"{number}.jsonl"
    pages.write_bytes(b"".join(site_messages("a.example", range(1))) + b"\n")
    command = [sys.executable, "-m", "worker.cli", "run", str(pages), "-o", str(output)]
    environment = {k: v for k, v in os.environ.items() if not k.startswith(PREFIX)}
    try:
        done = subprocess.run(
            [*command, "--workers", "1"],
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=max(1.0, seconds),
            check=False,
        )
    except subprocess.TimeoutExpired:
        return "not finished in time"
    if done.returncode == 0 and len(output.read_text().splitlines()) == 1:
        return ""
    return f"exit code {done.returncode}: {(done.stderr.splitlines() or ['?'])[-1]}"


def main() -> None:
    """Start the runs one after another, and print how they ended and how long they took."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--starts", type=int, default=30)
    parser.add_argument("--load", type=int, default=20, help="number of busy processes")
    parser.add_argument("--minutes", type=float, default=60, help="time for all starts")
    options = parser.parse_args()
    burners = [multiprocessing.Process(target=burn, daemon=True) for _ in range(options.load)]
    for burner in burners:
        burner.start()
    deadline = time.monotonic() + 60 * options.minutes
    times, problems = [], []
    try:
        with tempfile.TemporaryDirectory(prefix="detourage-starts-") as directory:
            for number in range(options.starts):
                began = time.monotonic()
                problem = start(Path(directory), number, deadline - began)
                times.append(time.monotonic() - began)
                problems += [f"start {number}: {problem}"] if problem else []
                print(f"{number}: {times[-1]:.0f} s {problem}", file=sys.stderr, flush=True)
    finally:
        for burner in burners:
            burner.kill()
    row = [options.starts, options.load, len(times) - len(problems)]
    row += [f"{f(times):.0f}" for f in (min, statistics.median, max)]
    columns = (
        "starts:",
        "busy processes:",
        "ended well:",
        "fastest, s:",
        "median, s:",
        "slowest, s:",
    )
    print("\n".join([*table(columns, [row]), *problems]))
    sys.exit(bool(problems))


if __name__ == "__main__":
    main()
