"""A reader that a page can crash, as a parser bug might."""

import os
import signal

from detourage import Page, Result
from detourage.reading import read_page


def read(page: Page) -> Result:
    """Return the text of a page; kill the process if the page contains ``crash``."""
    if page.html == "crash":
        os.kill(os.getpid(), signal.SIGKILL)
    return read_page(page)
