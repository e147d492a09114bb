"""Parse expensive pages in a child process with limited time and memory.

A child process is needed because native code cannot be interrupted.
"""

import subprocess
import sys

from detourage.html import serialisation
from detourage.html.page_errors import TooLargeError
from detourage.limits import MAX_OUTPUT_BYTES, PARSING_BYTES, PARSING_SECONDS


def serialise(markup: bytes) -> bytes:
    """Parse and serialise a page in a child process; raise `TooLargeError` if it hits a limit."""
    limits = PARSING_SECONDS, PARSING_BYTES, MAX_OUTPUT_BYTES
    try:
        completed = subprocess.run(  # noqa: S603 - the command contains no page content
            [sys.executable, "-P", serialisation.__file__, *map(str, limits)],
            input=markup,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            # Stops a process that hangs; 5 s of CPU time can take minutes on a busy machine.
            timeout=PARSING_SECONDS * 100,
            check=True,
        )
    except (subprocess.CalledProcessError, subprocess.TimeoutExpired):
        written_limits = f"{PARSING_SECONDS} seconds or {PARSING_BYTES >> 20} MiB"
        raise TooLargeError(f"parsing the page takes more than {written_limits}") from None
    return completed.stdout
