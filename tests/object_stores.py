"""Object stores for tests: a folder, and rclone's S3 server, which keeps its buckets in folders."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Final, Self
from urllib.error import URLError
from urllib.request import urlopen

import obstore
from obstore.store import ObjectStore, from_url

from tests.services import unused_ports
from tests.waiting import wait_until

ACCESS: Final = ("test-key", "test-secret")
"""Access key and secret key of the S3 server."""


class StoreOfTest:
    """An object store that a test can stop and start again."""

    url: str
    environment: dict[str, str]
    """Environment variables with the credentials that a client needs."""
    start: Callable[[], None]
    """Make the store available."""
    stop: Callable[[], None]
    """Make the store unavailable, without deleting its objects."""

    def objects(self) -> dict[str, bytes]:
        """Return all objects by name, except the service's marker, whose name has no slash."""
        store = self._store()
        paths = [each["path"] for chunk in obstore.list(store) for each in chunk]
        names = [path for path in paths if "/" in path]
        return {name: bytes(obstore.get(store, name).bytes()) for name in names}

    def put(self, name: str, content: bytes) -> None:
        """Write an object."""
        obstore.put(self._store(), name, content)

    def remove(self, name: str) -> None:
        """Remove an object."""
        obstore.delete(self._store(), name)

    def _store(self) -> ObjectStore:
        if self.url.startswith("file:"):
            return from_url(self.url)
        return from_url(self.url, client_options={"allow_http": True})

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_error: object) -> None:
        self.stop()


class Folder(StoreOfTest):
    """An object store in a folder, which is moved away while the store is stopped."""

    def __init__(self, home: Path) -> None:
        self._folder = home / "store"
        self._elsewhere = home / "elsewhere"
        self._elsewhere.mkdir(parents=True)
        self.url = self._folder.as_uri()
        self.environment: dict[str, str] = {}

    def start(self) -> None:
        """Move the folder to its place."""
        self._elsewhere.rename(self._folder)

    def stop(self) -> None:
        """Move the folder away, as if its volume were not mounted."""
        self._folder.rename(self._elsewhere)


class S3Server(StoreOfTest):
    """An S3 server with one bucket; while it is stopped, connections are refused."""

    def __init__(self, home: Path) -> None:
        [self._port] = unused_ports(1)
        # URLs of different servers must differ, since a process keeps a client per URL.
        bucket = f"bucket-{self._port}"
        (home / bucket).mkdir(parents=True)
        self.url = f"s3://{bucket}/some/prefix"
        self._home = home
        key, secret = ACCESS
        self.environment = {
            "AWS_ACCESS_KEY_ID": key,
            "AWS_SECRET_ACCESS_KEY": secret,
            "AWS_REGION": "us-east-1",
            "AWS_ENDPOINT_URL": f"http://127.0.0.1:{self._port}",
        }

    def start(self) -> None:
        """Start the server, and wait until it responds."""
        rclone = Path(sys.executable).parent / "rclone"
        self._process = subprocess.Popen(
            [
                *(rclone, "serve", "s3", self._home, f"--addr=127.0.0.1:{self._port}"),
                f"--auth-key={','.join(ACCESS)}",
            ],
            env={**os.environ, "RCLONE_CONFIG": ""},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        wait_until(self._responds)

    def _responds(self) -> bool:
        try:
            with urlopen(f"http://127.0.0.1:{self._port}", timeout=1):
                return True
        except URLError as error:
            # An HTTP status such as 403, for the missing signature, is a response, too.
            return hasattr(error, "code")

    def stop(self) -> None:
        """Kill the server."""
        self._process.kill()
        self._process.wait()
