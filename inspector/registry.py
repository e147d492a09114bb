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

TRY_LATER = "Try again later: the database or this host is busy."

ROUTES: list[Route] = []
"""Routes of all imported views."""


@dataclass(frozen=True)
class ViewResponse:
    """Content of a view's response.

    `values` form the JSON version, and are also available to the page's template; `template_values`
    are available only to the template.
    """

    values: Mapping[str, Any]
    template_values: Mapping[str, Any] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)


View = Callable[[InspectorRequest], ViewResponse]
PlainView = Callable[[InspectorRequest], Response]


def page_view(path: str, template: str, *, if_slow: str = TRY_LATER) -> Callable[[View], View]:
    """Register a view, with its page at `path` and its JSON version at ``path.json``."""

    def register(view: View) -> View:
        def page(request: InspectorRequest) -> Response:
            response = view(request)
            values = {**response.values, **response.template_values}
            return HTMLResponse(render(template, request, values), headers=response.headers)

        def json_version(request: InspectorRequest) -> Response:
            values = to_json(dict(view(request).values), inf_nan_mode="null")
            return Response(values, media_type="application/json")

        # The JSON version comes first, as a path may end in a parameter that matches any name.
        plain_view(f"{path}.json", if_slow=if_slow)(json_version)
        plain_view(path, if_slow=if_slow)(page)
        return view

    return register


def plain_view(path: str, *, if_slow: str = TRY_LATER) -> Callable[[PlainView], PlainView]:
    """Register a view at `path` that builds its own response, such as a redirect or a download.

    Views run in threads, several at a time. A view that exceeds `VIEW_SECONDS` is abandoned, with
    status 503 and the advice `if_slow`; it ends eventually, because database statements and page
    parsing have time limits.
    """

    def register(view: PlainView) -> PlainView:
        async def endpoint(request: Request) -> Response:
            try:
                with move_on_after(VIEW_SECONDS):
                    call = partial(view, InspectorRequest(request, request.app.state.deployment))
                    return await to_thread.run_sync(call, abandon_on_cancel=True)
            except TooSlowError:
                pass
            raise HTTPException(503, f"This took too long and was aborted. {if_slow}")

        ROUTES.append(Route(path, endpoint))
        return view

    return register
