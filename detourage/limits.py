"""Limits on pages, messages and comparisons, and the confidence of doubtful articles."""

from typing import Final

MAX_HTML_BYTES = 10 * 1024 * 1024
"""Maximum size of HTML in bytes (``html`` encoded as UTF-8, or ``html_base64`` decoded)."""

MAX_DEPTH = 512  # depth of elements, as in Blink; recursion this deep does not exhaust the stack
MAX_ELEMENTS = 100_000  # elements in a page
MAX_ATTRIBUTES = 1_000  # attributes per element
MAX_TAGS = 500_000  # ``<`` in a page, counted before parsing; each may take 280 bytes of memory

PARSING_SECONDS = 5  # CPU time of the child process that parses an expensive page
PARSING_BYTES = 1 << 30  # memory of this process
MAX_OUTPUT_BYTES = 64 << 20  # length of the serialised page that it returns

MAX_URL_CHARACTERS = 8192
"""Maximum length of a URL. Servers reject longer ones, and a database index cannot store them."""

MAX_HEADERS = 200
MAX_HEADER_CHARACTERS = 64 * 1024
"""Maximum number of headers of an HTTP response, and maximum total length of names and values."""

MAX_BODY_BYTES = 6 * MAX_HTML_BYTES + 1024 * 1024
"""Maximum size in bytes of a page message. JSON may need six characters, such as ``\\u0000``, for
each byte of HTML.
"""

MAX_MESSAGE_BYTES = 16 * 1024 * 1024
"""Maximum size in bytes of an article message, and of a page message made from a file. RabbitMQ 4
rejects larger messages by default. The largest valid page (10 MiB, 13.4 MiB as base64) fits.
"""

MAX_CONTENT_BYTES = (MAX_MESSAGE_BYTES - 64 * 1024) // 4 * 3
"""Maximum size in bytes of content that, as base64 and with the other fields, always fits into a
message of `MAX_MESSAGE_BYTES`. This exceeds `MAX_HTML_BYTES`, so that a page that is slightly too
large reaches the intake, which reports it.
"""

WHOLE_MATRIX_TREES = 400
"""Maximum number of trees of a site of which all pairs are compared.

400 trees form 80,000 pairs. On one core, comparing these takes 10 s for pages of 300 elements made
from a few templates, and 160 s for pages of 750 elements that differ more; 1,000 trees would take
six times as long. For the accuracy on larger sites, see docs/decisions/groups.md.
"""

DOUBTFUL_CONFIDENCE: Final = 0.8  # confidence below which an article counts as doubtful
MAX_DETAIL_CHARACTERS: Final = 2000  # maximum length of the explanation why a message is unusable
