"""A second host on the network, simulated by a network namespace behind a link."""

import os
import secrets
import subprocess
from contextlib import ExitStack
from typing import Any, Self

OWN_ADDRESS = "10.213.7.1"
OTHER_ADDRESS = "10.213.7.2"
"""IP addresses of this and of the other end of the link, from a rarely used range."""


class OtherHost:
    """A network namespace that has a link to the current one; it requires root."""

    def __init__(self) -> None:
        self.name = f"detourage-{secrets.token_hex(3)}"
        self._here, self._there = (f"veth{end}{secrets.token_hex(3)}" for end in "ab")

    @property
    def command(self) -> list[str]:
        """Prefix that makes a command run on the other host."""
        return ["ip", "netns", "exec", self.name]

    def __enter__(self) -> Self:
        assert os.geteuid() == 0, "network namespaces need root"
        with ExitStack() as stack:
            _ip("netns", "add", self.name)
            stack.callback(_ip, "netns", "delete", self.name)
            _ip("link", "add", self._here, "type", "veth", "peer", "name", self._there)
            # Deleting this end also deletes the other one.
            stack.callback(_ip, "link", "delete", self._here)
            _ip("link", "set", self._there, "netns", self.name)
            _ip("address", "add", f"{OWN_ADDRESS}/30", "dev", self._here)
            _ip("-n", self.name, "address", "add", f"{OTHER_ADDRESS}/30", "dev", self._there)
            _ip("-n", self.name, "link", "set", "lo", "up")
            _ip("link", "set", self._here, "up")
            self.heal()
            self._stack = stack.pop_all()
        return self

    def __exit__(self, *error: Any) -> None:
        self._stack.close()

    def cut(self) -> None:
        """Drop all packets between the hosts, without notifying either of them."""
        _ip("-n", self.name, "link", "set", self._there, "down")

    def heal(self) -> None:
        _ip("-n", self.name, "link", "set", self._there, "up")


def _ip(*command: str) -> None:
    subprocess.run(["ip", *command], check=True)
