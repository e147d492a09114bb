"""``python -m worker.cli``: the command line if no script is installed."""

from worker.cli import main

main()
