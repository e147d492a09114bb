"""Python snippets in the documentation send tasks that the service accepts."""

import inspect
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.deployment import process_environment, remove_queues
from tests.snippets import ROOT, SENDING_TASKS, python_of
from worker.messaging.broker import connect, topology_of
from worker.messaging.task_names import STAGE_OF_TASK
from worker.service.application import create_app
from worker.settings import Settings


@pytest.fixture
def idle(settings: Settings) -> Iterator[Settings]:
    """Settings of a deployment with queues but no consumers."""
    with connect(settings) as connection:
        topology_of(settings).declare(connection)
    yield settings
    remove_queues(settings)


@pytest.mark.parametrize("document", SENDING_TASKS, ids=lambda path: str(path.relative_to(ROOT)))
def test_documented_tasks_match_those_of_the_service(document: Path, idle: Settings) -> None:
    program = python_of(document)
    environment = process_environment(idle)
    subprocess.run([sys.executable, "-c", program], check=True, env=environment, cwd=ROOT)
    app = create_app(idle)
    app.loader.import_default_modules()
    number = 0
    with connect(idle) as connection, connection.channel() as channel:
        for stage in sorted(set(STAGE_OF_TASK.values())):
            while message := channel.basic_get(topology_of(idle).task_queue(stage)):
                name = message.headers["task"]
                _, arguments, _ = json.loads(message.body)
                assert STAGE_OF_TASK[name] == stage
                inspect.signature(app.tasks[name].run).bind(**arguments)
                number += 1
    assert number == program.count("send_task")
