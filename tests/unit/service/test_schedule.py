"""Tasks sent by beat, and their times, whatever happens to the clock."""

from datetime import timedelta
from pathlib import Path

from worker.service.application import HeartbeatScheduler, create_app
from worker.settings import Settings
from worker.workflow import process

HOUR = timedelta(hours=1)


def test_a_clock_that_is_set_back_does_not_stop_what_beat_sends(tmp_path: Path) -> None:
    settings = Settings.model_validate(
        {
            "database_url": "postgresql://127.0.0.1/none",
            "broker_url": "amqp://127.0.0.1//",
            "heartbeat_directory": tmp_path,
        }
    )
    process.configure(settings)
    app = create_app(settings)
    file = str(tmp_path / "schedule")
    scheduler = HeartbeatScheduler(app, schedule_filename=file)
    # As if the tasks were last sent when the clock was one hour ahead.
    for entry in scheduler.schedule.values():
        entry.last_run_at += HOUR
    scheduler.close()

    again = HeartbeatScheduler(app, schedule_filename=file)
    again.tick()
    latest = max(entry.last_run_at for entry in again.schedule.values())
    assert latest <= app.now()
    soonest = min(entry.is_due().next for entry in again.schedule.values())
    assert soonest <= settings.cluster_interval_seconds
    again.close()
