"""Access control and security headers of the inspector."""

import re

import pytest
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError

from inspector.deployment import Deployment
from inspector.stored_page import TooSlowError
from tests.crawled import Client, client_of, quarantine
from tests.deployment import remove_queues
from worker.service.quarantine import browse
from worker.settings import Settings

TOKEN = "a token of the tests"


@pytest.mark.parametrize("path", ["/overview", "/sites.json", "/nowhere", "/static/inspector.css"])
def test_every_response_has_security_headers(client: Client, path: str) -> None:
    headers = client.get(path).headers
    policy = headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert "http" not in policy
    assert "frame-ancestors 'none'" in policy
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "no-referrer"
    assert "server" not in headers


def test_unknown_host_names_are_refused(client: Client) -> None:
    assert client.get("/overview", headers={"Host": "evil.example"}).status_code == 421
    assert client.get("/overview", headers={"Host": "localhost:1"}).status_code == 200


def test_read_only_connections_cannot_write(crawled: Settings) -> None:
    deployment = Deployment(crawled)
    with pytest.raises(DBAPIError, match="read-only"):
        deployment.read(lambda session: session.execute(text("DELETE FROM receipts")))
    with pytest.raises(TooSlowError):
        deployment.read(
            lambda session: session.execute(
                text("SET LOCAL statement_timeout = 50; SELECT pg_sleep(5)")
            )
        )
    limit = deployment.read(lambda session: session.scalar(text("SHOW statement_timeout")))
    deployment.close()
    assert limit == "10s"


def test_a_token_grants_access(crawled: Settings) -> None:
    with client_of(crawled, token=TOKEN) as stranger:
        refused = stranger.get("/overview.json")
        assert refused.status_code == 401
        assert "harbour" not in refused.text
        assert stranger.post("/enter", {"token": TOKEN[:-1]}).status_code == 403
        assert stranger.get("/overview").status_code == 401
        bearer = {"Authorization": f"Bearer {TOKEN}"}
        assert stranger.get("/overview", headers=bearer).status_code == 200
        assert stranger.get("/overview").status_code == 401
        entered = stranger.post("/enter", {"token": TOKEN})
        assert entered.status_code == 200
        assert "<h1>Overview</h1>" in entered.text
        assert TOKEN not in str(stranger.session.cookies)
        answer = stranger.post("/enter", {"token": TOKEN}, allow_redirects=False)
        for cookie in answer.headers["set-cookie"].split(", "):
            assert "HttpOnly" in cookie
            assert "SameSite=Strict" in cookie


def fields_of(page: str) -> dict[str, list[str]]:
    fields: dict[str, list[str]] = {}
    for name, value in re.findall(r'type="hidden" name="(\w+)" value="([^"]*)"', page):
        fields.setdefault(name, []).append(value)
    return fields


def test_messages_are_dropped_and_sent_back_after_a_preview(
    writer: Client, crawled: Settings
) -> None:
    bodies = [b"<script>alert(1)</script>", b"second", b"third"]
    quarantine(crawled, [(body, "not-json") for body in bodies])
    try:
        [group] = writer.values("/quarantine.json")["groups"]
        assert len(group["messages"]) == 3
        assert "<script>alert" not in writer.get("/quarantine").text
        second = next(each for each in group["messages"] if each["beginning"] == "second")
        address = "/quarantine/preview?action=drop&stage=intake&message="
        fields = fields_of(writer.get(address + second["fingerprint"]).text)
        assert fields["message"] == [second["fingerprint"]]
        assert writer.post("/quarantine/drop", {**fields, "token": "x"}).status_code == 403
        other = Client(writer.base, type(writer.session)())
        assert other.post("/quarantine/drop", fields).status_code == 403
        assert len(list(browse(crawled, "intake"))) == 3
        assert "1 message dropped." in writer.post("/quarantine/drop", fields).text
        left = [each.body for each in browse(crawled, "intake")]
        assert sorted(left) == sorted([bodies[0], bodies[2]])
        address = f"/quarantine/preview?action=requeue&stage=intake&group={group['key']}"
        fields = fields_of(writer.get(address).text)
        assert "2 messages sent back." in writer.post("/quarantine/requeue", fields).text
        assert list(browse(crawled, "intake")) == []
    finally:
        remove_queues(crawled)


def test_without_write_access_nothing_can_be_changed(client: Client, crawled: Settings) -> None:
    quarantine(crawled, [(b"one", "not-json")])
    try:
        preview = client.get("/quarantine/preview?action=drop&stage=intake").text
        assert "<form" not in preview
        assert client.post("/quarantine/drop", {"stage": "intake"}).status_code == 403
        assert len(list(browse(crawled, "intake"))) == 1
    finally:
        remove_queues(crawled)
