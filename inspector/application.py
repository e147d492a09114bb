"""The ASGI application, which serves all registered views behind the safeguards."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from http import HTTPStatus

from anyio.to_thread import current_default_thread_limiter
from sqlalchemy.exc import DBAPIError
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp

import inspector.views  # noqa: F401  Registers the routes.
from detourage.expected_errors import ExpectedError
from inspector.deployment import CONNECTIONS, Deployment, reason_of
from inspector.pages import render
from inspector.registry import ROUTES
from inspector.request import InspectorRequest
from inspector.security import Gate, Safeguards

_EXPLANATIONS = {
    400: "This request is malformed.",
    403: "This is not allowed.",
    404: "Page not found.",
    405: "Method not allowed.",
    500: "Internal error: see the inspector's log.",
}


def create_app(deployment: Deployment, *, token: str | None = None) -> ASGIApp:
    """Create the web application for a deployment, whose connections it closes at the end.

    The access token is None if only this machine can connect.
    """

    @asynccontextmanager
    async def lifespan(_app: Starlette) -> AsyncIterator[None]:
        # Each view uses a thread and a connection; further requests wait for a free thread.
        current_default_thread_limiter().total_tokens = CONNECTIONS
        yield
        deployment.close()

    app = Starlette(
        routes=[
            Route("/", _to_overview),
            *ROUTES,
            Mount("/static", StaticFiles(packages=[("inspector", "static")])),
        ],
        exception_handlers={
            HTTPException: _http_problem,
            ExpectedError: _unavailable,
            DBAPIError: _unavailable,
            500: _unexpected,
        },
        lifespan=lifespan,
    )
    app.state.deployment = deployment
    # `Safeguards` and `Gate` wrap the application: as its middleware, they would miss responses to
    # exceptions.
    return Safeguards(Gate(app, token))


async def _to_overview(_request: Request) -> Response:
    return RedirectResponse("/overview", 302)


async def _http_problem(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    # The default detail is the status phrase, such as "Not Found".
    is_default = error.detail == HTTPStatus(error.status_code).phrase
    explanation = error.detail
    if is_default:
        explanation = _EXPLANATIONS.get(error.status_code, error.detail)
    return await _problem(request, error.status_code, explanation)


async def _unavailable(request: Request, error: Exception) -> Response:
    return await _problem(request, 503, reason_of(error))


async def _unexpected(request: Request, _error: Exception) -> Response:
    return await _problem(request, 500, _EXPLANATIONS[500])


async def _problem(request: Request, status: int, explanation: str) -> Response:
    """Return an error response, in JSON if the requested path ends in ``.json``."""
    if request.url.path.endswith(".json"):
        return JSONResponse({"error": explanation}, status)
    failed = InspectorRequest(request, request.app.state.deployment)
    values = {"explanation": explanation}
    page = await run_in_threadpool(render, "problem.html", failed, values)
    return HTMLResponse(page, status)
