"""Help, usage errors, health checks and processes import no modules that they do not need."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.pages import article_html

SLOW_MODULES = {
    "celery",
    "kombu",
    "lxml",
    "numpy",
    "psycopg2",
    "rich",
    "scipy",
    "sklearn",
    "sqlalchemy",
}
CALL = """
from detourage.cli import main
try:
    main({})
except SystemExit:
    print()
"""


def loaded_by(code: str) -> set[str]:
    """Return the modules that are loaded after the given code has run in a separate process."""
    url = {"DETOURAGE_DATABASE_URL": "postgresql://a@b/c", "DETOURAGE_BROKER_URL": "amqp://a@b//"}
    result = subprocess.run(
        [sys.executable, "-c", f"import json, sys\n{code}\nprint(json.dumps([*sys.modules]))"],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, **url},
    )
    return set(json.loads(result.stdout.splitlines()[-1]))


@pytest.mark.parametrize("arguments", [["--help"], ["run", "--help"], ["reprocess"]])
def test_help_and_usage_errors_import_only_the_command_line(arguments: list[str]) -> None:
    assert loaded_by(CALL.format(arguments)).isdisjoint(SLOW_MODULES | {"pydantic"})


def test_a_health_check_imports_only_the_settings() -> None:
    assert loaded_by(CALL.format(["health", "intake"])).isdisjoint(SLOW_MODULES)


@pytest.mark.parametrize(
    ("code", "unneeded"),
    [
        (
            "from worker.celery import app; app.Beat(loglevel='INFO').init_loader()",
            {"numpy", "lxml", "detourage.reader", "worker.tasks.extract", "sklearn"},
        ),
        ("import worker.service.relay", {"numpy", "lxml", "detourage.reader", "sklearn"}),
        (
            "from worker.service.metrics import build_versions; build_versions()",
            {"detourage.reader", "celery", "sklearn", "scipy"},
        ),
        ("import worker.service.intake", {"celery", "sklearn", "scipy", "detourage.template"}),
    ],
    ids=["beat", "relay", "metrics", "intake"],
)
def test_a_process_imports_only_what_it_needs(code: str, unneeded: set[str]) -> None:
    assert loaded_by(code) & (unneeded | {"opentelemetry"}) == set()


def test_a_pool_imports_all_tasks_and_no_training() -> None:
    loaded = loaded_by("from worker.celery import app; app.loader.import_default_modules()")
    assert {"worker.tasks.extract", "worker.tasks.cluster"} <= loaded
    assert loaded & {"sklearn", "opentelemetry"} == set()


READ_BY_COMMAND = CALL.format(["extract", "page.html"])
READ_BY_CALL = """
import detourage
from pathlib import Path
assert detourage.extract(Path("page.html").read_text(), "https://a.example/1").text
"""


@pytest.fixture
def _with_a_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    html = article_html(1) + '<link rel="canonical" href="http://a.example/1">'
    (tmp_path / "page.html").write_text(html, encoding="utf-8")
    monkeypatch.chdir(tmp_path)


@pytest.mark.usefixtures("_with_a_page")
@pytest.mark.parametrize("code", [READ_BY_COMMAND, READ_BY_CALL], ids=["command", "call"])
def test_reading_one_page_imports_only_what_it_needs(code: str) -> None:
    loaded = loaded_by(code)
    assert {"numpy", "detourage.reader"} <= loaded
    # Importing each of these takes a few milliseconds, and a single page needs none of them.
    small = {"asyncio", "email", "hashlib", "importlib.resources", "multiprocessing", "numpy.ma"}
    small |= {"detourage.reader.explanation", "idna", "statistics", "subprocess", "xml"}
    assert (SLOW_MODULES - {"numpy"} | {"pydantic", "requests"} | small) & loaded == set()


@pytest.mark.usefixtures("_with_a_page")
def test_a_command_starts_no_idle_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENBLAS_NUM_THREADS", raising=False)
    count = "\nsys.modules = os.listdir('/proc/self/task')"
    assert len(loaded_by(f"import os{READ_BY_COMMAND}{count}")) == 1
