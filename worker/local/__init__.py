"""The whole service in one command on one machine."""
