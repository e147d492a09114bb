from collections.abc import Iterator
from multiprocessing import get_context

import pytest

from tests.pages import paragraphs
from worker.settings import Settings
from worker.workflow.process_state import ProcessStates
from worker.workflow.wall_rejection import has_replaced


@pytest.fixture
def states() -> Iterator[ProcessStates]:
    """Process states that never connect to their database."""
    urls = {"database_url": "postgresql://no.invalid/a", "broker_url": "amqp://no.invalid"}
    found = ProcessStates()
    found.configure(Settings.model_validate(urls))
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
    parent_state = states.current()
    receiver, sender = get_context("fork").Pipe(duplex=False)

    def compare() -> None:
        child_state = states.current()
        sender.send((child_state is parent_state, child_state.settings == parent_state.settings))

    child = get_context("fork").Process(target=compare)
    child.start()
    is_same, has_same_settings = receiver.recv()
    child.join()
    assert not is_same
    assert has_same_settings
    assert states.current() is parent_state


ARTICLE = " ".join(paragraphs(7))


def test_teasers_corrections_and_other_articles_do_not_replace_the_article() -> None:
    assert not has_replaced(ARTICLE[:300], ARTICLE)
    assert not has_replaced(ARTICLE.replace("bridge", "ferry"), ARTICLE)
    assert not has_replaced(" ".join(f"word{n}" for n in range(200)), ARTICLE)
