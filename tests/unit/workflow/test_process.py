"""Each task process has one state, which is created again if the settings change."""

from collections.abc import Iterator
from multiprocessing import get_context

import pytest

from worker.settings import Settings
from worker.workflow.process import ProcessStates


@pytest.fixture
def states() -> Iterator[ProcessStates]:
    """Process states that never connect to their database."""
    found = ProcessStates()
    found.configure(
        Settings.model_validate(
            {
                "database_url": "postgresql://nowhere.invalid/a",
                "broker_url": "amqp://nowhere.invalid",
            }
        )
    )
    yield found
    found.current().database.dispose()


def test_different_settings_create_a_new_state(states: ProcessStates) -> None:
    first = states.current()
    states.configure(first.settings.model_copy(update={"queue_prefix": "other."}))
    second = states.current()
    assert (first.topology.pages, second.topology.pages) == ("crawler.pages", "other.crawler.pages")
    assert second.database is not first.database
    assert second.templates is not first.templates


def test_a_child_process_does_not_share_the_state_of_its_parent(states: ProcessStates) -> None:
    of_parent = states.current()
    here, there = get_context("fork").Pipe(duplex=False)

    def compare() -> None:
        of_child = states.current()
        there.send((of_child is of_parent, of_child.settings == of_parent.settings))

    child = get_context("fork").Process(target=compare)
    child.start()
    is_same, has_same_settings = here.recv()
    child.join()
    assert not is_same
    assert has_same_settings
    assert states.current() is of_parent
