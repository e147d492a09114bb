"""Run the command line as ``python -m detourage.cli``, without an installed script."""

from detourage.cli import main

main()
