"""Invalid input and slow views result in an explanation, never in a server error."""

import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import product

import pytest
from sqlalchemy import text

from inspector.registry import ROUTES
from tests.crawled import Client, inspector_client, page_ids
from tests.inline_tasks import Tasks
from tests.pages import article_html
from worker.settings import Settings
from worker.store.database import Database

PARAMETERS = {
    "/articles": (
        *("words", "site", "outcome", "language", "since", "until", "above", "below", "after"),
    ),
    "/sites": ("name", "order", "after"),
    "/sites/{site:number}/pair": ("page", "other"),
    "/sites/{site:number}/groups/{group:number}": ("after",),
    "/sites/{site:number}/outliers": ("after",),
    "/pages/{page:number}": ("revision", "from", "line"),
    "/pages/{page:number}/read": ("size", "images"),
}
"""Query parameters of each view."""

HOSTILE_VALUES = (
    *("9999-12-31", "0001-01-01", "nan", "²", "\x00", "9" * 18, "9" * 4400, "a" * 501, "a " * 9),
    "\x01\ud83d\ude00\uffff\\\"%_$.*)(?['<script>alert(1)</script>",
)

INVALID_PARAMETERS = (
    *(("/articles", {"until": "tomorrow"}), ("/articles", {"since": "2026-02-30"})),
    *(("/articles", {"below": "nan"}), ("/articles", {"above": "1.1"})),
    *(("/articles", {"outcome": "none"}), ("/articles", {"after": "x"})),
    *(("/articles", {"words": "a " * 9}), ("/articles", {"site": "a" * 501})),
    *(("/articles.jsonl", {"since": "x"}), ("/articles.jsonl", {"above": "x"})),
    *(("/articles", {"language": "\x00"}), ("/sites", {"order": "x"}), ("/sites", {"after": "1"})),
)

LONG_PARAGRAPHS = "<p>On Tuesday the council met again, to decide about the old bridge.</p>" * 6_000


def error_message(body: str, *, is_json: bool) -> str:
    """Return the error message in a JSON or HTML response."""
    found = re.search(r'"error":"(.+)"}$' if is_json else r"<h1>(.+)</h1>", body)
    assert found, body
    return found[1]


def all_paths() -> set[str]:
    return {route.path for route in ROUTES}


@pytest.mark.parametrize("path", PARAMETERS)
def test_no_query_value_causes_a_server_error(client: Client, crawled: Settings, path: str) -> None:
    site, page = 1, page_ids(crawled)[0]
    filled = re.sub(r"{(\w+):number}", lambda at: str(page if at[1] == "page" else site), path)
    suffixes = ("", ".json") if f"{path}.json" in all_paths() else ("",)
    for name, value, suffix in product(PARAMETERS[path], HOSTILE_VALUES, suffixes):
        response = client.get(
            filled + suffix,
            params={name: value.encode("utf-8", "surrogatepass")},
            allow_redirects=False,
        )
        assert response.status_code in (200, 303, 400, 404), (name, value, response.text)
        if response.status_code == 400:
            error = error_message(response.text, is_json=bool(suffix))
            assert error.startswith(f"{name} "), error
            assert error.endswith("."), error
        assert suffix or "<script>alert" not in response.text


@pytest.mark.parametrize(("path", "parameters"), INVALID_PARAMETERS)
def test_invalid_values_are_refused(client: Client, path: str, parameters: dict[str, str]) -> None:
    [name] = parameters
    for suffix in ("", ".json") if f"{path}.json" in all_paths() else ("",):
        response = client.get(path + suffix, params=parameters)
        assert response.status_code == 400
        assert error_message(response.text, is_json=bool(suffix)).startswith(f"{name} ")


def test_the_last_date_of_the_calendar_is_accepted(client: Client, crawled: Settings) -> None:
    for path in ("/articles.json", "/articles.jsonl"):
        assert client.get(f"{path}?until=9999-12-31").status_code == 200
    lines = client.get("/articles.jsonl?until=9999-12-31").text.splitlines()
    assert len(lines) == len(page_ids(crawled))


@pytest.mark.parametrize("number", ["0", "9" * 18, "9" * 19, "9" * 5000])
def test_unknown_pages_are_not_found(client: Client, number: str) -> None:
    assert client.get("/nowhere").status_code == 404
    assert client.get("/nowhere.json").json() == {"error": "Page not found."}
    for path in sorted(all_paths()):
        if "{" in path and not path.endswith(".json"):
            filled = re.sub(r"{\w+:\w+}", number, path)
            assert client.get(filled).status_code == 404, filled


@contextmanager
def locked_table(settings: Settings, table: str) -> Iterator[None]:
    """Lock a table as a migration does, so that readers must wait."""
    with Database(settings.require_database_url()) as database, database.transaction() as session:
        session.execute(text(f"LOCK TABLE {table} IN ACCESS EXCLUSIVE MODE"))
        yield


@pytest.mark.parametrize("path", ["/articles", "/articles.json", "/articles.jsonl"])
def test_a_view_that_takes_too_long_gives_advice(
    crawled: Settings, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    monkeypatch.setattr("inspector.registry.VIEW_SECONDS", 0.3)
    with inspector_client(crawled) as reader, locked_table(crawled, "articles"):
        response = reader.get(path)
    assert response.status_code == 503
    assert "Narrow the search: enter a site or a shorter period." in response.text


def test_a_slow_statement_has_advice(crawled: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("inspector.deployment.STATEMENT_SECONDS", 1)
    with inspector_client(crawled) as reader, locked_table(crawled, "pages"):
        response = reader.get("/pages/1.json")
    assert response.status_code == 503
    assert response.json()["error"].startswith("This took too long and was aborted.")


def test_aborted_views_block_no_others(crawled: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    with inspector_client(crawled) as reader, locked_table(crawled, "articles"):
        with monkeypatch.context() as limited:
            limited.setattr("inspector.registry.VIEW_SECONDS", 0.3)
            waiting = [threading.Thread(target=reader.get, args=["/articles"]) for _ in range(6)]
            for thread in waiting:
                thread.start()
            for thread in waiting:
                thread.join()
        assert reader.get("/sites").status_code == 200


# The exception that aborts the analysis may be raised in a callback, where Python ignores it.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_a_page_that_takes_too_long_to_analyse_is_shown_without_its_lines(
    tasks: Tasks, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Reading the page takes many times the limit, so an ignored exception is raised again.
    monkeypatch.setattr("inspector.stored_page.READING_SECONDS", 0.05)
    monkeypatch.setattr("inspector.time_limit.AGAIN_SECONDS", 0.05)
    html = article_html(1).replace("</p>", f"</p>{LONG_PARAGRAPHS}", 1)
    tasks.process_site(tasks.publish("slow.example", [("1", html)]))
    [page_id] = page_ids(settings)
    with inspector_client(settings) as reader:
        response = reader.get(f"/pages/{page_id}")
        values = reader.values(f"/pages/{page_id}.json")
        stored = reader.get(f"/pages/{page_id}/stored")
    assert response.status_code == 200
    assert "took too long and was aborted" in response.text
    assert "<iframe" not in response.text
    assert values["took_too_long"] is True
    assert values["lines"] == []
    assert values["article"]["text"]
    assert stored.status_code == 503
