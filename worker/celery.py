"""Entry point of Celery, for ``celery -A worker worker`` and ``celery -A worker beat``."""

import os
import sys

from worker.service.celery_application import create_app
from worker.settings import SettingsError, load_settings
from worker.workflow.process_state import configure

# Otherwise, NumPy starts a thread per core, each of which busy-waits for work.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
try:
    settings = load_settings()
    settings.require_database_url()
    configure(settings)
    app = create_app(settings)
except SettingsError as error:
    sys.exit(f"detourage: {error}")
