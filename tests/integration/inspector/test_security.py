"""Access control and security headers of the inspector."""

import pytest
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError

from inspector.stored_page import TooSlowError
from tests.crawled import Client, inspector_client, open_deployment
from worker.settings import Settings

TOKEN = "the inspector's access token"


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
    deployment = open_deployment(crawled)
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
    with inspector_client(crawled, token=TOKEN) as stranger:
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
        response = stranger.post("/enter", {"token": TOKEN}, allow_redirects=False)
        for cookie in response.headers["set-cookie"].split(", "):
            assert "HttpOnly" in cookie
            assert "samesite=strict" in cookie.lower()
