"""Browser processes, each of which renders a single page.

Page scripts are untrusted. The browser therefore runs in separate processes under a guardian that
leaves none of them behind, without the worker's settings in its environment, with limits on time
and memory, and without network access unless it is granted.
"""

import json
import os
import shutil
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from detourage.expected_errors import ExpectedError, MissingExtraError, require_extra
from worker.processes.supervisor import ChildDied, Supervisor, SupervisorError

_SETTINGS_PREFIX = "DETOURAGE_"  # beginning of the names of settings, which may be secret


class RenderingError(ExpectedError):
    """A page could not be rendered; the message explains why in one line."""


@dataclass(frozen=True)
class Browser:
    """Configuration for rendering pages with Chromium or a compatible browser.

    The time limit applies per page, including the start and end of the browser, and the memory
    limit to each of its processes. Without network access, pages have only their own HTML. The
    browser's own sandbox requires user namespaces and a user other than root; without these, the
    executable must be a script that starts the browser with ``--no-sandbox``.
    """

    executable: Path
    seconds: float = 30.0
    memory_mib: int = 1024
    has_network: bool = False

    def render(self, html: str, url: str) -> str:
        """Return a page's HTML after its scripts have run, or raise `RenderingError`."""
        try:
            require_extra("render", "a browser", "playwright", distribution="detourage-service")
        except MissingExtraError as error:
            raise RenderingError(str(error)) from None
        if shutil.which(self.executable) is None:
            raise RenderingError(f"{self.executable} is not an executable program")
        with tempfile.TemporaryDirectory(prefix="detourage-render-") as directory:
            folder = Path(directory)
            request, result = folder / "request.json", folder / "result.html"
            limits = {"milliseconds": 1000 * self.seconds, "memory": self.memory_mib * 2**20}
            page = {"html": html, "url": url, "has_network": self.has_network}
            values = {**page, **limits, "executable": str(self.executable)}
            request.write_text(json.dumps(values), encoding="utf-8")
            try:
                self._run(folder, request, result)
            except SupervisorError as error:
                raise RenderingError(str(error).splitlines()[0]) from error
            return result.read_text(encoding="utf-8", errors="replace")

    def _run(self, folder: Path, request: Path, result: Path) -> None:
        # Files that the browser leaves behind (caches, crash dumps) are removed with the folder.
        kept = {k: v for k, v in os.environ.items() if not k.startswith(_SETTINGS_PREFIX)}
        environment = {**kept, "HOME": str(folder), "TMPDIR": str(folder)}
        end = time.monotonic() + self.seconds
        with Supervisor(grace=0) as supervisor:
            program = [sys.executable, "-m", "worker.rendering.program", str(request), str(result)]
            supervisor.start("browser", program, log=folder / "log", env=environment)
            while not result.exists():
                if time.monotonic() > end:
                    raise RenderingError(f"the page took longer than {self.seconds:g} seconds")
                try:
                    supervisor.check()
                except ChildDied as error:
                    if not result.exists():
                        lines = error.tail.strip().splitlines()
                        problem = lines[-1] if lines else "the browser ended without a message"
                        raise RenderingError(problem.strip()) from error
                time.sleep(0.05)
