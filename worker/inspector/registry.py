"""Registration of views: pages with a JSON version, plain responses, and actions."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from pydantic_core import to_json
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from worker.inspector.asking import InspectorRequest, read_fields
from worker.inspector.limits import LATER, in_time
from worker.inspector.pages import render
from worker.inspector.security import is_own_form

LARGEST_FORM = 256 * 1024
"""Maximum size of a form, in bytes."""


@dataclass(frozen=True)
class Answer:
    """Content of a view's response.

    The template shows both `values` (dataclasses, datetimes and JSON types) and `only_shown`
    (pictures, URLs of next pages), but the JSON version contains only `values`.
    """

    values: Mapping[str, Any]
    only_shown: Mapping[str, Any] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)


View = Callable[[InspectorRequest], Answer]
PlainView = Callable[[InspectorRequest], Response]


class Views:
    """The views of one module."""

    def __init__(self) -> None:
        self.routes: list[Route] = []

    def page(self, path: str, template: str, *, if_slow: str = LATER) -> Callable[[View], View]:
        """Register a view, with its page at `path` and its JSON version at ``path.json``.

        Views run in threads, several at a time. `if_slow` is a sentence of advice for views that
        take too long.
        """

        def register(view: View) -> View:
            def html_response(asked: InspectorRequest) -> Response:
                answer = view(asked)
                values = {**answer.values, **answer.only_shown}
                return HTMLResponse(render(template, asked, values), headers=answer.headers)

            def json_response(asked: InspectorRequest) -> Response:
                values = to_json(dict(view(asked).values), inf_nan_mode="null")
                return Response(values, media_type="application/json")

            async def page(request: Request) -> Response:
                return await in_time(partial(html_response, _asked(request)), if_slow)

            async def twin(request: Request) -> Response:
                return await in_time(partial(json_response, _asked(request)), if_slow)

            # The JSON version comes first, as a path may end in a parameter that matches any name.
            self.routes += [Route(f"{path}.json", twin), Route(path, page)]
            return view

        return register

    def plain(self, path: str, *, if_slow: str = LATER) -> Callable[[PlainView], PlainView]:
        """Register a view that builds its own response, such as a picture or file; see `page`."""

        def register(view: PlainView) -> PlainView:
            async def plain(request: Request) -> Response:
                return await in_time(partial(view, _asked(request)), if_slow)

            self.routes.append(Route(path, plain))
            return view

        return register

    def action(self, path: str) -> Callable[[PlainView], PlainView]:
        """Register the action of a form issued by the inspector; it requires ``--write``."""

        def register(view: PlainView) -> PlainView:
            async def action(request: Request) -> Response:
                if not request.app.state.deployment.is_writing:
                    raise HTTPException(403, "The inspector was started without --write.")
                body = b""
                async for chunk in request.stream():
                    body += chunk
                    if len(body) > LARGEST_FORM:
                        raise HTTPException(413)
                fields = read_fields(body)
                if not is_own_form(request, fields.get("token", [""])[0]):
                    raise HTTPException(
                        403, "The form belongs to another session: reload the page."
                    )
                return await run_in_threadpool(view, _asked(request, fields))

            self.routes.append(Route(path, action, methods=["POST"]))
            return view

        return register


def _asked(request: Request, fields: Mapping[str, list[str]] | None = None) -> InspectorRequest:
    return InspectorRequest(request, request.app.state.deployment, fields or {})
