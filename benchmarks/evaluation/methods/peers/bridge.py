"""Programs in other languages that keep running and process one page at a time over pipes."""

import atexit
import struct
import subprocess
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import IO, cast

_INT32 = struct.Struct(">i")  # big-endian


class BridgeError(RuntimeError):
    """The program reported an error on a page, or died."""


class Bridge:
    """A running program that responds to messages.

    A message consists of the number of strings, followed by each string's length in bytes and its
    UTF-8 encoding. Numbers are 32-bit big-endian. The first string of a response is ``ok`` or
    ``error``; after ``error``, the next string is the error message.
    """

    def __init__(self, command: Sequence[str], folder: Path | None = None) -> None:
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115
        self._process = subprocess.Popen(
            command, cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._errors
        )

    @property
    def pid(self) -> int:
        """The program's process ID."""
        return self._process.pid

    @property
    def running(self) -> bool:
        """Whether the program is still running."""
        return self._process.poll() is None

    def ask(self, *strings: str) -> list[str]:
        """Send a message and return the response; raise BridgeError if the program fails."""
        encoded = [string.encode("utf-8", "replace") for string in strings]
        message = [_INT32.pack(len(encoded))]
        for item in encoded:
            message += _INT32.pack(len(item)), item
        try:
            self._input.write(b"".join(message))
            self._input.flush()
            count = self._read_number()
            status, *answer = (self._read(self._read_number()).decode() for _ in range(count))
        except (EOFError, OSError) as error:
            raise BridgeError(f"the program died: {self._first_error_line()}") from error
        if status != "ok":
            raise BridgeError(answer[0])
        return answer

    def close(self) -> None:
        """Stop the program."""
        self._process.kill()
        for stream in (self._input, self._output):
            try:
                stream.close()
            except BrokenPipeError:
                continue
        self._process.wait()
        self._errors.close()

    @property
    def _input(self) -> IO[bytes]:
        return cast(IO[bytes], self._process.stdin)

    @property
    def _output(self) -> IO[bytes]:
        return cast(IO[bytes], self._process.stdout)

    def _read_number(self) -> int:
        return cast(int, _INT32.unpack(self._read(_INT32.size))[0])

    def _read(self, size: int) -> bytes:
        data = self._output.read(size)
        if len(data) < size:
            raise EOFError
        return data

    def _first_error_line(self) -> str:
        self._process.wait()
        self._errors.seek(0)
        lines = self._errors.read().decode("utf-8", "replace").strip().splitlines()
        return lines[0] if lines else f"exit code {self._process.returncode}"


_bridges: dict[tuple[str, ...], Bridge] = {}  # running programs by command


def bridge_to(command: Iterable[str], folder: Path | None = None) -> Bridge:
    """Return the bridge to a program; start the program if it is not running."""
    key = tuple(command)
    bridge = _bridges.get(key)
    if bridge is not None and not bridge.running:
        bridge.close()
        bridge = None
    if bridge is None:
        bridge = _bridges[key] = Bridge(key, folder)
    return bridge


def running_programs() -> list[int]:
    """Return the process IDs of the programs that this process keeps running."""
    return [bridge.pid for bridge in _bridges.values() if bridge.running]


def close_bridges() -> None:
    """Stop all programs that this process started."""
    while _bridges:
        _bridges.popitem()[1].close()


atexit.register(close_bridges)
