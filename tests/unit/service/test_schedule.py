"""Beat sends its tasks on time even if the clock is changed."""

from datetime import timedelta
from pathlib import Path

from worker.service.celery_application import HeartbeatScheduler, create_app
from worker.settings import Settings
from worker.workflow import process_state


def test_setting_the_clock_back_does_not_stop_beat(tmp_path: Path) -> None:
    urls = {"database_url": "postgresql://127.0.0.1/none", "broker_url": "amqp://127.0.0.1//"}
    settings = Settings.model_validate({**urls, "heartbeat_directory": tmp_path})
    process_state.configure(settings)
    app = create_app(settings)
    file = str(tmp_path / "schedule")
    scheduler = HeartbeatScheduler(app, schedule_filename=file)
    # Pretend that the clock was one hour ahead when the tasks were last sent.
    for entry in scheduler.schedule.values():
        entry.last_run_at += timedelta(hours=1)
    scheduler.close()

    restarted_scheduler = HeartbeatScheduler(app, schedule_filename=file)
    restarted_scheduler.tick()
    last_sent = max(entry.last_run_at for entry in restarted_scheduler.schedule.values())
    assert last_sent <= app.now()
    shortest_wait = min(entry.is_due().next for entry in restarted_scheduler.schedule.values())
    assert shortest_wait <= settings.search_interval_seconds
    restarted_scheduler.close()
