"""A reader that a page can crash, like a bug in a parser."""

import os
import signal

from detourage import Page, Result
from detourage.reading import read_page


def read(page: Page) -> Result:
    """Read a page; one that says ``crash`` kills the process."""
    if page.html == "crash":
        os.kill(os.getpid(), signal.SIGKILL)
    return read_page(page)
