import json
from typing import Any

from pydantic import SecretStr

from worker.settings import Repeats, Settings
from worker.workflow.outgoing_articles import MAX_ROUTING_KEY_BYTES, revision_of, routing_key
from worker.workflow.process import ProcessState

STORY = {"id": "1", "first_seen": None, "similarity": 1.0, "wire": None}


def state(repeats: Repeats) -> ProcessState:
    database, broker = SecretStr("postgresql://unused"), SecretStr("amqp://unused")
    return ProcessState(Settings(database_url=database, broker_url=broker, repeats=repeats))


def message(relation: str | None) -> dict[str, Any]:
    story = {**STORY, "relation": relation}
    return {"id": "a", "language": "en", "site": "My Site", "text": "Été", "story": story}


def test_the_message_is_published_with_its_id() -> None:
    sent = revision_of(state("keep"), 7, message(None), "", may_hold_back=True)
    assert json.loads(sent.outgoing.body) == message(None)
    assert (sent.outgoing.exchange, sent.outgoing.message_id) == ("articles", "a")
    assert sent.outgoing.routing_key == "en.My Site"
    assert not sent.is_kept


def test_a_repeat_that_was_already_sent_is_never_held_back() -> None:
    sent = revision_of(state("keep"), 7, message("same"), "", may_hold_back=False)
    assert not sent.is_kept
    assert sent.outgoing.exchange == "articles"


def test_an_update_is_not_a_repeat() -> None:
    sent = revision_of(state("apart"), 7, message("update"), "", may_hold_back=True)
    assert sent.outgoing.exchange == "articles"


def test_a_routing_key_is_never_longer_than_amqp_allows() -> None:
    key = routing_key(None, "é" * 300)
    assert key.startswith("und.é")
    assert MAX_ROUTING_KEY_BYTES - 2 < len(key.encode()) <= MAX_ROUTING_KEY_BYTES
