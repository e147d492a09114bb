"""The command line for ``python -m worker.cli``, if no script is installed."""

from detourage.cli import main

main()
