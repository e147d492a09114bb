"""The command line for ``python -m worker.cli``, if no script is installed."""

from worker.cli import main

main()
