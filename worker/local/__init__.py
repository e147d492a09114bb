"""The whole service, run by a single command on one machine."""
