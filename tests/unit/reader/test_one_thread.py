"""Extraction and grouping use one thread even if no environment variable requires it."""

import os
import subprocess
import sys

import pytest

PROGRAMS = {
    "read": """
from tests.pages import article_html
from detourage.reader.article_and_comments import read_content
from detourage.html import parse_page
page = parse_page(article_html(1, number=300).encode(), "https://a.example/1")
def work():
    read_content(page)
""",
    "grouped": """
import numpy as np
from detourage.template.groups import group_pages
points = np.random.default_rng(1).random((80, 5))
distances = np.sqrt(((points[:, None] - points) ** 2).sum(axis=2)) / 5**0.5
urls = [f"https://a.example/{number}" for number in range(80)]
def work():
    group_pages(urls, distances)
""",
}

# Prints the CPU time of other threads relative to that of the thread that runs `work`.
SHARE_OF_OTHER_THREADS = """
from time import process_time, sleep, thread_time
work()
# Threads that have just started busy-wait for work for a moment.
others = -1.0
while (now := process_time() - thread_time()) > others + 0.001:
    others = now
    sleep(0.1)
everywhere, here = process_time(), thread_time()
for _ in range(3):
    work()
here = thread_time() - here
print((process_time() - everywhere - here) / here)
"""


@pytest.mark.parametrize("program", list(PROGRAMS))
def test_no_other_threads_are_used(program: str) -> None:
    env = {name: value for name, value in os.environ.items() if not name.endswith("_NUM_THREADS")}
    result = subprocess.run(
        [sys.executable, "-c", PROGRAMS[program] + SHARE_OF_OTHER_THREADS],
        env=env,
        capture_output=True,
        text=True,
        check=True,
    )
    assert float(result.stdout) < 0.05
