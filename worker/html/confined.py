"""Parsing a page that may take too long or too much memory, in a process that ends where it does.

Nothing but the end of the process stops a parser that is native code.
"""

import resource
import subprocess
import sys

from worker.html import serialisation
from worker.html.errors import TooLargeError

PARSING_SECONDS = 5
PARSING_BYTES = 1 << 30
MAX_SERIALISED = 64 << 20
"""What parsing may take: processor time, memory, and bytes that come of it.

The largest of 4,569 corpus pages takes 0.1 s, 120 MB and 2.7 MB.
"""


def serialised(text: str) -> bytes:
    """Do what `worker.html.serialisation.serialised` does.

    Raises
    ------
    TooLargeError
        If parsing takes too long or too much memory.
    """
    try:
        done = subprocess.run(  # noqa: S603 - nothing of the page is in the command
            [sys.executable, "-m", __name__],
            input=text.encode(),
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=PARSING_SECONDS * 10,
            check=True,
        )
    except (subprocess.CalledProcessError, subprocess.TimeoutExpired):
        limits = f"{PARSING_SECONDS} seconds or {PARSING_BYTES >> 20} MiB"
        raise TooLargeError(f"parsing the page takes more than {limits}") from None
    return done.stdout


def _main() -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (PARSING_SECONDS, PARSING_SECONDS))
    resource.setrlimit(resource.RLIMIT_AS, (PARSING_BYTES, PARSING_BYTES))
    html = serialisation.serialised(sys.stdin.buffer.read().decode())
    if len(html) > MAX_SERIALISED:
        sys.exit(1)
    sys.stdout.buffer.write(html)


if __name__ == "__main__":
    _main()
