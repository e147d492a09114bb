import json

from pydantic import SecretStr

from worker.settings import Settings
from worker.workflow.article_message import MAX_ROUTING_KEY_BYTES, revision_of, routing_key
from worker.workflow.process import ProcessState


def test_the_message_is_published_with_its_id() -> None:
    database, broker = SecretStr("postgresql://unused"), SecretStr("amqp://unused")
    state = ProcessState(Settings(database_url=database, broker_url=broker))
    message = {"id": "a", "language": "en", "site": "My Site", "text": "Été"}
    sent = revision_of(state, 7, message, "")
    assert json.loads(sent.outgoing.body) == message
    assert (sent.outgoing.exchange, sent.outgoing.message_id) == ("articles", "a")
    assert sent.outgoing.routing_key == "en.My Site"


def test_a_routing_key_is_never_longer_than_amqp_allows() -> None:
    key = routing_key(None, "é" * 300)
    assert key.startswith("und.é")
    assert MAX_ROUTING_KEY_BYTES - 2 < len(key.encode()) <= MAX_ROUTING_KEY_BYTES
