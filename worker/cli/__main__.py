"""``python -m worker.cli``: the command line where no script is installed."""

from worker.cli import main

main()
