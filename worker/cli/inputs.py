"""The argument INPUT…, and the page messages in what it names."""

from collections.abc import Iterator
from itertools import chain
from pathlib import Path

import click

input_paths = click.argument(
    "inputs",
    nargs=-1,
    required=True,
    metavar="INPUT…",
    type=click.Path(exists=True, allow_dash=True, path_type=Path),
)


def messages_in(inputs: tuple[Path, ...]) -> Iterator[bytes]:
    """Return the page messages of all inputs; each is looked at before the first is read."""
    from worker.inputs import read_messages

    return chain.from_iterable([read_messages(path) for path in inputs])
