"""Access control and security headers."""

import hashlib
import hmac
import secrets
from collections.abc import Iterable
from typing import Final
from urllib.parse import parse_qs

from starlette.datastructures import MutableHeaders
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

POLICY: Final = (
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; frame-src 'self';"
    " form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
"""Content security policy of the inspector's pages, which load only their own resources."""


def policy_with_images(sources: Iterable[str]) -> str:
    """Return the policy of a page that may also load images from the given sources."""
    return POLICY.replace("img-src 'self'", " ".join(["img-src 'self'", *sources]))


STORED_PAGE_POLICY: Final = (
    "sandbox; default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none';"
    " frame-ancestors 'self'"
)
"""Policy for stored pages, which allows only inline styles. Even if they are opened outside their
frame, the pages cannot load, run or submit anything."""

_HEADERS: Final = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
    "cache-control": "no-store",
}

_ACCESS_COOKIE: Final = "detourage_access"


class Safeguards:
    """Middleware that sets security headers."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, and add the security headers to its response."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in _HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        await self._app(scope, receive, send_with_headers)


class Gate:
    """Middleware that requires the token or, if none is configured, a loopback host name.

    The host name is checked to prevent DNS rebinding, which would let any website read everything.
    """

    def __init__(self, app: ASGIApp, token: str | None) -> None:
        self._app = app
        self._token = token
        # The cookie does not reveal the token, and becomes invalid when the inspector restarts.
        self._cookie = "" if token is None else _digest(secrets.token_bytes(32), token)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on if it is permitted; otherwise, respond with a refusal or the login."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        request = Request(scope, receive)
        response = await self._own_response(request)
        await (response or self._app)(scope, receive, send)

    async def _own_response(self, request: Request) -> Response | None:
        """Return the response that refuses a request or handles a login; None to let it through."""
        if self._token is None:
            host = request.headers.get("host", "").lower()
            name = host if host.endswith("]") else host.rpartition(":")[0] or host
            if name in ("localhost", "127.0.0.1", "[::1]"):
                return None
            return PlainTextResponse(_WRONG_HOST_NAME, 421)
        if request.url.path.startswith("/static/"):
            return None
        if request.method == "POST" and request.url.path == "/enter":
            if not _equal(await _sent_token(request), self._token):
                return HTMLResponse(_token_page("That is not the token."), 403)
            response = RedirectResponse("/", 303)
            is_tls = request.url.scheme == "https"
            response.set_cookie(
                _ACCESS_COOKIE, self._cookie, httponly=True, samesite="strict", secure=is_tls
            )
            return response
        bearer = request.headers.get("authorization", "").removeprefix("Bearer ")
        cookie = request.cookies.get(_ACCESS_COOKIE, "")
        if _equal(bearer, self._token) or _equal(cookie, self._cookie):
            return None
        return HTMLResponse(_token_page(""), 401)


def _digest(secret: bytes, text: str) -> str:
    return hmac.new(secret, text.encode("utf-8", "replace"), hashlib.sha256).hexdigest()


def _equal(received: str, secret: str) -> bool:
    """Compare strings in a time that does not reveal how many characters are equal."""
    return hmac.compare_digest(received.encode("utf-8", "replace"), secret.encode("utf-8"))


async def _sent_token(request: Request) -> str:
    """Return the token from a submitted form, or an empty string if the form is too large."""
    body = b""
    async for chunk in request.stream():
        body += chunk
        if len(body) > 16 * 1024:
            return ""
    return parse_qs(body.decode("ascii", "replace")).get("token", [""])[0].strip()


_WRONG_HOST_NAME = (
    "Use 127.0.0.1 or localhost: without a token, the inspector responds to no other name.\n"
)


def _token_page(problem: str) -> str:
    """Return the page that asks for the token without revealing anything about the deployment."""
    return (
        '<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>Détourage</title>'
        '<meta name="viewport" content="width=device-width">'
        '<link rel="stylesheet" href="/static/inspector.css"></head><body class="door"><main>'
        '<h1>Détourage</h1><form method="post" action="/enter"><label for="token">Token</label>'
        '<input id="token" name="token" type="password" autocomplete="current-password" required'
        f' autofocus><button>Enter</button></form><p role="alert">{problem}</p></main>'
        "</body></html>"
    )
