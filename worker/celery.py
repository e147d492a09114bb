"""The Celery application: ``celery -A worker worker``, ``celery -A worker beat``."""

import sys

from worker.service.application import create_app
from worker.settings import SettingsError, load_settings

try:
    settings = load_settings()
    settings.require_database_url()
    app = create_app(settings)
except SettingsError as error:
    sys.exit(f"detourage: {error}")
