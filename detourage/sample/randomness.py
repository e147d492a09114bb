"""Seeded random streams, one for each generated item."""

import random


def stream(*key: object) -> random.Random:
    """Return the random stream for ``key``; equal keys give equal streams on every platform.

    Every story, page and block has its own stream, so that none affects another.
    """
    # Strings seed the generator through SHA-512, independently of the process's hash seed.
    return random.Random("/".join(map(str, key)))  # noqa: S311 - fiction, not cryptography
