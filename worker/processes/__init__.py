"""Processes of the operating system: started, watched, ended."""
