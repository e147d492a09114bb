"""The Celery application: ``celery -A worker worker``, ``celery -A worker beat``."""

import sys

from worker.service.application import create_app
from worker.settings import SettingsError, load_settings
from worker.tasks.process import configure

try:
    settings = load_settings()
    settings.require_database_url()
    configure(settings)
    app = create_app(settings)
except SettingsError as error:
    sys.exit(f"detourage: {error}")
