"""State that a process retains between tasks: settings, connections and caches."""

import os
from functools import cached_property
from typing import TYPE_CHECKING

from worker.messaging.broker import topology_of
from worker.settings import Settings
from worker.store.database import Database
from worker.store.durations import Durations

if TYPE_CHECKING:
    from worker.rendering import Browser
    from worker.workflow.comparison import TreeCache
    from worker.workflow.known_templates import KnownTemplates


class ProcessState:
    """State of a process that runs tasks; caches are created on demand, since importing is slow."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.topology = topology_of(settings)
        self.database = Database(settings.require_database_url())
        self.durations = Durations(self.database)

    @cached_property
    def trees(self) -> "TreeCache":
        """Recently used trees."""
        from worker.workflow.comparison import TreeCache

        return TreeCache()

    @cached_property
    def templates(self) -> "KnownTemplates":
        """Recently used template knowledge."""
        from worker.workflow.known_templates import KnownTemplates

        return KnownTemplates()

    @cached_property
    def browser(self) -> "Browser | None":
        """The browser that renders pages, or None if none is configured."""
        return browser_of(self.settings)


def browser_of(settings: Settings) -> "Browser | None":
    """Return the configured browser, or None if there is none."""
    if settings.render_browser is None:
        return None
    from worker.rendering import Browser

    seconds = min(Browser.seconds, settings.page_seconds / 2)
    return Browser(settings.render_browser, seconds, has_network=settings.render_network)


class ProcessStates:
    """States by process ID: a forked child inherits its parent's state, but never uses it."""

    def __init__(self) -> None:
        self._settings: Settings | None = None
        self._main_process = 0
        self._states: dict[int, ProcessState] = {}

    def configure(self, settings: Settings) -> None:
        """Set the settings of this process and its future children, and reset its state."""
        self._settings = settings
        self._main_process = os.getpid()
        former = self._states.pop(os.getpid(), None)
        if former is not None:
            former.database.dispose()

    def current(self) -> ProcessState:
        """Return the state of this process, created on first use."""
        process = os.getpid()
        if process not in self._states:
            if self._settings is None:
                raise RuntimeError("worker.workflow.process_state.configure was never called")
            self._states[process] = ProcessState(self._settings)
        return self._states[process]

    def main_process(self) -> int:
        """Return the ID of the process that called `configure`, the parent of all children."""
        return self._main_process


_states = ProcessStates()

configure = _states.configure
process_state = _states.current
main_process = _states.main_process
