"""Registration of views: pages with a JSON version, and plain responses."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from anyio import move_on_after, to_thread
from pydantic_core import to_json
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from inspector.pages import render
from inspector.request import InspectorRequest
from inspector.stored_page import TooSlowError

VIEW_SECONDS = 10.0
"""Time limit for a view, after which it is aborted."""

LATER = "Try again later: the database or this host is busy."

ROUTES: list[Route] = []
"""Routes of all imported views."""


@dataclass(frozen=True)
class Answer:
    """Content of a response: `values` for JSON and the template, `only_shown` for the latter."""

    values: Mapping[str, Any]
    only_shown: Mapping[str, Any] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)


View = Callable[[InspectorRequest], Answer]
PlainView = Callable[[InspectorRequest], Response]


def page_view(path: str, template: str, *, if_slow: str = LATER) -> Callable[[View], View]:
    """Register a view, with its page at `path` and its JSON version at ``path.json``."""

    def register(view: View) -> View:
        def page(request: InspectorRequest) -> Response:
            answer = view(request)
            values = {**answer.values, **answer.only_shown}
            return HTMLResponse(render(template, request, values), headers=answer.headers)

        def twin(request: InspectorRequest) -> Response:
            values = to_json(dict(view(request).values), inf_nan_mode="null")
            return Response(values, media_type="application/json")

        # The JSON version comes first, as a path may end in a parameter that matches any name.
        plain_view(f"{path}.json", if_slow=if_slow)(twin)
        plain_view(path, if_slow=if_slow)(page)
        return view

    return register


def plain_view(path: str, *, if_slow: str = LATER) -> Callable[[PlainView], PlainView]:
    """Register a view that builds its own response, such as a picture or file.

    Views run in threads, several at a time. A view that exceeds `VIEW_SECONDS` is abandoned, with
    status 503 and the advice `if_slow`; it ends eventually, because database statements and page
    parsing have time limits.
    """

    def register(view: PlainView) -> PlainView:
        async def plain(request: Request) -> Response:
            try:
                with move_on_after(VIEW_SECONDS):
                    work = partial(view, InspectorRequest(request, request.app.state.deployment))
                    return await to_thread.run_sync(work, abandon_on_cancel=True)
            except TooSlowError:
                pass
            raise HTTPException(503, f"This took too long and was aborted. {if_slow}")

        ROUTES.append(Route(path, plain))
        return view

    return register
