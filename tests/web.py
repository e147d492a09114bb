"""A web server for a test."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


@contextmanager
def serving(answer: Callable[[str], tuple[str, bytes] | None]) -> Iterator[str]:
    """Run a web server, and yield its URL.

    `answer` returns the content type and the content for a path, or None for status 404.
    """

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            kind, content = answer(self.path) or ("text/plain", b"")
            self.send_response(200 if content else 404)
            self.send_header("Content-Type", kind)
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *arguments: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.05,))
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()
