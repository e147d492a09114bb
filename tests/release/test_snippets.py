"""The snippets in the documentation work: blocks, inline commands and the example notebooks."""

import inspect
import json
import subprocess
import sys
from io import StringIO
from pathlib import Path

import pytest

from examples.sample_crawl import SMALL_CRAWL
from tests.deployment import process_environment
from tests.notebooks import NOTEBOOKS, code_cells, run_cells, stored_output
from tests.pages import article_html
from tests.snippets import (
    DOCUMENTS,
    ROOT,
    SENDING_TASKS,
    Snippet,
    check,
    check_command,
    inline_code,
    inline_commands,
    python_module,
    snippets,
)
from worker.messaging.broker import connect, topology_of
from worker.messaging.task_names import STAGE_OF_TASK
from worker.service.celery_application import create_app
from worker.settings import Settings

SNIPPETS = [snippet for document in DOCUMENTS for snippet in snippets(document)]
DOCUMENTS_WITH_PYTHON = [
    document for document in DOCUMENTS if python_module(document) and document not in SENDING_TASKS
]
COMMANDS = sorted({command for document in DOCUMENTS for command in inline_commands(document)})


@pytest.fixture(autouse=True)
def _in_a_folder_with_pages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path(SMALL_CRAWL.name).write_bytes(SMALL_CRAWL.read_bytes())
    Path("page.html").write_text(article_html(1), encoding="utf-8")
    # Some commands ask for confirmation.
    monkeypatch.setattr("sys.stdin", StringIO("y\n"))


@pytest.mark.parametrize(
    "snippet", [each for each in SNIPPETS if each.language != "python"], ids=str
)
def test_a_snippet_works(snippet: Snippet) -> None:
    check(snippet)


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_in_the_text_works(command: str) -> None:
    check_command(command)


@pytest.mark.parametrize(
    "document", DOCUMENTS_WITH_PYTHON, ids=lambda path: str(path.relative_to(ROOT))
)
def test_the_python_of_a_document_runs_from_top_to_bottom(document: Path) -> None:
    exec(compile(python_module(document), document, "exec"), {"__name__": "__main__"})


def test_the_calls_in_the_tables_for_users_of_other_libraries_work() -> None:
    document = ROOT / "docs/how-to/come-from-trafilatura.md"
    names: dict[str, object] = {"__name__": "__main__"}
    exec(compile(python_module(document), document, "exec"), names)
    calls = inline_code(document, r"detourage\.\w+\(.*")
    assert len(calls) > 15
    for call in calls:
        assert eval(call, names) is not None


@pytest.mark.parametrize("document", SENDING_TASKS, ids=lambda path: str(path.relative_to(ROOT)))
def test_documented_tasks_match_those_of_the_service(
    document: Path, settings_with_queues: Settings
) -> None:
    program = python_module(document)
    environment = process_environment(settings_with_queues)
    subprocess.run([sys.executable, "-c", program], check=True, env=environment, cwd=ROOT)
    app = create_app(settings_with_queues)
    app.loader.import_default_modules()
    queues = topology_of(settings_with_queues)
    number = 0
    with connect(settings_with_queues) as connection, connection.channel() as channel:
        for stage in sorted(set(STAGE_OF_TASK.values())):
            while message := channel.basic_get(queues.task_queue(stage), no_ack=True):
                name = message.headers["task"]
                _, arguments, _ = json.loads(message.body)
                assert STAGE_OF_TASK[name] == stage
                inspect.signature(app.tasks[name].run).bind(**arguments)
                number += 1
    assert number == program.count("send_task")


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.name)
def test_a_notebook_prints_its_stored_output(notebook: Path) -> None:
    assert run_cells(notebook) == [
        stored_output(cell) for cell in code_cells(json.loads(notebook.read_text()))
    ]
