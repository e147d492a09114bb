"""What one process keeps from task to task: settings, connections, what it has loaded already."""

import os
from datetime import timedelta
from functools import cached_property
from typing import TYPE_CHECKING

from worker.messaging.broker import topology_of
from worker.settings import Settings
from worker.store.database import Database
from worker.store.durations import Durations

if TYPE_CHECKING:
    from worker.rendering import Browser
    from worker.workflow.known_templates import KnownTemplates
    from worker.workflow.stored_trees import TreeCache


class ProcessState:
    """The state of a process that runs tasks.

    What parses and compares pages is loaded when it is needed: beat, the relay and the command
    line make the application too, and would take 30 MB and some seconds more.

    Parameters
    ----------
    settings
        Of the application.

    Attributes
    ----------
    settings, topology
        The settings, and the queues that they name.
    database
        Its connections.
    durations
        How long its tasks take.
    story_window
        Time within which articles must be fetched to be compared for a story.
    """

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.topology = topology_of(settings)
        self.database = Database(settings.require_database_url())
        self.durations = Durations(self.database)
        self.story_window = timedelta(days=settings.story_days)

    @cached_property
    def trees(self) -> "TreeCache":
        """The trees used last."""
        from worker.workflow.stored_trees import TreeCache

        return TreeCache()

    @cached_property
    def templates(self) -> "KnownTemplates":
        """What is known of the templates used last."""
        from worker.workflow.known_templates import KnownTemplates

        return KnownTemplates()

    @cached_property
    def browser(self) -> "Browser | None":
        """The browser that renders pages, None where none is configured."""
        from worker.workflow.rendered import browser_of

        return browser_of(self.settings)


class ProcessStates:
    """The state of this process and, in a child, beside it that of its parent.

    A child leaves the state of its parent alone: to let go of connections that both hold would
    end them for the parent.
    """

    def __init__(self) -> None:
        self._settings: Settings | None = None
        self._main_process = 0
        self._states: dict[int, ProcessState] = {}

    def configure(self, settings: Settings) -> None:
        """Give settings to this process and to those it forks; its state begins anew."""
        self._settings = settings
        self._main_process = os.getpid()
        former = self._states.pop(os.getpid(), None)
        if former is not None:
            former.database.dispose()

    def current(self) -> ProcessState:
        """Return the state of this process, made when it is first asked for."""
        process = os.getpid()
        if process not in self._states:
            if self._settings is None:
                raise RuntimeError("worker.workflow.process.configure was never called")
            self._states[process] = ProcessState(self._settings)
        return self._states[process]

    def main_process(self) -> int:
        """Return the id of the process that was configured, from which others were forked."""
        return self._main_process


_states = ProcessStates()

configure = _states.configure
process_state = _states.current
main_process = _states.main_process
