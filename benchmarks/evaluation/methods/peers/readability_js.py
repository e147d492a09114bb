"""Mozilla's Readability (used in Firefox's reader view), run on Node.js with linkedom."""

import json
import shutil
import subprocess
import tempfile
from functools import cache
from hashlib import sha256
from importlib.resources import files
from pathlib import Path

from benchmarks.evaluation.methods.peers.bridge import Bridge, BridgeError, bridge_to
from detourage.papers.conversion import text_of, typed_texts_of
from detourage.papers.interface import Extracted, Neighbours, Source, UnavailableError

PACKAGES = {"@mozilla/readability": "0.6.0", "linkedom": "0.18.12"}
"""Packages installed from the npm registry, with their versions."""

INSTALL_SECONDS = 300  # time limit of npm

_PROGRAM = "readability.mjs"


def installed_version() -> str:
    """Return the versions of the packages; raise UnavailableError if Node.js or npm is missing."""
    for program in ("node", "npm"):
        if shutil.which(program) is None:
            raise UnavailableError(f"readability_js needs Node.js: {program} was not found")
    return " ".join(f"{name.rpartition('/')[2]} {number}" for name, number in PACKAGES.items())


def prepare(*, tools: Path) -> None:
    """Install the packages on first use and start the program, or raise UnavailableError."""
    installed_version()
    try:
        _bridge(tools).ask("<p>", "")
    except BridgeError as error:
        raise UnavailableError(f"readability_js: {error}") from error


def extract(source: Source, _neighbours: Neighbours, *, tools: Path) -> Extracted:
    """Parse the page as an article and render its HTML."""
    title, html, byline, date = _bridge(tools).ask(text_of(source), source.url)
    return Extracted.from_typed_texts(
        title,
        typed_texts_of(html, source.url),
        authors=[byline] if byline else (),
        date=date or None,
    )


def _bridge(tools: Path) -> Bridge:
    folder = _install_once(tools)
    return bridge_to(("node", str(folder / _PROGRAM)), folder)


@cache
def _install_once(tools: Path) -> Path:
    """Return the folder with the program and its packages; install them if it does not exist."""
    program = (files(__package__) / _PROGRAM).read_bytes()
    manifest = json.dumps({"private": True, "type": "module", "dependencies": PACKAGES}).encode()
    folder = tools / f"readability-{sha256(program + manifest).hexdigest()[:12]}"
    if folder.exists():
        return folder
    tools.mkdir(parents=True, exist_ok=True)
    # Built in a temporary folder and moved, because two processes may do this simultaneously.
    with tempfile.TemporaryDirectory(dir=tools) as building_folder:
        new = Path(building_folder) / folder.name
        new.mkdir()
        (new / _PROGRAM).write_bytes(program)
        (new / "package.json").write_bytes(manifest)
        _install(new)
        try:
            new.rename(folder)
        except OSError:
            if not folder.exists():
                raise
    return folder


def _install(folder: Path) -> None:
    """Install the packages listed in the folder's package.json with npm."""
    command = ("npm", "install", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error")
    try:
        subprocess.run(
            command, cwd=folder, check=True, capture_output=True, timeout=INSTALL_SECONDS
        )
    except subprocess.CalledProcessError as error:
        reason = error.stderr.decode("utf-8", "replace").strip().splitlines() or ["?"]
        raise UnavailableError(
            f"npm could not install {', '.join(PACKAGES)}: {reason[0]}"
        ) from error
    except subprocess.TimeoutExpired as error:
        raise UnavailableError(f"npm took more than {INSTALL_SECONDS} s") from error
