"""Python snippets in the documentation send tasks that the service accepts."""

import inspect
import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.deployment import process_environment
from tests.snippets import ROOT, SENDING_TASKS, python_of
from worker.messaging.broker import connect, topology_of
from worker.messaging.task_names import STAGE_OF_TASK
from worker.service.application import create_app
from worker.settings import Settings


@pytest.mark.parametrize("document", SENDING_TASKS, ids=lambda path: str(path.relative_to(ROOT)))
def test_documented_tasks_match_those_of_the_service(document: Path, declared: Settings) -> None:
    program = python_of(document)
    environment = process_environment(declared)
    subprocess.run([sys.executable, "-c", program], check=True, env=environment, cwd=ROOT)
    app = create_app(declared)
    app.loader.import_default_modules()
    queues = topology_of(declared)
    number = 0
    with connect(declared) as connection, connection.channel() as channel:
        for stage in sorted(set(STAGE_OF_TASK.values())):
            while message := channel.basic_get(queues.task_queue(stage), no_ack=True):
                name = message.headers["task"]
                _, arguments, _ = json.loads(message.body)
                assert STAGE_OF_TASK[name] == stage
                inspect.signature(app.tasks[name].run).bind(**arguments)
                number += 1
    assert number == program.count("send_task")
