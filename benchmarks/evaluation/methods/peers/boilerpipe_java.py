"""The original Boilerpipe in Java, as packaged by Debian (``libboilerpipe-java``)."""

import re
import shutil
from importlib.resources import as_file, files
from pathlib import Path

from benchmarks.evaluation.methods.peers.bridge import Bridge, BridgeError, bridge_to
from detourage.papers.conversion import text_of
from detourage.papers.interface import Extracted, Neighbours, Source, UnavailableError

JARS = Path("/usr/share/java")  # folder for libraries, as prescribed by Debian's Java policy

LIBRARIES = ("boilerpipe.jar", "nekohtml.jar", "xercesImpl.jar")

VM_OPTIONS = ("-Xss16m", "-Xmx1g", "-XX:+UseSerialGC")
"""JVM options: a stack for deeply nested pages, and limits on memory and threads."""


def installed_version() -> str:
    """Return the version of the library; raise UnavailableError if it or Java is missing."""
    if shutil.which("java") is None:
        raise UnavailableError("boilerpipe_java needs a Java Development Kit")
    missing = [name for name in LIBRARIES if not (JARS / name).exists()]
    if missing:
        raise UnavailableError(f"boilerpipe_java needs Debian's libboilerpipe-java ({missing[0]})")
    name = (JARS / LIBRARIES[0]).resolve().name
    found = re.search(r"\d+(\.\d+)*", name)
    return found[0] if found else name


def prepare() -> None:
    """Compile and start the program; raise UnavailableError if it does not respond."""
    installed_version()
    try:
        _bridge().ask("<p>")
    except BridgeError as error:
        raise UnavailableError(f"boilerpipe_java: {error}") from error


def extract(source: Source, _neighbours: Neighbours) -> Extracted:
    """Apply the article extractor and turn each text block it keeps into a paragraph."""
    title, text = _bridge().ask(text_of(source))
    return Extracted.from_lines(title, text)


def _bridge() -> Bridge:
    class_path = ":".join(str(JARS / name) for name in LIBRARIES)
    with as_file(files(__package__) / "Boilerpipe.java") as program:
        return bridge_to(("java", *VM_OPTIONS, "-cp", class_path, str(program)))
