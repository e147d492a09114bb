"""A minimal worker for comparison: a Celery task that calls trafilatura and inserts a row."""

import base64
import json
import os
from typing import Any

import psycopg2
from celery import Celery
from celery.signals import worker_process_init
from trafilatura import bare_extraction

app = Celery("plain", broker_connection_retry_on_startup=True)
connections: list[Any] = []


@worker_process_init.connect  # type: ignore[untyped-decorator]
def connect(**_: object) -> None:
    """Connect each process of the pool to the database."""
    connections.append(psycopg2.connect(os.environ["PLAIN_DATABASE_URL"]))


@app.task(name="plain.extract", acks_late=True, ignore_result=True)  # type: ignore[untyped-decorator]
def extract(message: str) -> None:
    """Extract the article of a page message, and insert it as a row."""
    page = json.loads(message)
    html = base64.b64decode(page["html_base64"])
    article = bare_extraction(html, url=page["url"], include_comments=True, with_metadata=True)
    row = (page["url"], None if article is None else json.dumps(article.as_dict(), default=str))
    with connections[0] as connection, connection.cursor() as cursor:
        cursor.execute("INSERT INTO plain VALUES (%s, %s)", row)
