"""The command line for ``python -m detourage.cli``, if no script is installed."""

from detourage.cli import main

main()
