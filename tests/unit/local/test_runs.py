import re
from pathlib import Path
from typing import Literal

import pytest
from rich.console import Console

from worker.cli import status_tables
from worker.local.run import NumberedMessages
from worker.local.unfinished import RunFolder, UnfinishedRunError, run_folder
from worker.store.progress import RunProgress

SETTINGS = {"--text-roles": "paragraph"}


@pytest.fixture
def output(tmp_path: Path) -> Path:
    return tmp_path / "articles.jsonl"


def begin_run(output: Path) -> str:
    """Start a run without finishing it, and return its ID."""
    with run_folder(output, "refuse") as folder:
        folder.require(SETTINGS)
        folder.begin()
    return folder.run_id


def resume_run(output: Path) -> RunFolder:
    with run_folder(output, "resume") as folder:
        return folder


def test_a_resumed_run_keeps_its_id(output: Path) -> None:
    run_id = begin_run(output)
    with run_folder(output, "resume") as folder:
        folder.require(SETTINGS)
        folder.begin()
        assert (folder.run_id, folder.is_resumed) == (run_id, True)
    assert resume_run(output).run_id == run_id


def test_after_an_unfinished_run_a_new_one_must_resume_or_overwrite(output: Path) -> None:
    run_id = begin_run(output)
    with pytest.raises(UnfinishedRunError, match=r"--resume .* --overwrite"):
        begin_run(output)
    with run_folder(output, "overwrite") as folder:
        assert (folder.run_id != run_id, folder.is_resumed) == (True, False)
    assert begin_run(output) != run_id


@pytest.mark.parametrize("leftover", ["refuse", "resume"])
def test_only_overwrite_replaces_the_output_of_another_run(
    output: Path, leftover: Literal["refuse", "resume"]
) -> None:
    output.write_text("{}\n")
    with (
        pytest.raises(UnfinishedRunError, match=r"jsonl exists, .* use --overwrite to replace it"),
        run_folder(output, leftover),
    ):
        pass
    assert list(output.parent.iterdir()) == [output]
    with run_folder(output, "overwrite") as folder:
        folder.require(SETTINGS)
        folder.begin()
    assert resume_run(output).is_resumed
    output.write_text("")
    with run_folder(output, "overwrite"):
        pass
    begin_run(output)


def test_damage_by_a_power_failure_is_reported(output: Path) -> None:
    begin_run(output)
    (output.parent / "articles.jsonl.run" / "run.json").write_text("\0\0")
    with pytest.raises(UnfinishedRunError, match="is damaged: use --overwrite to start over"):
        resume_run(output)
    with run_folder(output, "overwrite"):
        pass


def test_two_runs_cannot_write_one_file_and_other_files_are_kept(output: Path) -> None:
    with run_folder(output, "refuse") as folder:
        with (
            pytest.raises(UnfinishedRunError, match="another run is writing"),
            run_folder(output, "overwrite"),
        ):
            pass
        (folder.path / "mine").write_text("mine")
    assert [each.name for each in folder.path.iterdir()] == ["mine"]


def test_progress_is_relative_to_all_messages_sent(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(status_tables, "LINE_SECONDS", 0)
    # A duplicate has been received, and ten messages are still on their way.
    counts = RunProgress(10, {}, {}, 9, 4, 2, 6, 5, {}, 8, 0)
    with status_tables.bars_by_stage() as update:
        update(20, counts)
    line = capsys.readouterr().err.strip()
    assert line == "intake 10/20, comparison 2/4, grouping 6/19, extraction 4/19, publishing 0/8"
    monkeypatch.setattr(status_tables, "console", Console(stderr=True, force_terminal=True))
    with status_tables.bars_by_stage() as update:
        update(20, counts._replace(compared=0, pairs=0, outbox=0))
    totals = set(re.findall(r"\d/([0-9?]+)", capsys.readouterr().err))
    assert totals == {"20", "?", "19"}


BODIES = [b"a", b"b", b"b", b"c"]


def message_ids(bodies: list[bytes]) -> list[str]:
    return [message_id for message_id, _ in NumberedMessages(bodies, "run-").without(iter(()))]


def test_messages_have_distinct_ids_in_order() -> None:
    found = message_ids(BODIES)
    assert found == sorted(set(found))
    assert found == message_ids(BODIES)


def test_stored_messages_are_not_sent_again_and_an_input_may_have_grown() -> None:
    first, _, third, last = message_ids(BODIES)
    numbered = NumberedMessages(BODIES, "run-")
    assert [body for _, body in numbered.without(iter([first, third, last]))] == [b"b"]
    assert numbered.count == 4
    numbered = NumberedMessages([*BODIES, b"d"], "run-")
    assert [body for _, body in numbered.without(iter(message_ids(BODIES)))] == [b"d"]


@pytest.mark.parametrize("bodies", [[b"a", b"x", b"b", b"c"], BODIES[:3], []])
def test_a_different_input_is_reported(bodies: list[bytes]) -> None:
    with pytest.raises(UnfinishedRunError, match="start over with --overwrite"):
        list(NumberedMessages(bodies, "run-").without(iter(message_ids(BODIES))))
