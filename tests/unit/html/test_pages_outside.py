"""Pages cannot make the parser load files or network resources."""

import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from detourage.html import parse_page
from detourage.reader import extract_article


@pytest.fixture
def listener() -> Iterator[socket.socket]:
    """A loopback server that must not receive any requests."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(0.2)
        yield server


@pytest.mark.parametrize("content_type", ["text/html", "application/xhtml+xml"])
@pytest.mark.parametrize(
    "document",
    [
        "<!DOCTYPE html [<!ENTITY x SYSTEM '{place}'>]>"
        "<html><body><p>{text}</p><p>&x;</p></body></html>",
        "<!DOCTYPE html [<!ENTITY % x SYSTEM '{place}'> %x;]>"
        "<html><body><p>{text}</p></body></html>",
        "<!DOCTYPE html SYSTEM '{place}'><html><body><p>{text}</p></body></html>",
        "<?xml-stylesheet href='{place}'?><html><body><p>{text}</p></body></html>",
        "<html xmlns:xi='http://www.w3.org/2001/XInclude'><body><p>{text}</p>"
        "<xi:include parse='text' href='{place}'/></body></html>",
        "<html><head><base href='{place}'/><link rel='import' href='{place}'/></head><body>"
        "<p>{text}</p><iframe src='{place}'></iframe><object data='{place}'></object>"
        "</body></html>",
    ],
)
def test_external_entities_are_not_loaded(
    document: str, content_type: str, tmp_path: Path, listener: socket.socket
) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("The secret of this host is a word that stands in a file.")
    address = f"http://127.0.0.1:{listener.getsockname()[1]}/secret.txt"
    text = "What the page itself says stands in its paragraph, and it is long enough. " * 3
    for place in (secret.as_uri(), str(secret), address):
        html = "<?xml version='1.0'?>" + document.format(place=place, text=text)
        page = parse_page(html, "https://news.example/a", content_type=content_type)
        article = extract_article(page, None)
        assert "itself says" in article.text
        assert "secret of this host" not in article.text
    with pytest.raises(TimeoutError):
        listener.accept()
