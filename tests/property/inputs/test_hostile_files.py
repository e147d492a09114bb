"""Any file yields messages of bounded size, or an error that explains the problem."""

import gzip
import json
import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from detourage.inputs import SourceError, read_messages
from detourage.limits import MAX_MESSAGE_BYTES

PIECES = st.sampled_from(
    [
        b"WARC/1.0\r\n",
        b"WARC-Type: response\r\n",
        b"WARC-Target-URI: https://a.example/\r\n",
        b"WARC-Date: 2024-05-01T00:00:00Z\r\n",
        *(b"Content-Length: %d\r\n" % length for length in (60, 0, -1, 10**20)),
        b"HTTP/1.1 200 OK\r\n",
        b"Content-Encoding: gzip, br\r\n",
        b"Content-Encoding: deflate\r\n",
        b"Transfer-Encoding: chunked\r\n",
        *(b" continued\r\n", b"\r\n", b"\n", b"ffffffffffffffff\r\n", b"-5\r\n<p>"),
        *(b"3\r\n<p>\r\n0\r\n\r\n", b"<p>Text", gzip.compress(b"<p>Text")),
        *(b'{"version": 1}\n', b"\xef\xbb\xbf", b"\x1f\x8b", b"\x00"),
    ]
)
CONTENT = st.lists(PIECES | st.binary(max_size=20), max_size=30).map(b"".join)


def damaged_gzip(members: list[bytes], cut: int) -> bytes:
    """Return a gzip file of the members without the byte at the position `cut`, if it exists."""
    content = b"".join(map(gzip.compress, members))
    return content[:cut] + content[cut + 1 :]


DAMAGED_FILES = st.builds(damaged_gzip, st.lists(CONTENT, max_size=4), st.integers(0, 200))


@pytest.mark.parametrize(
    ("name", "contents"),
    [
        ("a.warc", CONTENT),
        ("a.warc.gz", DAMAGED_FILES),
        ("a.jsonl", CONTENT),
        ("a.jsonl.gz", CONTENT),
    ],
)
@given(data=st.data())
def test_any_file_gives_messages_or_an_error(
    name: str, contents: st.SearchStrategy[bytes], data: st.DataObject
) -> None:
    content = data.draw(contents)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, name)
        path.write_bytes(content)
        try:
            messages = list(read_messages(path))
        except SourceError:
            return
    for message in messages:
        assert len(message) <= MAX_MESSAGE_BYTES
        if "warc" in name:
            assert json.loads(message)["version"] == 1
