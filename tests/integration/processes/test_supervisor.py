"""No child of a supervisor outlives its owner, which is the process that started the supervisor."""

import logging
import os
import signal
import subprocess
import sys
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import psutil
import pytest

from tests.waiting import wait_until
from worker.processes.supervisor import (
    ChildDied,
    Supervisor,
    SupervisorError,
    signals_as_exceptions,
)

MARK = "DETOURAGE_TEST_MARK"
"""Environment variable by whose value the tests recognise their processes."""

OWNER_PROGRAM = """
import signal, sys, time
from pathlib import Path
from worker.processes.supervisor import Supervisor, signals_as_exceptions

directory, ending = Path(sys.argv[1]), sys.argv[2]
directory.mkdir()
family = "setsid sleep 1000 & (sleep 1000 & sleep 1000) & sleep 1000"
deaf = "trap '' TERM INT HUP; while :; do sleep 1000; done"
with signals_as_exceptions(), Supervisor(grace=0.5, remove=[directory]) as supervisor:
    supervisor.start("family", ["sh", "-c", family], log=directory / "family.log")
    supervisor.start("deaf", ["sh", "-c", deaf], log=directory / "deaf.log")
    print("ready", flush=True)
    if ending == "exception":
        raise RuntimeError("the work failed")
    if ending == "wait":
        time.sleep(1000)
"""

SLEEPS = 5  # number of ``sleep`` processes that `OWNER_PROGRAM` starts


def processes_with_mark(mark: str) -> list[psutil.Process]:
    """Return all processes, including orphans, that have inherited the mark."""
    marked = []
    for process in psutil.process_iter():
        with suppress(psutil.Error):
            if process.environ().get(MARK) == mark and process.pid != os.getpid():
                marked.append(process)
    return marked


