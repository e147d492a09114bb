"""Entry point of Celery, for ``celery -A worker worker`` and ``celery -A worker beat``."""

import sys

from worker.processes.threads import start_no_idle_threads
from worker.service.application import create_app
from worker.settings import SettingsError, load_settings
from worker.workflow.process import configure

start_no_idle_threads()
try:
    settings = load_settings()
    settings.require_database_url()
    configure(settings)
    app = create_app(settings)
except SettingsError as error:
    sys.exit(f"detourage: {error}")
