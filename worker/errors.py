"""What an error must be to end a command in one line instead of a traceback."""


class ExpectedError(Exception):
    """Something that a person can set right; its first line says what, for a person."""