@pytest.fixture
def mark(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A mark that child processes inherit; processes that still have it are killed at the end."""
    mark = uuid.uuid4().hex
    monkeypatch.setenv(MARK, mark)
    yield mark
    for process in processes_with_mark(mark):
        process.kill()


def start_owner(mark: str, directory: Path, ending: str = "wait") -> subprocess.Popen[str]:
    """Start `OWNER_PROGRAM`, and wait until its children run."""
    owner = subprocess.Popen(
        [sys.executable, "-c", OWNER_PROGRAM, str(directory), ending],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert owner.stdout is not None
    assert owner.stdout.readline() == "ready\n", owner.communicate()
    if ending == "wait":
        wait_until(lambda: [p.name() for p in processes_with_mark(mark)].count("sleep") == SLEEPS)
    return owner


@pytest.mark.parametrize(
    ("send", "number", "times"),
    [
        pytest.param(os.killpg, signal.SIGINT, 1, id="Ctrl-C"),
        pytest.param(os.killpg, signal.SIGINT, 2, id="Ctrl-C twice"),
        pytest.param(os.killpg, signal.SIGKILL, 1, id="SIGKILL to the group"),
        pytest.param(os.kill, signal.SIGINT, 1, id="SIGINT"),
        pytest.param(os.kill, signal.SIGTERM, 1, id="SIGTERM"),
        pytest.param(os.kill, signal.SIGHUP, 1, id="SIGHUP"),
        pytest.param(os.kill, signal.SIGQUIT, 1, id="SIGQUIT"),
        pytest.param(os.kill, signal.SIGKILL, 1, id="SIGKILL"),
    ],
)
def test_a_signal_to_the_owner_leaves_no_processes_or_files(
    send: Callable[[int, int], None], number: int, times: int, mark: str, tmp_path: Path
) -> None:
    directory = tmp_path / "removed"
    owner = start_owner(mark, directory)
    send(owner.pid, number)
    for _ in range(times - 1):
        time.sleep(0.2)
        send(owner.pid, number)
    owner.communicate()
    assert owner.returncode != 0
    if number == signal.SIGTERM:
        assert owner.returncode == 128 + signal.SIGTERM
    wait_until(lambda: not processes_with_mark(mark) and not directory.exists())


@pytest.mark.parametrize(("ending", "status"), [("return", 0), ("exception", 1)])
def test_the_end_of_the_with_block_leaves_no_process(
    ending: str, status: int, mark: str, tmp_path: Path
) -> None:
    owner = start_owner(mark, tmp_path / "removed", ending)
    owner.communicate()
    assert owner.returncode == status
    assert not processes_with_mark(mark)
    assert not (tmp_path / "removed").exists()


def test_children_die_with_the_guardian(mark: str, tmp_path: Path) -> None:
    owner = start_owner(mark, tmp_path / "removed")
    (guardian,) = psutil.Process(owner.pid).children()
    children = guardian.children()
    guardian.kill()
    # When the guardian dies, the kernel sends SIGTERM to its children. The shell ignores SIGTERM
    # and survives for the moment.
    wait_until(lambda: [child.is_running() for child in children].count(True) == 1)
    (survivor,) = [child for child in children if child.is_running()]
    assert survivor.name() == "sh"
    owner.kill()
    owner.communicate()


def test_a_terminated_guardian_ends_the_children(mark: str, tmp_path: Path) -> None:
    with Supervisor(grace=0.5) as supervisor:
        pid = supervisor.start("sleeper", ["sleep", "1000"], log=tmp_path / "log")
        os.kill(psutil.Process(pid).ppid(), signal.SIGTERM)
        wait_until(lambda: not processes_with_mark(mark))
        # The supervisor may first notice either the end of the guardian or that of the child.
        with pytest.raises(SupervisorError):
            supervisor.check()


def test_the_exit_of_a_child_is_reported_with_the_end_of_its_log(tmp_path: Path) -> None:
    with Supervisor() as supervisor:
        supervisor.start(
            "worker", ["sh", "-c", "seq 1000; echo out of memory >&2; exit 3"], log=tmp_path / "log"
        )
        with pytest.raises(ChildDied) as caught:
            wait_until(supervisor.check)
    assert caught.value.name == "worker"
    assert caught.value.status == 3
    assert caught.value.tail.splitlines()[-2:] == ["1000", "out of memory"]
    assert str(caught.value).splitlines()[0] == "worker exited with status 3"
    assert len(str(caught.value).splitlines()) < 30


def test_a_killed_child_is_reported_with_the_name_of_the_signal(tmp_path: Path) -> None:
    with Supervisor() as supervisor:
        pid = supervisor.start("worker", ["sleep", "1000"], log=tmp_path / "log")
        supervisor.check()
        os.kill(pid, signal.SIGKILL)
        with pytest.raises(ChildDied, match="worker was killed by SIGKILL"):
            wait_until(supervisor.check)


def test_a_missing_program_is_reported_immediately(tmp_path: Path) -> None:
    with Supervisor() as supervisor:
        with pytest.raises(ChildDied, match=r"worker did not start: .*no-such-program"):
            supervisor.start("worker", ["no-such-program"], log=tmp_path / "log")
        supervisor.start("second", ["sleep", "1000"], log=tmp_path / "log")
        supervisor.check()


def slow_module(directory: Path, seconds: float) -> str:
    """Write a module whose import takes the given time, and return its name."""
    name = f"slow_{uuid.uuid4().hex}"
    (directory / f"{name}.py").write_text(f"import time; time.sleep({seconds})")
    return name


def test_a_start_waits_for_imports(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", str(tmp_path), prepend=os.pathsep)
    for seconds in (0.5, 2.0, 8.0, 32.0):
        # Each import takes half of the limit, and all three together exceed it. On a slow machine,
        # only a higher limit leaves enough time for the rest of the start.
        monkeypatch.setattr("worker.processes.supervisor.STALL_SECONDS", 2 * seconds)
        preload = [slow_module(tmp_path, seconds) for _ in range(3)]
        with suppress(SupervisorError), Supervisor(preload=preload) as supervisor:
            supervisor.start("child", ["sleep", "1000"], log=tmp_path / "log")
            supervisor.check()
            return
    pytest.fail("a start does not wait for imports")


def test_a_start_without_progress_is_aborted_and_leaves_no_output_or_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PYTHONPATH", str(tmp_path), prepend=os.pathsep)
    monkeypatch.setattr("worker.processes.supervisor.STALL_SECONDS", 1.0)
    (removed := tmp_path / "removed").mkdir()
    with (
        Supervisor(remove=[removed], preload=[slow_module(tmp_path, 5), "json"]) as supervisor,
        pytest.raises(SupervisorError, match=r"no progress for 1 seconds.*check the load"),
    ):
        supervisor.start("child", ["sleep", "1000"], log=tmp_path / "log")
    assert (capfd.readouterr().err, removed.exists()) == ("", False)


REPORT_STATEMENT = (
    'print(os.environ["COLOUR"], len(os.environ), os.getcwd(), os.getsid(0) == os.getpid(),'
    ' signal.getsignal(signal.SIGTERM).name, "sqlite3" in sys.modules, flush=True)'
)
REPORT = ["-m", "timeit", "-n", "1", "-r", "1", "-s", "import os, signal, sys", REPORT_STATEMENT]


def test_a_preloaded_child_differs_from_a_started_one_only_in_its_modules(tmp_path: Path) -> None:
    reports = []
    for preload in ([], ["sqlite3"]):
        log = tmp_path / f"log-{len(preload)}"
        with Supervisor(preload=preload) as supervisor:
            environment = {"COLOUR": "grün", "LC_ALL": "C.UTF-8"}
            command = [sys.executable, *REPORT]
            supervisor.start("child", command, log=log, env=environment, cwd=tmp_path)
            with pytest.raises(ChildDied, match="exited with status 0"):
                wait_until(supervisor.check)
        reports.append(log.read_text().splitlines()[0])
    # The third variable is PYTHONSAFEPATH, which the supervisor sets for all of its children.
    assert reports[0] == f"grün 3 {tmp_path} True SIG_DFL False"
    assert reports[1] == f"grün 3 {tmp_path} True SIG_DFL True"


def test_a_preloaded_child_that_fails_is_reported_with_its_status_and_error(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "json.tool", str(tmp_path / "missing")]
    for folder, status, expected in (
        (tmp_path, 2, "missing"),
        (tmp_path / "nowhere", 1, "nowhere"),
    ):
        with Supervisor(preload=["sqlite3"]) as supervisor:
            supervisor.start("child", command, log=tmp_path / "log", cwd=folder)
            with pytest.raises(ChildDied, match=f"status {status}") as caught:
                wait_until(supervisor.check)
        assert expected in caught.value.tail


def test_children_get_their_stop_signal_first(tmp_path: Path) -> None:
    log = tmp_path / "log"
    with Supervisor() as supervisor:
        supervisor.start(
            "polite",
            ["sh", "-c", "trap 'echo finished; exit' INT; echo ready; while :; do sleep 0.1; done"],
            log=log,
            stop_signal=signal.SIGINT,
        )
        wait_until(lambda: "ready" in log.read_text())
    assert log.read_text() == "ready\nfinished\n"


@pytest.fixture
def default_sigint() -> Iterator[None]:
    """Install the default handler of SIGINT during a test."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("default_sigint")
@pytest.mark.parametrize(
    ("number", "ending"), [(signal.SIGTERM, SystemExit(143)), (signal.SIGINT, KeyboardInterrupt())]
)
def test_a_termination_swallowed_by_a_library_is_raised_again_without_its_warnings(
    number: signal.Signals, ending: BaseException, caplog: pytest.LogCaptureFixture
) -> None:
    before, library = signal.getsignal(number), logging.getLogger("psycopg.pool")
    with signals_as_exceptions() as raise_again:
        raise_again()
        library.warning("running")
        with pytest.raises(type(ending)):
            signal.raise_signal(number)
        library.warning("stopping")
        with pytest.raises(type(ending)) as caught:
            raise_again()
    library.warning("stopped")
    assert (caught.value.args, signal.getsignal(number)) == (ending.args, before)
    assert caplog.messages == ["running", "stopped"]
